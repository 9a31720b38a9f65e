"""A key that exists is narrowed or widened, and revoked; it is never deleted."""

import re

from django.contrib.auth.models import User

from django_mcp.access import keys
from django_mcp.choices import EventKind
from django_mcp.models import APIKey, AuditEvent
from tests.admin.key_pages import LIST, fields, page
from tests.admin.pages import save


def test_limits_change_with_an_event_and_nothing_else_does(desk, key, staff):
    save(desk, page(key), fields(staff, name="agent", groups=[], all_groups="on", highest_safety="Destructive"))
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
    save(desk, page(key), fields(clerk, narrowed="on", name="renamed"))
    assert APIKey.objects.values_list("name", "permissions").get() == ("renamed", [])


def test_group_that_is_gone_stays_on_the_key_until_unticked(desk, clerk):
    key, _ = keys.issue(name="agent", user=clerk, groups=["gone"])
    assert b"gone (not in the catalog)" in desk.get(page(key)).content
    save(desk, page(key), fields(clerk, groups=["gone"], name="renamed"))
    assert APIKey.objects.values_list("name", "groups").get() == ("renamed", ["gone"])


def test_limits_of_a_stronger_users_key_cannot_be_changed(desk, key):
    User.objects.filter(pk=key.user_id).update(is_superuser=True)
    assert desk.post(page(key), fields(key.user, all_groups="on")).status_code == 403
    assert not APIKey.objects.get().all_groups
    assert desk.get(page(key)).status_code == 200


def test_revoked_key_cannot_be_changed(desk, key):
    keys.revoke(key)
    assert desk.post(page(key), fields(key.user, all_groups="on")).status_code == 403


def test_saving_limits_does_not_undo_a_revocation_meanwhile(key):
    keys.revoke(APIKey.objects.get())
    key.name = "renamed"
    keys.save_limits(key)
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


def test_revoking_what_does_not_exist_is_not_found(desk):
    assert desk.post(f"{LIST}999/revoke/").status_code == 404


def test_keys_are_never_deleted_here(desk, key):
    assert desk.post(f"{LIST}{key.pk}/delete/", {"post": "yes"}).status_code == 403
    desk.post(LIST, {"action": "delete_selected", "_selected_action": [key.pk], "post": "yes"})
    assert APIKey.objects.count() == 1


def test_a_user_with_keys_can_be_deleted(browser, person, key):
    root = browser(person("root", is_staff=True, is_superuser=True))
    root.post(f"/admin/auth/user/{key.user_id}/delete/", {"post": "yes"})
    assert not APIKey.objects.exists()
