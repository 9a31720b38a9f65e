"""The form of a new key, and the one page that shows its secret."""

import re

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.sessions.models import Session
from django.utils import timezone

from django_mcp.access import keys
from django_mcp.choices import EventKind
from django_mcp.models import APIKey, AuditEvent
from tests.admin.key_pages import ADD, LIST, fields, page, secret_of


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


def test_who_may_not_see_users_types_an_id(desk, browser, person):
    assert b"vForeignKeyRawIdAdminField" in desk.get(ADD).content
    seeing = browser(person("seeing", "add_apikey", "auth.view_user", is_staff=True))
    assert b"admin-autocomplete" in seeing.get(ADD).content


def test_groups_of_host_tools_can_be_chosen(desk, declaring):
    assert b'value="desk"' in desk.get("/admin/django_mcp/apikey/add/").content


def test_created_page_has_a_header_to_copy(desk, clerk):
    response = desk.post(ADD, fields(clerk))
    assert f"<code>Authorization: Bearer {secret_of(response)}</code>" in response.content.decode()


def test_key_without_a_group_is_said_to_reach_nothing(desk, clerk):
    response = desk.post(ADD, fields(clerk, groups=None))
    assert b"It reaches nothing yet" in response.content
    assert "none: reaches nothing" in desk.get(LIST).content.decode()
    assert b"It reaches nothing yet" not in desk.post(ADD, fields(clerk)).content


def token_of(response):
    return re.search(r'name="once" value="([\w-]+)"', response.content.decode())[1]


def test_reload_of_the_created_page_issues_no_second_key(desk, clerk):
    sent = fields(clerk, once=token_of(desk.get(ADD)))
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
        desk.post(ADD, fields(clerk, once=token_of(desk.get(ADD))))
    assert APIKey.objects.count() == 25
    (spent,) = [row.get_decoded()["django_mcp_spent_forms"] for row in Session.objects.all()]
    assert len(spent) == 20


def test_form_that_was_refused_can_be_sent_again(desk, clerk):
    token = token_of(desk.get(ADD))
    refused = desk.post(ADD, fields(clerk, name="", once=token))
    assert token_of(refused) == token
    desk.post(ADD, fields(clerk, once=token))
    assert APIKey.objects.count() == 1
