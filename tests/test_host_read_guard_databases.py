"""The guard over what Django writes in each database's own SQL, on real connections in autocommit."""

import os

import pytest
from django.db import connections
from django.db.models import Count, F

from django_mcp.host.read_guard import ReadWrote, watching
from tests.approval.test_races import configured
from tests.e2e.databases import fresh
from tests.host.models import Person

ALIAS = "guarded"
DATABASES = [
    pytest.param("sqlite:///guarded", id="sqlite"),
    # Without a service there is still one case of each, for the closing lines to name.
    *(
        pytest.param(url, id=url.partition(":")[0], marks=pytest.mark.service("databases"))
        for url in os.environ.get("TEST_DATABASE_URLS", "postgres: mysql:").split()
    ),
]


@pytest.fixture(params=DATABASES)
def people(request, tmp_path, settings, django_db_blocker):
    """Two people in a database of their own, in autocommit, under a guard that refuses."""
    settings.DJANGO_MCP = {**settings.DJANGO_MCP, "READ_GUARD": "enforce"}
    with fresh(request.param, tmp_path) as own, django_db_blocker.unblock():
        database = configured(own, None)
        database["ATOMIC_REQUESTS"] = False
        connections.settings[ALIAS] = database
        try:
            with connections[ALIAS].schema_editor() as editor:
                editor.create_model(Person)
            rows = Person.objects.using(ALIAS)
            rows.bulk_create([Person(email="a"), Person(email="b")])
            yield rows
        finally:
            connections[ALIAS].close()
            del connections[ALIAS], connections.settings[ALIAS]


def raw(sql):
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(sql)


WRITES = {
    "create": lambda people: people.create(email="c"),
    "save": lambda people: people.get(email="a").save(),
    "update": lambda people: people.update(email=F("email")),
    "delete": lambda people: people.filter(email="a").delete(),
    "get_or_create": lambda people: people.get_or_create(email="c"),
    "bulk_create": lambda people: people.bulk_create([Person(email="c")], ignore_conflicts=True),
    "bulk_update": lambda people: people.bulk_update([people.get(email="a")], ["email"]),
    "a table": lambda _people: raw("CREATE TABLE t (id integer)"),
    "flush": lambda _people: raw(f"DELETE FROM {Person._meta.db_table}"),
    "no table": lambda _people: raw(f"DROP TABLE {Person._meta.db_table}"),
}


def test_every_write_is_refused_and_nothing_is_left_of_it(people):
    for name, write in WRITES.items():
        with pytest.raises(ReadWrote), watching(name) as watch:
            write(people)
        assert watch.writes, name
    assert sorted(people.values_list("email", flat=True)) == ["a", "b"]
    assert "t" not in connections[ALIAS].introspection.table_names()


def test_every_way_to_read_is_let_through(people):
    with watching("reads") as watch:
        assert people.filter(email="a").exists()
        assert people.aggregate(number=Count("pk"))["number"] == 2
        assert len(list(people.iterator(chunk_size=1))) == 2
        assert people.filter(email="a").union(people.filter(email="b")).count() == 2
        assert people.filter(pk__in=people.filter(email="a")).get().email == "a"
        assert people.explain()
        assert connections[ALIAS].introspection.table_names()
    assert watch.writes == []
