"""The list of keys, and what a key's page shows of it."""

import re
from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from django_mcp.access import keys
from django_mcp.choices import ApprovalMode, Safety
from django_mcp.models import APIKey
from tests.admin.key_pages import ADD, LIST, page


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
        names = re.findall(r'field-named"><a [^>]*>(\w+)<', desk.get(LIST, {"q": term}).content.decode())
        assert names == ["agent"]


def test_list_takes_the_same_queries_for_many_users(desk, person, django_assert_max_num_queries):
    for number in range(30):
        keys.issue(name="agent", user=person(f"user{number}"), highest_safety=Safety.WRITE)
    with django_assert_max_num_queries(8):
        desk.get(LIST)


def test_state_of_a_key_whose_user_is_inactive(desk, key):
    User.objects.filter(pk=key.user_id).update(is_active=False)
    assert b"user inactive" in desk.get(LIST).content


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
    values = [re.findall(r'<div class="readonly">(.*?)</div>', viewer.get(page(key)).content.decode()) for key in
            (wide, narrow, none)]  # fmt: skip
    assert {"barista, coffee-shop", "not narrowed", "As what it calls", "never"} <= set(values[0])
    assert {"all", "coffee_shop.add_order"} <= set(values[1])
    assert "narrowed to none" in values[2]


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
