import os
import subprocess
import sys
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

from django_mcp import audit
from django_mcp.access import keys, server_config
from django_mcp.management import keys as durations
from django_mcp.management import output
from django_mcp.models import APIKey, AuditEvent, Confirmation, ToolGroup, ToolRule
from django_mcp.types import ApprovalMode, EventKind

pytestmark = pytest.mark.django_db


@pytest.fixture
def sam(django_user_model):
    return django_user_model.objects.create_user("sam")


def run(*arguments):
    out = StringIO()
    call_command("mcp", *arguments, stdout=out)
    return out.getvalue()


def fails(*arguments):
    with pytest.raises(CommandError) as caught:
        run(*arguments)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_key_create_prints_the_key_and_nothing_else(sam):
    printed = run("key", "create", "agent", "--user", "sam", "--group", "coffee-shop")
    assert printed.endswith("\n")
    assert keys.authenticate(printed[:-1]).name == "agent"


def test_key_create_sets_every_limit(sam):
    run(
        "key", "create", "agent", "--user", "sam", "--group", "coffee-shop", "--max-safety", "Write",
        "--permission", "coffee_shop.add_order", "--mode", "reject", "--expires", "90d",
    )  # fmt: skip
    key = APIKey.objects.get()
    assert (key.groups, key.highest_safety, key.approval_mode) == (["coffee-shop"], "Write", "reject")
    assert key.permissions == ["coffee_shop.add_order"]
    assert abs(key.expires_at - timezone.now() - timedelta(days=90)) < timedelta(minutes=1)


def test_key_create_alone_reaches_nothing_and_is_not_narrowed(sam):
    run("key", "create", "agent", "--user", "sam")
    key = APIKey.objects.get()
    assert (key.groups, key.all_groups, key.highest_safety, key.permissions) == ([], False, "ReadOnly", None)


def test_key_create_can_name_all_groups(sam):
    run("key", "create", "agent", "--user", "sam", "--all-groups")
    assert APIKey.objects.get().all_groups


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--user", "nobody"), "no user 'nobody'"),
        (("--user", "sam", "--group", "cofee-shop"), "Did you mean 'coffee-shop'?"),
        (("--user", "sam", "--max-safety", "All"), "ReadOnly, Write, Destructive"),
        (("--user", "sam", "--mode", "review"), "confirmation_token"),
        (("--user", "sam", "--permission", "coffee_shop.fly"), "no permission"),
        (("--user", "sam", "--expires", "soon"), "90d"),
        (("--user", "sam", "--expires", "0d"), "90d"),
    ],
)
def test_key_create_with_a_wrong_option_makes_none(sam, more, said):
    assert said in fails("key", "create", "agent", *more)
    assert not APIKey.objects.exists()


def test_key_create_needs_an_active_user_and_a_name(sam):
    assert "1 to 100" in fails("key", "create", "x" * 101, "--user", "sam")
    sam.is_active = False
    sam.save()
    assert "not active" in fails("key", "create", "agent", "--user", "sam")


def test_key_list_shows_no_secret(sam):
    key, secret = keys.issue(name="agent", user=sam, groups=["coffee-shop"])
    keys.revoke(keys.issue(name="old", user=sam)[0])
    keys.issue(name="late", user=sam, expires_at=timezone.now())
    printed = run("key", "list")
    assert secret[8:] not in printed
    assert key.prefix in printed
    assert [word for word in printed.split() if word in {"active", "revoked", "expired"}] == [
        "active",
        "revoked",
        "expired",
    ]


def test_key_revoke_takes_an_id_or_a_prefix(sam):
    first, second = (keys.issue(name=name, user=sam)[0] for name in ("a", "b"))
    run("key", "revoke", str(first.pk))
    run("key", "revoke", second.prefix)
    assert not APIKey.objects.filter(revoked_at__isnull=True).exists()
    assert AuditEvent.objects.filter(kind=EventKind.KEY_REVOKED).count() == 2


def test_key_revoke_never_guesses(sam):
    pair = [keys.issue(name=name, user=sam)[0] for name in ("a", "b")]
    APIKey.objects.update(prefix="ak-same0")
    assert str(pair[1].pk) in fails("key", "revoke", "ak-same0")
    assert "no key" in fails("key", "revoke", "ak-other")
    assert "no key" in fails("key", "revoke", "999")
    assert APIKey.objects.filter(revoked_at__isnull=True).count() == 2


def test_key_revoke_twice_says_so(sam):
    key, _ = keys.issue(name="a", user=sam)
    run("key", "revoke", str(key.pk))
    assert "before" in fails("key", "revoke", str(key.pk))


def test_a_whole_key_named_by_mistake_is_not_repeated(sam):
    _, secret = keys.issue(name="a", user=sam)
    assert secret[8:] not in run("key", "revoke", secret)


def test_expose_and_hide_a_group():
    run("expose", "coffee-shop")
    assert server_config.current().groups["coffee-shop"].exposed
    run("hide", "coffee-shop")
    assert not server_config.current().groups["coffee-shop"].exposed
    events = AuditEvent.objects.filter(kind=EventKind.EXPOSURE_CHANGED, target="coffee-shop").order_by("id")
    assert [event.detail["after"] for event in events] == [{"exposed": True}, {"exposed": False}]
    assert {event.username for event in events} == {"manage.py mcp"}


def test_hide_and_expose_one_operation():
    run("hide", "CancelCoffeeShopOrder")
    rule = ToolRule.objects.get()
    assert (rule.method, rule.exposure) == ("DELETE", "hidden")
    run("expose", "cancelcoffeeshoporder")
    assert ToolRule.objects.get().exposure == "exposed"
    assert AuditEvent.objects.filter(kind=EventKind.EXPOSURE_CHANGED).count() == 2


def test_unknown_name_changes_nothing_and_names_the_nearest():
    assert "Did you mean 'coffee-shop'?" in fails("expose", "CreateCoffeeShopOrder", "coffe-shop")
    assert not ToolRule.objects.exists()
    assert not AuditEvent.objects.exists()


def test_group_of_the_settings_cannot_be_hidden(settings):
    settings.DJANGO_MCP = {"TOOL_GROUPS": ["coffee-shop"]}
    assert "TOOL_GROUPS" in fails("hide", "CancelCoffeeShopOrder", "coffee-shop")
    assert not ToolRule.objects.exists()
    run("hide", "CancelCoffeeShopOrder")
    assert ToolRule.objects.get().exposure == "hidden"


def test_api_tools_can_be_hidden_and_exposed():
    run("hide", "api_tools")
    assert not ToolGroup.objects.get().exposed
    run("expose", "api_tools")
    assert ToolGroup.objects.get().exposed


def test_operations_are_an_aligned_table():
    run("expose", "coffee-shop")
    ToolRule.objects.create(name="GetCoffeeShopMenu", exposure="hidden", requires_approval=True)
    lines = run("operations").splitlines()
    heads = ("NAME", "METHOD", "ROUTE", "SAFETY", "GROUP", "EXPOSED", "MODE", "NOTES")
    starts = [lines[0].index(head) for head in heads]
    rows = {line.split()[0]: line for line in lines[1:]}
    for line in rows.values():
        assert all(line[start - 1] == " " for start in starts[1:] if start <= len(line))
    assert rows["CancelCoffeeShopOrder"].split()[3:] == ["Destructive", "coffee-shop", "yes", "confirmation_token"]
    menu = rows["GetCoffeeShopMenu"]
    assert menu[starts[5] :].split()[:2] == ["no", "confirmation_token"]
    assert menu.endswith("requires approval")


def confirmation(days, **changes):
    then = timezone.now() - timedelta(days=days)
    said = {
        "subject": "key:7",
        "caller": {"subject": "key:7", "username": "sam"},
        "tool": "api_call",
        "target": "CreateCoffeeShopOrder",
        "mode": "confirmation_token",
        "safety": "Write",
        "issued_at": then,
        "expires_at": then + timedelta(minutes=5),
    }
    return Confirmation.objects.create(**{**said, **changes})


def test_prune_removes_what_is_old_and_over():
    old, new = timezone.now() - timedelta(days=91), timezone.now() - timedelta(days=89)
    gone = [
        confirmation(91, state="succeeded", settled_at=old),
        confirmation(91, state="expired"),
        confirmation(91, state="declined"),
    ]
    kept = [confirmation(89, state="succeeded", settled_at=new), confirmation(91, state="executing")]
    audit.record(EventKind.READ)
    AuditEvent.objects.bulk_create([AuditEvent(kind=EventKind.READ, time=old)])
    printed = run("prune", "--older-than", "90d")
    assert set(Confirmation.objects.values_list("pk", flat=True)) == {row.pk for row in kept}
    assert AuditEvent.objects.count() == 1
    assert f"removed {len(gone)} confirmations, 1 events" in printed


def test_prune_marks_what_is_overdue_as_expired_with_its_event():
    late, open_still = confirmation(1, effective="{}"), confirmation(0)
    run("prune", "--older-than", "90d")
    late.refresh_from_db()
    open_still.refresh_from_db()
    assert (late.state, late.effective, open_still.state) == ("expired", None, "issued")
    assert late.settled_at == late.expires_at
    event = AuditEvent.objects.get(kind=EventKind.EXPIRED)
    assert (event.confirmation, event.username, event.target) == (late.jti, "sam", "CreateCoffeeShopOrder")
    run("prune", "--older-than", "90d")
    assert AuditEvent.objects.count() == 1


def test_prune_removes_at_once_what_was_overdue_for_long():
    confirmation(91)
    assert "Expired 1 confirmations; removed 1 confirmations" in run("prune", "--older-than", "90d")
    assert not Confirmation.objects.exists()


def test_prune_falls_back_on_the_setting(settings):
    assert "--older-than" in fails("prune")
    settings.DJANGO_MCP = {"AUDIT_RETENTION": timedelta(days=30)}
    confirmation(31, state="expired")
    run("prune")
    assert not Confirmation.objects.exists()


@pytest.mark.parametrize("text", ["", "90", "d", "-1d", "1.5h", "0d", "9999999d", "٣d"])
def test_prune_refuses_what_is_no_duration(text):
    if text:
        fails("prune", f"--older-than={text}")
    with pytest.raises(CommandError, match="no duration"):
        durations.duration(text)


def test_prune_of_an_age_before_the_calendar_is_an_error_not_a_crash():
    fails("prune", "--older-than", "999999w")


def test_durations():
    assert durations.duration("90d") == timedelta(days=90)
    assert durations.duration(" 12H ") == timedelta(hours=12)
    assert [durations.duration(f"1{unit}").total_seconds() for unit in "smhdw"] == [1, 60, 3600, 86400, 604800]


def test_tables_are_aligned_without_trailing_blanks():
    assert output.table(("A", "LONG"), [("wide cell", ""), ("x", 1)]) == "A          LONG\nwide cell\nx          1"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("key", "create", "a"), 1),
        (("hide", "nothing-like-it"), 1),
        (("shout",), 1),
        ((), 1),
        (("key", "create", "a", "--user", "nobody"), 1),
        (("operations",), 0),
    ],
)
def test_errors_are_one_line_on_stderr_and_exit_one(tmp_path, arguments, code):
    manage = [sys.executable, "-W", "ignore", "-m", "django"]
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "demo_project.settings",
        "DATABASE_URL": f"sqlite:///{tmp_path}/db.sqlite3",
    }
    subprocess.run([*manage, "migrate", "-v0"], env=environment, check=True)
    done = subprocess.run([*manage, "mcp", *arguments], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == code
    if code:
        assert (len(done.stderr.splitlines()), done.stdout) == (1, "")
        assert "Traceback" not in done.stderr


def test_missing_argument_is_an_error_of_one_line():
    assert "--user" in fails("key", "create", "agent")


def test_database_trouble_is_an_error_of_one_line(monkeypatch):
    from django.db import OperationalError

    from django_mcp.management import keys as listed

    def broken():
        raise OperationalError("no such table: x\nLINE 1")

    monkeypatch.setattr(listed, "listing", broken)
    assert "no such table: x" in fails("key", "list")


def test_confirmation_that_was_redeemed_meanwhile_is_not_expired():
    from django_mcp.approval import transitions

    row = confirmation(1)
    Confirmation.objects.filter(pk=row.pk).update(state="executing")
    assert not transitions.expire(row, caller=row.caller)
    row.refresh_from_db()
    assert row.state == "executing"
    assert not AuditEvent.objects.exists()


def test_exposing_a_group_counts_what_is_exposed_by_name_only(monkeypatch):
    from dataclasses import replace

    from django_mcp.catalog.discovery import Catalog, get_catalog
    from django_mcp.management import exposure

    first, *others = get_catalog().operations
    catalog = Catalog((replace(first, own_authentication=True), *others), ())
    monkeypatch.setattr("django_mcp.tools.inventory.get_catalog", lambda: catalog)
    (line,) = exposure.expose(["coffee-shop"])
    assert "1 with their own authentication are exposed by name only." in line
    assert "by name only" in run("operations")


def test_host_tools_and_their_groups_are_exposed_and_hidden(declaring):
    assert run("expose", "desk", "STAMP").splitlines() == [
        "Group desk: exposed, 0 operations, 2 tools.",
        "Tool stamp: exposed.",
    ]
    assert (ToolRule.objects.get().name, ToolRule.objects.get().method) == ("stamp", "")
    run("hide", "stamp")
    assert ToolRule.objects.get().exposure == "hidden"
    assert "Did you mean 'count_stamps'?" in fails("expose", "count_stamp")


def test_host_tools_are_listed_among_the_operations(declaring):
    run("expose", "desk")
    lines = run("operations").splitlines()
    start = lines[0].index("SAFETY")
    rows = {line.split()[0]: line for line in lines[1:]}
    assert rows["stamp"][:start].split() == ["stamp"]
    assert rows["stamp"][start:].split() == ["not", "declared", "desk", "yes", "confirmation_token"]
    assert rows["count_stamps"][start:].split() == ["ReadOnly", "desk", "yes", "-"]


def test_key_may_be_given_a_group_of_host_tools(sam, declaring):
    run("key", "create", "agent", "--user", "sam", "--group", "desk")
    assert APIKey.objects.get().groups == ["desk"]


def told(*arguments):
    out, err = StringIO(), StringIO()
    call_command("mcp", *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_writes_are_stopped_and_let_go_on_with_an_event_each():
    assert "no agent can change anything" in run("writes", "off")
    assert not server_config.current().writes_enabled
    assert "They were before." in run("writes", "off")
    assert "Writes are on." in run("writes", "on")
    assert server_config.current().writes_enabled
    events = AuditEvent.objects.filter(kind=EventKind.SETTINGS_CHANGED).order_by("id")
    assert [event.detail["after"] for event in events] == [{"writes_enabled": False}, {"writes_enabled": True}]
    assert {event.username for event in events} == {"manage.py mcp"}
    assert "on" in fails("writes", "maybe")


def test_writes_off_reaches_a_server_that_remembers_them_on(mcp):
    assert mcp.call("CreateCoffeeShopOrder", ORDER)["status"] == "requires_confirmation"
    run("writes", "off")
    assert mcp.call("CreateCoffeeShopOrder", ORDER)["code"] == "unavailable"


ORDER = {"customer_name": "Sam", "items": [{"product_id": 7, "size": "Grande", "quantity": 2, "options": []}]}


def test_key_create_tells_on_stderr_what_the_key_reaches_and_how_to_use_it(user):
    secret, said = told("key", "create", "agent", "--user", "sam", "--group", "coffee-shop", "--max-safety", "Write")
    assert "It reaches 6 operations and 0 tools right now." in said
    assert "shown this once" in said
    assert "claude mcp add --transport http" in said
    assert "/mcp --header" in said
    assert "Warning" not in said
    assert secret.strip() not in said


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ((), "names no group"),
        (("--group", "barista"), "is exposed"),
        (("--all-groups", "--permission", "auth.add_user"), "--permission"),
    ],
)
def test_key_that_can_do_nothing_comes_with_the_likely_reason(user, options, reason):
    said = told("key", "create", "agent", "--user", "sam", *options)[1]
    assert "It reaches 0 operations" in said
    assert "Warning" in said
    assert reason in said


def test_key_below_what_is_exposed_is_told_so(sam):
    run("expose", "CancelCoffeeShopOrder")
    said = told("key", "create", "agent", "--user", "sam", "--all-groups")[1]
    assert "above ReadOnly: use --max-safety" in said


def test_key_of_a_user_whom_no_view_permits_is_told_so(sam, monkeypatch):
    from django_mcp.access.exposure import Reach

    run("expose", "coffee-shop")
    monkeypatch.setattr(Reach, "permits", lambda self, operation: False)
    assert "lacks the permissions" in told("key", "create", "agent", "--user", "sam", "--all-groups")[1]


def test_key_list_shows_mode_and_permissions(sam):
    keys.issue(name="a", user=sam, mode=ApprovalMode.REJECT, permissions=["coffee_shop.add_order"])
    keys.issue(name="b", user=sam, permissions=[])
    head, first, second = run("key", "list").splitlines()
    assert first[head.index("MODE") :].split()[:2] == ["reject", "coffee_shop.add_order"]
    assert second[head.index("MODE") :].split()[:2] == ["-", "none"]


@pytest.mark.parametrize("word", ["write", "WRITE", "Write"])
def test_highest_safety_is_read_in_any_case(sam, word):
    run("key", "create", "agent", "--user", "sam", "--max-safety", word)
    assert APIKey.objects.get().highest_safety == "Write"


def test_unknown_names_lead_to_the_list(sam):
    assert "`manage.py mcp operations`" in fails("expose", "zzz")
    assert "`manage.py mcp operations`" in fails("key", "create", "agent", "--user", "sam", "--group", "zzz")


def test_a_group_is_exposed_and_published_in_one_go(declaring):
    run("expose", "coffee-shop", "--publish-as", "both")
    assert server_config.current().publish_as("coffee-shop") == "both"
    run("expose", "coffee-shop")
    assert server_config.current().publish_as("coffee-shop") == "both"
    assert "one_tool_each" in fails("expose", "coffee-shop", "--publish-as", "tools")
    for name in ("GetCoffeeShopMenu", "desk", "api_tools"):
        assert "no group of operations" in fails("expose", name, "--publish-as", "both")
    assert not ToolRule.objects.exists()
