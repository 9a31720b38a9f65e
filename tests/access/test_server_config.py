import pytest

from django_mcp.access import server_config
from django_mcp.choices import ApprovalMode
from django_mcp.models import ServerSettings, ToolGroup, ToolRule

pytestmark = pytest.mark.django_db


def test_without_rows_the_settings_hold(settings):
    settings.DJANGO_MCP = {"SERVER_NAME": "Shop", "CONFIRMATION_TOKEN_EXPIRY": 60, "TOOL_GROUPS": ["orders"]}
    snapshot = server_config.current()
    assert (snapshot.name, snapshot.expiry, snapshot.mode) == ("Shop", 60, ApprovalMode.TOKEN)
    assert snapshot.groups["orders"].exposed
    assert snapshot.groups["orders"].locked


def test_the_admin_overrides_the_settings(settings):
    settings.DJANGO_MCP = {"APPROVAL_MODE": "reject"}
    ServerSettings.objects.create(approval_mode="delegate_to_client", server_name="Mine", writes_enabled=False)
    snapshot = server_config.current()
    assert (snapshot.mode, snapshot.name, snapshot.writes_enabled) == (ApprovalMode.DELEGATE, "Mine", False)


def test_a_mode_that_cannot_be_read_counts_as_a_confirmation(settings):
    settings.DJANGO_MCP = {"APPROVAL_MODE": "whatever"}
    assert server_config.current().mode is ApprovalMode.TOKEN


@pytest.mark.parametrize("inherited", ["delegate_to_client", "confirmation_token", "reject"])
def test_a_mode_of_a_row_that_cannot_be_read_never_loosens_what_it_stands_in_for(settings, inherited):
    settings.DJANGO_MCP = {"APPROVAL_MODE": inherited}
    ToolGroup.objects.create(name="wrong", approval_mode="rejct")
    ToolGroup.objects.create(name="right", approval_mode="delegate_to_client")
    ToolRule.objects.create(name="a", method="POST", route="/a/", approval_mode="rejct", exposure="exposed")
    expected = ApprovalMode.strictest(ApprovalMode(inherited), ApprovalMode.TOKEN)

    def modes():
        server = server_config.current()
        rules = server.rules_for("a", "POST", "/a/")
        assert rules[0].exposed
        return server.mode_of("wrong", ()), server.mode_of("none", rules), server.mode_of("right", rules)

    assert modes() == (expected, expected, ApprovalMode.TOKEN)
    ServerSettings.objects.update(approval_mode="rejct")
    assert server_config.current().mode is expected
    assert modes() == (expected, expected, ApprovalMode.TOKEN)


@pytest.mark.parametrize(
    "change",
    [
        lambda: ToolGroup.objects.create(name="new", exposed=True),
        lambda: ToolGroup.objects.get(name="old").delete(),
        lambda: ToolGroup.objects.filter(name="old").delete(),
        lambda: ToolGroup.objects.filter(name="old").update(exposed=True),
        lambda: ToolGroup.objects.bulk_create([ToolGroup(name="new")]),
        lambda: ToolRule.objects.create(name="x", exposure="hidden"),
        lambda: ServerSettings.load().save(),
        lambda: ServerSettings.load().save(update_fields=["writes_enabled"]),
        lambda: ServerSettings.objects.update(writes_enabled=False),
    ],
)
def test_every_change_is_seen_at_once(change):
    ToolGroup.objects.create(name="old")
    before = server_config.current()
    change()
    assert server_config.current().stamp != before.stamp


def test_an_unchanged_snapshot_costs_one_query_and_is_the_same_object(django_assert_num_queries):
    ServerSettings.load()
    before = server_config.current()
    with django_assert_num_queries(1):
        assert server_config.current() is before


def test_a_known_stamp_costs_no_query(django_assert_num_queries):
    ServerSettings.load()
    before = server_config.current()
    with django_assert_num_queries(0):
        assert server_config.for_stamp(before.stamp) is before


def test_the_cached_snapshot_costs_no_query_and_may_be_a_change_behind(django_assert_num_queries):
    server_config.forget()
    assert not server_config.cached().groups
    ToolGroup.objects.create(name="new")
    with django_assert_num_queries(0):
        assert not server_config.cached().groups
    assert "new" in server_config.current().groups
    assert "new" in server_config.cached().groups


def test_a_change_of_settings_is_seen_without_a_change_of_rows(settings):
    server_config.current()
    settings.DJANGO_MCP = {"TOOL_GROUPS": ["late"]}
    assert server_config.current().groups["late"].exposed


def rule(**values):
    return server_config.Rule(**{"name": "order_create", "method": "POST", "route": "/orders/", **values})


def test_a_restriction_holds_where_only_the_name_still_matches():
    applied = rule(exposed=False).applied_to("order_create", "POST", "/v2/orders/")
    assert applied is not None
    assert applied.exposed is False


def test_a_restriction_holds_where_only_the_route_still_matches():
    applied = rule(exposed=False).applied_to("renamed", "POST", "/orders/")
    assert applied is not None
    assert applied.exposed is False


def test_a_permission_does_not_hold_for_what_has_moved():
    applied = rule(exposed=True).applied_to("order_create", "POST", "/v2/orders/")
    assert applied is not None
    assert applied.exposed is None


def test_a_rule_says_nothing_of_others():
    assert rule().applied_to("other", "GET", "/orders/") is None


def test_a_moved_rule_can_only_tighten_the_mode():
    snapshot = server_config.current()
    loose = rule(mode=ApprovalMode.DELEGATE).applied_to("order_create", "POST", "/v2/")
    strict = rule(mode=ApprovalMode.REJECT).applied_to("order_create", "POST", "/v2/")
    assert snapshot.mode_of("g", [loose]) is ApprovalMode.TOKEN
    assert snapshot.mode_of("g", [strict]) is ApprovalMode.REJECT


def test_the_most_specific_mode_wins():
    ToolGroup.objects.create(name="g", approval_mode="reject")
    snapshot = server_config.current()
    assert snapshot.mode_of("g", []) is ApprovalMode.REJECT
    assert snapshot.mode_of("g", [rule(mode=ApprovalMode.DELEGATE)]) is ApprovalMode.DELEGATE
    assert snapshot.mode_of("other", []) is ApprovalMode.TOKEN


def test_rules_are_found_by_name_and_by_method_and_route():
    ToolRule.objects.create(name="Renamed", method="GET", route="/a/", exposure="hidden")
    ToolRule.objects.create(name="OTHER", method="GET", route="/b/", exposure="hidden")
    snapshot = server_config.current()
    assert [rule.name for rule in snapshot.rules_for("list", "GET", "/a/")] == ["Renamed"]
    assert [rule.name for rule in snapshot.rules_for("other", "POST", "/c/")] == ["OTHER"]
    assert [rule.name for rule in snapshot.rules_for("other", "GET", "/a/")] == ["OTHER", "Renamed"]
    assert snapshot.rules_for("list", "GET", "/c/") == ()
    assert snapshot.rules_for("tool") == ()


@pytest.mark.parametrize(
    ("row", "setting", "expected"),
    [
        (None, None, "api_tools"),
        (None, "both", "both"),
        ("api_tools", "both", "both"),
        ("one_tool_each", "both", "one_tool_each"),
        ("nonsense", None, "api_tools"),
    ],
)
def test_a_row_goes_before_the_settings_in_how_a_group_is_published(settings, row, setting, expected):
    settings.DJANGO_MCP = {"PUBLISH_AS": {"orders": setting} if setting else {}}
    if row:
        ToolGroup.objects.create(name="orders", publish_as=row)
    snapshot = server_config.current()
    assert snapshot.publish_as("orders") == expected
    assert snapshot.publishes_tools is (expected != "api_tools")
    assert not snapshot.groups.get("orders", server_config.Group()).exposed
