"""Who may issue, change and revoke keys, and for whom."""

import pytest

from django_mcp.access import keys
from django_mcp.models import APIKey
from tests.admin.key_pages import ADD, LIST, fields, page
from tests.admin.pages import save


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


def test_key_page_of_one_who_may_only_look_has_no_form(browser, person, key):
    viewer = browser(person("viewer", "view_apikey", is_staff=True))
    body = viewer.get(page(key)).content
    assert b'name="all_groups"' not in body
    assert b"/revoke/" not in body


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
    save(desk, page(own), fields(keeper, name="own", all_groups="on", groups=[]))
    assert APIKey.objects.get(pk=own.pk).all_groups


def test_permission_to_issue_for_others_gives_no_power_over_the_stronger(desk, person):
    assert b"more power than you" in desk.post(ADD, fields(person("boss", "coffee_shop.delete_order"))).content
    assert not APIKey.objects.exists()
