"""The reading of SQL: the verb and the table of the first write in a statement."""

import pytest

from django_mcp.host.read_guard import write_in


@pytest.mark.parametrize(
    ("sql", "write"),
    [
        ('INSERT INTO "shop_order" ("id") VALUES (%s)', "INSERT shop_order"),
        ("insert or ignore into shop_order values (1)", "INSERT shop_order"),
        ("INSERT IGNORE INTO `shop_order` VALUES (1)", "INSERT shop_order"),
        ('UPDATE "shop"."order" SET "views" = 1', "UPDATE order"),
        ("UPDATE ONLY shop_order SET views = 1", "UPDATE shop_order"),
        ("DELETE FROM `shop_order` WHERE `id` = %s", "DELETE shop_order"),
        ("REPLACE INTO t VALUES (1)", "REPLACE t"),
        ("MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN DELETE", "MERGE t"),
        ("TRUNCATE TABLE a, b", "TRUNCATE a"),
        ("CREATE TABLE IF NOT EXISTS t (id int)", "CREATE t"),
        ("CREATE OR REPLACE VIEW v AS SELECT 1", "CREATE v"),
        ("ALTER TABLE t ADD c int", "ALTER t"),
        ("DROP INDEX CONCURRENTLY IF EXISTS i", "DROP i"),
        ("CALL settle_all(%s)", "CALL settle_all"),
        ("DO $$ BEGIN DELETE FROM t; END $$", "DO"),
        ("GRANT ALL ON t TO public", "GRANT all"),
        ("SOMETHING new", "SOMETHING new"),
        ("/* why */ -- and how\n  DELETE FROM t", "DELETE t"),
        ("/*!50000 DELETE FROM t */", "DELETE t"),
        ("((DELETE FROM t))", "DELETE t"),
        ("SELECT 1; DELETE FROM t", "DELETE t"),
        ("SELECT 1;\n/* x */ ; update t set a = 1", "UPDATE t"),
        ("SELECT a INTO copy FROM t", "SELECT INTO copy"),
        ("SELECT a FROM t INTO OUTFILE '/tmp/x'", "SELECT INTO outfile"),
        ("WITH gone AS (DELETE FROM t RETURNING *) SELECT * FROM gone", "DELETE t"),
        ("WITH x AS NOT MATERIALIZED (UPDATE t SET a = 1 RETURNING a) SELECT 1", "UPDATE t"),
        ("with x as (select 1) insert into t select * from x", "INSERT t"),
        ("EXPLAIN ANALYZE DELETE FROM t", "DELETE t"),
        ("EXPLAIN (ANALYZE, BUFFERS) UPDATE t SET a = 1", "UPDATE t"),
        ("BEGIN; INSERT INTO t VALUES (1)", "INSERT t"),
        ("%s", None),
    ],
)
def test_a_write_is_named_by_its_verb_and_table(sql, write):
    first = write_in(sql)
    assert (None if first is None else str(first)) == write


@pytest.mark.parametrize(
    "sql",
    [
        "",
        "  ;; ",
        "-- nothing",
        'SELECT "a" FROM "t" WHERE "b" = %s LIMIT 21',
        "select * from t where name = 'x; DELETE FROM t'",
        "SELECT ';', 'it''s into', \"into\" FROM t",
        'SELECT a FROM t WHERE id = %s FOR UPDATE OF "t" SKIP LOCKED',
        "SELECT 1; SELECT a FROM t FOR NO KEY UPDATE NOWAIT",
        "(SELECT 1) UNION (SELECT 2)",
        "WITH RECURSIVE x AS (SELECT 1 UNION SELECT n + 1 FROM x) SELECT * FROM x FOR UPDATE",
        "WITH x AS (SELECT replace(name, 'a', 'b') AS n, insert(a, 1, 2, 'x') FROM t) SELECT t.update, n FROM x",
        "SELECT $body$ ; DROP TABLE t; $body$ ; SELECT 2",
        "SELECT a INTO @kept FROM t",
        "EXPLAIN DELETE FROM t",
        "SHOW TABLES",
        "PRAGMA table_info(t)",
        "SET SQL_AUTO_IS_NULL = 0",
        'SAVEPOINT "s1_x1"',
        'RELEASE SAVEPOINT "s1_x1"',
        "/* INSERT INTO t */ SELECT 1 -- DELETE FROM t",
        "VALUES (1), (2)",
    ],
)
def test_a_statement_that_only_reads_writes_nothing(sql):
    assert write_in(sql) is None


def test_a_long_statement_is_read_in_one_pass():
    nested = "(" * 50_000 + "SELECT 1" + ")" * 50_000
    quoted = "SELECT '" + "''" * 200_000 + "' ; SELECT 1"
    assert write_in(nested) is None
    assert write_in(quoted) is None


def test_no_value_is_part_of_the_name_of_a_write():
    assert str(write_in("UPDATE 'hunter2' SET a = 'hunter2'")) == "UPDATE"


def test_a_backslash_hides_nothing_but_in_mysql():
    sql = r"WITH a AS (SELECT '\') INSERT INTO t SELECT 1"
    assert write_in(sql).verb == "INSERT"
    assert write_in(sql, escapes=True) is None


def test_a_pragma_that_sets_something_writes():
    assert write_in("PRAGMA user_version = 7").verb == "PRAGMA"
    assert write_in("PRAGMA table_info(t)") is None
