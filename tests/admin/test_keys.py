import re
from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.utils import timezone

from django_mcp.access import keys
from django_mcp.models import APIKey, AuditEvent
from django_mcp.types import ApprovalMode, EventKind, Safety

ADD = "/admin/django_mcp/apikey/add/"
LIST = "/admin/django_mcp/apikey/"


def fields(owner, **changes):
    said = {
        "name": "Sam's agent",
        "user": owner.pk,
        "groups": ["coffee-shop"],
        "highest_safety": "Write",
        "permissions": "",
        "approval_mode": "",
        "expires_at_0": "",
        "expires_at_1": "",
    }
    return {name: value for name, value in {**said, **changes}.items() if value is not None}


def secret_of(response):
    return re.search(r"ak-[\w-]{43}", response.content.decode())[0]


def page(key):
    return f"{LIST}{key.pk}/change/"


@pytest.fixture
def key(clerk):
    return keys.issue(name="agent", user=clerk, groups=["coffee-shop"])[0]


def test_new_key_is_shown_in_the_answer_to_its_own_post(desk, clerk):
    response = desk.post(ADD, fields(clerk))
    assert response.status_code == 200
    assert keys.authenticate(secret_of(response)).user == clerk
    assert "no-store" in response["Cache-Control"]
    assert b"claude mcp add --transport http" in response.content
    assert b"http://testserver/mcp" in response.content


def test_new_key_has_the_limits_that_were_chosen(desk, clerk):
    desk.post(
        ADD,
        fields(
            clerk,
            narrowed="on",
            permissions="coffee_shop.add_order\ncoffee_shop.view_order",
            approval_mode="reject",
            expires_at_0="2099-01-31",
            expires_at_1="12:00",
        ),
    )
    key = APIKey.objects.get()
    assert (key.groups, key.all_groups, key.highest_safety) == (["coffee-shop"], False, "Write")
    assert key.permissions == ["coffee_shop.add_order", "coffee_shop.view_order"]
    assert (key.approval_mode, timezone.localtime(key.expires_at).isoformat()[:16]) == ("reject", "2099-01-31T12:00")


def test_secret_is_nowhere_else(desk, clerk):
    response = desk.post(ADD, fields(clerk))
    secret = secret_of(response)
    key = APIKey.objects.get()
    assert secret not in str(APIKey.objects.values().get())
    assert secret not in str(list(AuditEvent.objects.values()))
    assert secret not in str(list(LogEntry.objects.values()))
    assert not [row for row in Session.objects.all() if secret in str(row.get_decoded())]
    assert not [cookie for cookie in desk.cookies.values() if secret in cookie.value or cookie.key == "messages"]
    for url in (page(key), LIST, ADD, "/admin/django_mcp/auditevent/", f"{page(key)[:-7]}history/"):
        assert secret not in desk.get(url, follow=True).content.decode()
        assert secret[8:16] not in desk.get(url, follow=True).content.decode()


def test_pages_show_at_most_eight_characters_of_a_key(desk, clerk):
    secret = secret_of(desk.post(ADD, fields(clerk)))
    body = desk.get(page(APIKey.objects.get())).content.decode()
    assert secret[:8] in body
    assert secret[:9] not in body


def test_issue_is_on_the_record_with_who_did_it(desk, clerk):
    desk.post(ADD, fields(clerk))
    event = AuditEvent.objects.get(kind=EventKind.KEY_ISSUED)
    assert (event.username, event.address, event.detail["user"]) == ("staff", "127.0.0.1", "clerk")


def test_new_key_without_a_choice_reaches_nothing(desk, clerk):
    desk.post(ADD, fields(clerk, groups=None, highest_safety="ReadOnly"))
    key = APIKey.objects.get()
    assert (key.groups, key.all_groups, key.highest_safety, key.permissions) == ([], False, "ReadOnly", None)


@pytest.mark.parametrize(
    "changes",
    [
        {"groups": ["no-such-group"]},
        {"narrowed": "on", "permissions": "coffee_shop.fly"},
        {"permissions": "coffee_shop.add_order"},
        {"approval_mode": "review"},
        {"highest_safety": "All"},
        {"expires_at_0": "2001-01-01", "expires_at_1": "12:00"},
        {"name": ""},
        {"user": "0"},
    ],
)
def test_wrong_limits_issue_no_key(desk, clerk, changes):
    response = desk.post(ADD, fields(clerk, **changes))
    assert b"errorlist" in response.content
    assert not APIKey.objects.exists()


def test_a_date_alone_is_good_until_that_day_ends(desk, clerk):
    desk.post(ADD, fields(clerk, expires_at_0="2099-01-31"))
    assert timezone.localtime(APIKey.objects.get().expires_at).isoformat()[:19] == "2099-01-31T23:59:59"


def test_expiry_holds_without_time_zones(desk, clerk, settings):
    settings.USE_TZ = False
    desk.post(ADD, fields(clerk, expires_at_0="2099-01-31"))
    assert APIKey.objects.get().expires_at.isoformat() == "2099-01-31T23:59:59"
    assert b"active" in desk.get(LIST).content


@pytest.mark.parametrize(
    ("codenames", "flags"),
    [
        ((), {"is_superuser": True}),
        ((), {"is_active": False}),
        ((), {"is_superuser": True, "is_active": False}),
        (("coffee_shop.delete_order",), {}),
        (("auth.change_user",), {"is_staff": True}),
    ],
)
def test_no_key_for_a_user_with_more_power(desk, person, codenames, flags):
    response = desk.post(ADD, fields(person("boss", *codenames, **flags)))
    assert b"errorlist" in response.content
    assert not APIKey.objects.exists()


def test_key_for_a_user_with_the_same_power(desk, staff, person):
    desk.post(ADD, fields(person("peer", "change_toolgroup", is_staff=True)))
    assert APIKey.objects.count() == 1


def test_superuser_hands_out_keys_for_anyone(browser, person):
    root = person("root", is_staff=True, is_superuser=True)
    browser(root).post(ADD, fields(person("other", is_staff=True, is_superuser=True)))
    assert APIKey.objects.count() == 1


def test_limits_change_with_an_event_and_nothing_else_does(desk, key, staff):
    desk.post(page(key), fields(staff, name="agent", groups=[], all_groups="on", highest_safety="Destructive"))
    changed = APIKey.objects.get()
    assert (changed.user, changed.prefix, changed.digest) == (key.user, key.prefix, key.digest)
    assert (changed.all_groups, changed.highest_safety) == (True, "Destructive")
    event = AuditEvent.objects.get(kind=EventKind.EXPOSURE_CHANGED)
    assert (event.username, event.key_id) == ("staff", key.pk)
    assert event.detail["before"] == {"groups": ["coffee-shop"], "all_groups": False, "highest_safety": "ReadOnly"}
    assert event.detail["after"] == {"groups": [], "all_groups": True, "highest_safety": "Destructive"}


def test_key_narrowed_to_nothing_is_not_widened_by_a_save(desk, clerk):
    key, _ = keys.issue(name="agent", user=clerk, permissions=[])
    body = desk.get(page(key)).content.decode()
    assert re.search(r'name="narrowed"[^>]* checked', body)
    desk.post(page(key), fields(clerk, narrowed="on", name="renamed"))
    assert APIKey.objects.values_list("name", "permissions").get() == ("renamed", [])


def test_group_that_is_gone_stays_on_the_key_until_unticked(desk, clerk):
    key, _ = keys.issue(name="agent", user=clerk, groups=["gone"])
    assert b"gone (not in the catalog)" in desk.get(page(key)).content
    desk.post(page(key), fields(clerk, groups=["gone"], name="renamed"))
    assert APIKey.objects.values_list("name", "groups").get() == ("renamed", ["gone"])


def test_limits_of_a_stronger_users_key_cannot_be_changed(desk, key):
    User.objects.filter(pk=key.user_id).update(is_superuser=True)
    assert desk.post(page(key), fields(key.user, all_groups="on")).status_code == 403
    assert not APIKey.objects.get().all_groups
    assert desk.get(page(key)).status_code == 200


def test_revoked_key_cannot_be_changed(desk, key):
    keys.revoke(key)
    assert desk.post(page(key), fields(key.user, all_groups="on")).status_code == 403


def test_saving_limits_does_not_undo_a_revocation_meanwhile(desk, key, monkeypatch):
    save_limits = keys.save_limits

    def revoke_and_save(stale, **options):
        keys.revoke(APIKey.objects.get(pk=stale.pk))
        save_limits(stale, **options)

    monkeypatch.setattr(keys, "save_limits", revoke_and_save)
    desk.post(page(key), fields(key.user, name="renamed"))
    assert APIKey.objects.get().name == "renamed"
    assert APIKey.objects.get().revoked_at is not None


def test_revoke_asks_first_and_acts_on_post(desk, key):
    url = f"{LIST}{key.pk}/revoke/"
    assert desk.get(url).status_code == 200
    assert APIKey.objects.get().revoked_at is None
    assert desk.post(url).status_code == 302
    assert APIKey.objects.get().revoked_at is not None
    event = AuditEvent.objects.get(kind=EventKind.KEY_REVOKED)
    assert (event.username, event.address) == ("staff", "127.0.0.1")


def test_revoke_selected_asks_first(desk, key):
    chosen = {"action": "revoke_selected", "_selected_action": [key.pk]}
    assert b"Revoke keys" in desk.post(LIST, chosen).content
    assert APIKey.objects.get().revoked_at is None
    desk.post(LIST, {**chosen, "confirmed": "1"})
    assert APIKey.objects.get().revoked_at is not None


@pytest.mark.parametrize("method", ["get", "post"])
def test_without_permission_no_key_is_revoked(browser, person, key, method):
    viewer = browser(person("viewer", "view_apikey", is_staff=True))
    assert getattr(viewer, method)(f"{LIST}{key.pk}/revoke/").status_code == 403
    viewer.post(LIST, {"action": "revoke_selected", "_selected_action": [key.pk], "confirmed": "1"})
    assert APIKey.objects.get().revoked_at is None


def test_without_permission_no_key_is_issued_or_changed(browser, person, key):
    viewer = browser(person("viewer", "view_apikey", is_staff=True))
    assert viewer.post(ADD, fields(key.user)).status_code == 403
    assert viewer.post(page(key), fields(key.user, all_groups="on")).status_code == 403
    assert viewer.get(page(key)).status_code == 200
    assert APIKey.objects.count() == 1


def test_posts_without_a_csrf_token_change_nothing(browser, staff, key):
    strict = browser(staff, enforce_csrf_checks=True)
    assert strict.post(ADD, fields(key.user)).status_code == 403
    assert strict.post(f"{LIST}{key.pk}/revoke/").status_code == 403
    assert APIKey.objects.get().revoked_at is None


def test_keys_are_never_deleted_here(desk, key):
    assert desk.post(f"{LIST}{key.pk}/delete/", {"post": "yes"}).status_code == 403
    desk.post(LIST, {"action": "delete_selected", "_selected_action": [key.pk], "post": "yes"})
    assert APIKey.objects.count() == 1


def test_a_user_with_keys_can_be_deleted(browser, person, key):
    root = browser(person("root", is_staff=True, is_superuser=True))
    root.post(f"/admin/auth/user/{key.user_id}/delete/", {"post": "yes"})
    assert not APIKey.objects.exists()


def test_list_names_each_state_in_words(desk, clerk, person):
    now = timezone.now()
    keys.issue(name="one", user=clerk)
    keys.issue(name="two", user=clerk, expires_at=now - timedelta(seconds=1))
    keys.revoke(keys.issue(name="three", user=clerk)[0])
    keys.issue(name="four", user=person("left", is_active=False))
    keys.revoke(keys.issue(name="five", user=User.objects.get(username="left"))[0])
    body = desk.get(LIST).content.decode()
    states = re.findall(r'field-state">([^<]+)<', body)
    assert sorted(states) == ["active", "expired", "revoked", "revoked", "user inactive"]
    for state, names in (
        ("active", ["one"]), ("expired", ["two"]), ("revoked", ["five", "three"]), ("user inactive", ["four"]),
    ):  # fmt: skip
        filtered = desk.get(LIST, {"state": state}).content.decode()
        assert sorted(re.findall(r'field-named"><a [^>]*>(\w+)<', filtered)) == names
        assert set(re.findall(r'field-state">([^<]+)<', filtered)) == {state}


def test_list_finds_by_name_prefix_and_user(desk, key):
    keys.issue(name="unrelated", user=User.objects.get(username="staff"))
    for term in ("agent", key.prefix, "clerk"):
        found = re.findall(r'field-named"><a [^>]*>(\w+)<', desk.get(LIST, {"q": term}).content.decode())
        assert found == ["agent"]


def test_list_takes_the_same_queries_for_many_users(desk, person, django_assert_max_num_queries):
    for number in range(30):
        keys.issue(name="agent", user=person(f"user{number}"), highest_safety=Safety.WRITE)
    with django_assert_max_num_queries(8):
        desk.get(LIST)


def test_who_may_not_see_users_types_an_id(desk, browser, person):
    assert b"vForeignKeyRawIdAdminField" in desk.get(ADD).content
    seeing = browser(person("seeing", "add_apikey", "auth.view_user", is_staff=True))
    assert b"admin-autocomplete" in seeing.get(ADD).content


def test_key_page_of_one_who_may_only_look_has_no_form(browser, person, key):
    viewer = browser(person("viewer", "view_apikey", is_staff=True))
    body = viewer.get(page(key)).content
    assert b'name="all_groups"' not in body
    assert b"/revoke/" not in body


def test_revoking_what_does_not_exist_is_not_found(desk):
    assert desk.post(f"{LIST}999/revoke/").status_code == 404


def test_state_of_a_key_whose_user_is_inactive(desk, key):
    User.objects.filter(pk=key.user_id).update(is_active=False)
    assert b"user inactive" in desk.get(LIST).content


def test_groups_of_host_tools_can_be_chosen(desk, declaring):
    assert b'value="desk"' in desk.get("/admin/django_mcp/apikey/add/").content


@pytest.fixture
def keeper(person):
    """Someone who keeps keys, without the permission to issue for others and without power over the business."""
    return person("keeper", "add_apikey", "change_apikey", "view_apikey", is_staff=True)


def test_whoever_keeps_keys_cannot_become_a_peer(browser, keeper, person):
    peer = person("peer", is_staff=True)
    for victim in (peer, person("plain")):
        response = browser(keeper).post(ADD, fields(victim))
        assert b"keys for yourself only" in response.content
    assert not APIKey.objects.exists()


def test_whoever_keeps_keys_may_issue_their_own(browser, keeper):
    desk = browser(keeper)
    assert f'value="{keeper.pk}"' in desk.get(ADD).content.decode()
    desk.post(ADD, fields(keeper))
    assert APIKey.objects.get().user == keeper


def test_limits_of_a_peers_key_take_the_same_permission(browser, keeper, key):
    desk = browser(keeper)
    assert desk.post(page(key), fields(key.user, all_groups="on")).status_code == 403
    assert not APIKey.objects.get().all_groups
    own, _ = keys.issue(name="own", user=keeper)
    desk.post(page(own), fields(keeper, name="own", all_groups="on", groups=[]))
    assert APIKey.objects.get(pk=own.pk).all_groups


def test_permission_to_issue_for_others_gives_no_power_over_the_stronger(desk, person):
    assert b"more power than you" in desk.post(ADD, fields(person("boss", "coffee_shop.delete_order"))).content
    assert not APIKey.objects.exists()


def word(response):
    return re.search(r'name="once" value="([\w-]+)"', response.content.decode())[1]


def test_reload_of_the_created_page_issues_no_second_key(desk, clerk):
    sent = fields(clerk, once=word(desk.get(ADD)))
    secret = secret_of(desk.post(ADD, sent))
    again = desk.post(ADD, sent, follow=True)
    assert APIKey.objects.count() == 1
    assert again.redirect_chain == [(page(APIKey.objects.get()), 302)]
    body = again.content.decode()
    assert "created already, and its secret is shown once only" in body
    assert secret not in body
    assert secret not in str([row.get_decoded() for row in Session.objects.all()])


def test_each_form_issues_a_key_of_its_own(desk, clerk):
    for _ in range(25):
        desk.post(ADD, fields(clerk, once=word(desk.get(ADD))))
    assert APIKey.objects.count() == 25
    (spent,) = [row.get_decoded()["django_mcp_spent_forms"] for row in Session.objects.all()]
    assert len(spent) == 20


def test_form_that_was_refused_can_be_sent_again(desk, clerk):
    once = word(desk.get(ADD))
    refused = desk.post(ADD, fields(clerk, name="", once=once))
    assert word(refused) == once
    desk.post(ADD, fields(clerk, once=once))
    assert APIKey.objects.count() == 1


def test_created_page_has_a_header_to_copy(desk, clerk):
    response = desk.post(ADD, fields(clerk))
    assert f"<code>Authorization: Bearer {secret_of(response)}</code>" in response.content.decode()


def test_list_shows_mode_and_expiry(desk, clerk):
    keys.issue(name="one", user=clerk, mode=ApprovalMode.REJECT, expires_at=timezone.now() + timedelta(days=9))
    keys.issue(name="two", user=clerk)
    body = desk.get(LIST).content.decode()
    cells = re.findall(r'field-safety_and_mode">(\w+)<div class="help">([^<]+)<', body)
    assert sorted(cells) == [("ReadOnly", "As what it calls"), ("ReadOnly", "Reject")]
    expiry = [re.sub("<[^>]*>", "", cell) for cell in re.findall(r'field-shown_expiry">(.*?)</td>', body)]
    assert f"{timezone.localtime(APIKey.objects.get(name='one').expires_at):%Y-%m-%d %H:%M}" in expiry
    assert "never" in expiry


def test_who_may_only_look_reads_limits_in_words(browser, person, clerk):
    viewer = browser(person("viewer", "view_apikey", is_staff=True))
    wide, _ = keys.issue(name="wide", user=clerk, groups=["barista", "coffee-shop"])
    narrow, _ = keys.issue(name="narrow", user=clerk, all_groups=True, permissions=["coffee_shop.add_order"])
    none, _ = keys.issue(name="none", user=clerk, permissions=[])
    said = [re.findall(r'<div class="readonly">(.*?)</div>', viewer.get(page(key)).content.decode()) for key in
            (wide, narrow, none)]  # fmt: skip
    assert {"barista, coffee-shop", "not narrowed", "As what it calls", "never"} <= set(said[0])
    assert {"all", "coffee_shop.add_order"} <= set(said[1])
    assert "narrowed to none" in said[2]


def test_safety_has_the_words_of_the_wire_everywhere(desk, key):
    body = desk.get(ADD).content.decode() + desk.get(LIST).content.decode()
    assert "ReadOnly" in body
    assert "read only" not in body


def test_page_of_a_revoked_key_says_when_it_ended(desk, key):
    assert "shown_end" not in desk.get(page(key)).content.decode()
    keys.revoke(key)
    ended = APIKey.objects.get().revoked_at
    field = desk.get(page(key)).content.decode().split("field-shown_end")[1]
    assert f"{timezone.localtime(ended):%Y-%m-%d %H:%M:%S}" in re.sub("<[^>]*>", "", field)


def test_key_without_a_group_is_said_to_reach_nothing(desk, clerk):
    response = desk.post(ADD, fields(clerk, groups=None))
    assert b"It reaches nothing yet" in response.content
    assert "none: reaches nothing" in desk.get(LIST).content.decode()
    assert b"It reaches nothing yet" not in desk.post(ADD, fields(clerk)).content
