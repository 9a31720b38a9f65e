"""`mcp key`: a key's secret on stdout, what it reaches on stderr; the list; revocation."""

from datetime import timedelta

import pytest
from django.utils import timezone

from django_mcp.access import keys
from django_mcp.choices import ApprovalMode, EventKind
from django_mcp.management.keys import duration
from django_mcp.models import APIKey, AuditEvent
from tests.management.command import fails, run, run_with_notes

pytestmark = pytest.mark.django_db


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
    ("options", "error"),
    [
        (("--user", "nobody"), "no user 'nobody'"),
        (("--user", "sam", "--group", "cofee-shop"), "Did you mean 'coffee-shop'?"),
        (("--user", "sam", "--max-safety", "All"), "ReadOnly, Write, Destructive"),
        (("--user", "sam", "--mode", "review"), "confirmation_token"),
        (("--user", "sam", "--permission", "coffee_shop.fly"), "no permission"),
        (("--user", "sam", "--permission", "coffee_shop.add_ordr"), "Did you mean 'coffee_shop.add_order'?"),
        (("--user", "sam", "--expires", "soon"), "90d"),
        (("--user", "sam", "--expires", "0d"), "90d"),
    ],
)
def test_key_create_with_a_wrong_option_makes_none(sam, options, error):
    assert error in fails("key", "create", "agent", *options)
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


def test_durations():
    assert duration("90d") == timedelta(days=90)
    assert duration(" 12H ") == timedelta(hours=12)
    assert [duration(f"1{unit}").total_seconds() for unit in "smhdw"] == [1, 60, 3600, 86400, 604800]


def test_key_may_be_given_a_group_of_host_tools(sam, declaring):
    run("key", "create", "agent", "--user", "sam", "--group", "desk")
    assert APIKey.objects.get().groups == ["desk"]


def test_key_create_tells_on_stderr_what_the_key_reaches_and_how_to_use_it(user):
    secret, notes = run_with_notes(
        "key", "create", "agent", "--user", "sam", "--group", "coffee-shop", "--max-safety", "Write"
    )
    assert "It reaches 6 operations and 0 tools right now." in notes
    assert "shown this once" in notes
    assert "claude mcp add --transport http" in notes
    assert "/mcp --header" in notes
    assert "Warning" not in notes
    assert secret.strip() not in notes


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ((), "names no group"),
        (("--group", "barista"), "is exposed"),
        (("--all-groups", "--permission", "auth.add_user"), "--permission"),
    ],
)
def test_key_that_can_do_nothing_comes_with_the_likely_reason(user, options, reason):
    notes = run_with_notes("key", "create", "agent", "--user", "sam", *options)[1]
    assert "It reaches 0 operations" in notes
    assert "Warning" in notes
    assert reason in notes


def test_key_below_what_is_exposed_is_told_so(sam):
    run("expose", "CancelCoffeeShopOrder")
    notes = run_with_notes("key", "create", "agent", "--user", "sam", "--all-groups")[1]
    assert "above ReadOnly: use --max-safety" in notes


def test_key_of_a_user_whom_no_view_permits_is_told_so(sam, monkeypatch):
    from django_mcp.access.exposure import Reach

    run("expose", "coffee-shop")
    monkeypatch.setattr(Reach, "permits", lambda self, operation: False)
    assert "lacks the permissions" in run_with_notes("key", "create", "agent", "--user", "sam", "--all-groups")[1]


def test_key_list_shows_mode_and_permissions(sam):
    keys.issue(name="a", user=sam, mode=ApprovalMode.REJECT, permissions=["coffee_shop.add_order"])
    keys.issue(name="b", user=sam, permissions=[])
    head, first, second = run("key", "list").splitlines()
    assert first[head.index("MODE") :].split()[:2] == ["reject", "coffee_shop.add_order"]
    assert second[head.index("MODE") :].split()[:2] == ["-", "none"]


@pytest.mark.parametrize("name", ["write", "WRITE", "Write"])
def test_highest_safety_is_read_in_any_case(sam, name):
    run("key", "create", "agent", "--user", "sam", "--max-safety", name)
    assert APIKey.objects.get().highest_safety == "Write"
