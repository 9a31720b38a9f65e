"""A form that was opened before someone else's change is refused, says who changed what, and changes nothing."""

import pytest

from django_mcp.access import config_changes, keys, last_use
from django_mcp.access.stamps import Stale
from django_mcp.models import APIKey, AuditEvent, ServerSettings, ToolGroup, ToolRule
from tests.admin.group_page import GROUPS, RULES
from tests.admin.key_pages import page
from tests.admin.pages import changed, form, notices, save
from tests.admin.test_server_settings import PAGE

BOSS = {"username": "boss"}


def late(desk, url, change, values):
    """Open a form, let someone else change something, and send the form; return what the page says then."""
    old = form(desk, url)
    change()
    events = AuditEvent.objects.count()
    response = desk.post(url, changed(old, values))
    assert response.status_code == 302
    assert AuditEvent.objects.count() == events
    (notice,) = notices(desk, response)
    assert notice.startswith("Nothing was saved")
    return notice


def test_settings(desk):
    notice = late(
        desk, PAGE, lambda: config_changes.set_settings(by=BOSS, server_name="till"), {"instructions": "Be kind."}
    )
    assert "boss" in notice
    assert "server_name" in notice
    assert "till" in notice
    assert ServerSettings.objects.values_list("server_name", "instructions").get() == ("till", "")


def test_the_page_of_all_groups(desk):
    ToolGroup.objects.create(name="coffee-shop", exposed=True)
    notice = late(
        desk,
        GROUPS,
        lambda: config_changes.set_group("coffee-shop", by=BOSS, exposed=False),
        {"coffee-shop-approval_mode": "reject"},
    )
    assert "boss" in notice
    assert "coffee-shop: exposed True → False" in notice
    assert ToolGroup.objects.values_list("exposed", "approval_mode").get() == (False, "")


def test_the_page_of_one_group(desk):
    row = ToolGroup.objects.create(name="coffee-shop", exposed=True)
    notice = late(
        desk,
        f"{GROUPS}{row.pk}/change/",
        lambda: config_changes.set_group("coffee-shop", by=BOSS, approval_mode="reject"),
        {"approval_mode": "delegate_to_client"},
    )
    assert "boss" in notice
    assert ToolGroup.objects.get().approval_mode == "reject"


def test_a_rule(desk):
    rule = ToolRule.objects.create(name="GetCoffeeShopMenu", exposure="exposed")
    notice = late(
        desk,
        f"{RULES}{rule.pk}/change/",
        lambda: config_changes.set_rule("GetCoffeeShopMenu", "", "", by=BOSS, exposure="hidden"),
        {"requires_approval": "on"},
    )
    assert "exposure exposed → hidden" in notice
    assert ToolRule.objects.values_list("exposure", "requires_approval").get() == ("hidden", False)


def test_removing_a_rule_that_hides_meanwhile(desk):
    rule = ToolRule.objects.create(name="GetCoffeeShopMenu", exposure="exposed")
    late(
        desk,
        f"{RULES}{rule.pk}/delete/",
        lambda: config_changes.set_rule("GetCoffeeShopMenu", "", "", by=BOSS, exposure="hidden"),
        {},
    )
    assert ToolRule.objects.get().exposure == "hidden"


@pytest.mark.parametrize("action", ["change", "delete"])
def test_a_rule_that_was_deleted(desk, action):
    rule = ToolRule.objects.create(name="GetCoffeeShopMenu", exposure="hidden")
    notice = late(
        desk, f"{RULES}{rule.pk}/{action}/", lambda: config_changes.delete(rule, by=BOSS), {"exposure": "exposed"}
    )
    assert "deleted" in notice
    assert "boss" in notice
    assert "GetCoffeeShopMenu" in notice
    assert not ToolRule.objects.exists()


def test_a_rule_that_is_deleted_at_the_same_moment(desk, monkeypatch):
    rule = ToolRule.objects.create(name="GetCoffeeShopMenu", exposure="hidden")
    old = form(desk, f"{RULES}{rule.pk}/change/")
    save_rule = config_changes.save_rule

    def delete_and_save(row, **options):
        ToolRule.objects.filter(pk=row.pk).delete()
        save_rule(row, **options)

    monkeypatch.setattr(config_changes, "save_rule", delete_and_save)
    response = desk.post(f"{RULES}{rule.pk}/change/", old)
    assert "deleted" in notices(desk, response)[0]
    assert not AuditEvent.objects.exists()


def test_a_second_rule_at_the_same_moment(desk):
    stamp = form(desk, f"{RULES}add/")["stamp"][0]
    config_changes.set_rule("getcoffeeshopmenu", "", "", by=BOSS, exposure="hidden")
    with pytest.raises(Stale) as caught:
        config_changes.save_rule(ToolRule(name="GetCoffeeShopMenu", exposure="exposed"), by={}, stamp=stamp)
    assert not caught.value.gone
    assert ToolRule.objects.get().exposure == "hidden"


def test_a_group_that_was_deleted(desk):
    row = ToolGroup.objects.create(name="coffee-shop", approval_mode="reject")
    notice = late(desk, GROUPS, lambda: config_changes.delete(row, by=BOSS), {"coffee-shop-exposed": "on"})
    assert "boss" in notice
    assert not ToolGroup.objects.exists()


def test_a_key(desk, key):
    def narrow():
        row = APIKey.objects.get()
        row.groups, row.highest_safety = [], "ReadOnly"
        keys.save_limits(row, by=BOSS)

    notice = late(desk, page(key), narrow, {"name": "renamed"})
    assert "boss" in notice
    assert "groups" in notice
    assert APIKey.objects.values_list("name", "groups").get() == ("agent", [])


def test_a_key_that_was_revoked(desk, key):
    notice = late(desk, page(key), lambda: keys.revoke(APIKey.objects.get(), by=BOSS), {"name": "renamed"})
    assert "boss" in notice
    assert "key revoked" in notice
    assert APIKey.objects.get().name == "agent"


def test_a_key_that_was_deleted(desk, key):
    notice = late(desk, page(key), lambda: key.user.delete(), {"name": "renamed"})
    assert "deleted" in notice
    assert not APIKey.objects.exists()


def test_a_change_that_the_record_does_not_know_of(desk):
    notice = late(desk, PAGE, lambda: ServerSettings.objects.update(server_name="till"), {"instructions": "x"})
    assert "The record does not say by whom." in notice


def test_a_use_of_the_key_makes_no_form_stale(desk, key):
    old = form(desk, page(key))
    last_use.note(key)
    desk.post(page(key), changed(old, {"name": "renamed"}))
    assert APIKey.objects.get().name == "renamed"


def test_a_form_with_errors_is_no_newer_when_it_comes_back(desk):
    old = changed(form(desk, PAGE), {"confirmation_expiry": "0"})
    config_changes.set_settings(by=BOSS, server_name="till")
    body = desk.post(PAGE, old).content.decode()
    assert f'name="stamp" value="{old["stamp"][0]}"' in body


@pytest.mark.parametrize("stamp", [None, "", "x", "0" * 64, "0" * 64 + ".9" * 30, "0" * 64 + ".99999999999999999999"])
@pytest.mark.parametrize(("url", "field"), [(PAGE, "server_name"), (GROUPS, "coffee-shop-exposed")])
def test_a_stamp_that_was_never_given_out_saves_nothing(desk, url, field, stamp):
    response = save(desk, url, {"stamp": stamp, field: "on"})
    assert "Nothing was saved" in notices(desk, response)[0]
    assert not AuditEvent.objects.exists()


def test_texts_of_a_change_are_shown_as_they_are(desk):
    notice = late(
        desk, PAGE, lambda: config_changes.set_settings(by=BOSS, server_name="a\u202eb"), {"instructions": "x"}
    )
    assert "\u202e" not in notice


def test_two_groups_are_hidden_with_one_save(desk):
    for name in ("barista", "coffee-shop"):
        ToolGroup.objects.create(name=name, exposed=True)
    old = form(desk, GROUPS)
    response = desk.post(GROUPS, changed(old, {"barista-exposed": None, "coffee-shop-exposed": None}))
    assert "2 groups were changed: barista, coffee-shop." in notices(desk, response)
    assert set(ToolGroup.objects.values_list("exposed", flat=True)) == {False}
    assert list(AuditEvent.objects.order_by("id").values_list("target", flat=True)) == ["barista", "coffee-shop"]


def test_one_wrong_field_saves_no_group(desk):
    response = save(desk, GROUPS, {"coffee-shop-exposed": "on", "barista-approval_mode": "anything"})
    body = response.content.decode()
    assert "Nothing was saved. Correct what is marked below." in body
    assert not ToolGroup.objects.exists()


def test_of_two_saves_one_wins_and_the_other_is_told(desk):
    first, second = (form(desk, GROUPS) for _ in range(2))
    assert desk.post(GROUPS, changed(first, {"coffee-shop-exposed": "on"})).status_code == 302
    response = desk.post(GROUPS, changed(second, {"coffee-shop-approval_mode": "reject"}))
    assert "staff" in notices(desk, response)[-1]
    assert ToolGroup.objects.values_list("exposed", "approval_mode").get() == (True, "")
