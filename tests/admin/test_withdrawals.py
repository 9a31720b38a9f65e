"""An open confirmation has a form that withdraws it."""

import pytest
from django.db import connection

from django_mcp.choices import EventKind
from django_mcp.models import AuditEvent, Confirmation
from tests.admin.pages import form, notices
from tests.admin.test_records import CONFIRMATIONS, make

__all__ = ["make"]


def url(row, view):
    return f"{CONFIRMATIONS}{row.jti}/{view}/"


@pytest.fixture
def row(make):
    return make(state="issued", outcome=None)


def test_a_confirmation_is_withdrawn_with_who_and_why(desk, row):
    fields = form(desk, url(row, "change"), "reason", "withdraw")
    response = desk.post(url(row, "withdraw"), {**fields, "reason": "duplicate"})
    assert notices(desk, response) == ["The confirmation was withdrawn. It will never run."]
    assert Confirmation.objects.values_list("state", "decided_by", "reason").get() == ("revoked", "staff", "duplicate")
    event = AuditEvent.objects.get()
    assert (event.kind, event.username, event.confirmation) == (EventKind.WITHDRAWN, "staff", row.jti)
    body = desk.get(url(row, "change")).content.decode()
    assert "duplicate" in body
    assert "Withdrawn, it never runs" not in body


@pytest.mark.parametrize("state", ["executing", "succeeded", "revoked", "expired"])
def test_what_is_not_open_has_no_form_and_is_left_alone(desk, make, state):
    row = make(state=state)
    assert "Withdrawn, it never runs" not in desk.get(url(row, "change")).content.decode()
    assert "no longer open" in notices(desk, desk.post(url(row, "withdraw")))[0]
    assert Confirmation.objects.get().state == state


def test_it_takes_the_permission_to_change_confirmations(browser, person, row):
    viewer = browser(person("viewer", "view_confirmation", is_staff=True))
    assert "Withdrawn, it never runs" not in viewer.get(url(row, "change")).content.decode()
    assert viewer.post(url(row, "withdraw")).status_code == 403
    assert Confirmation.objects.get().state == "issued"


def test_no_get_and_no_post_without_a_csrf_token_withdraws(browser, staff, desk, row):
    assert desk.get(url(row, "withdraw")).status_code == 302
    assert browser(staff, enforce_csrf_checks=True).post(url(row, "withdraw")).status_code == 403
    assert Confirmation.objects.get().state == "issued"


def test_a_reason_that_is_too_long_withdraws_nothing(desk, row):
    assert "Nothing was withdrawn" in notices(desk, desk.post(url(row, "withdraw"), {"reason": "x" * 501}))[0]
    assert Confirmation.objects.get().state == "issued"


@pytest.mark.django_db(transaction=True)
def test_it_works_where_each_request_is_a_transaction(desk, row, monkeypatch):
    monkeypatch.setitem(connection.settings_dict, "ATOMIC_REQUESTS", True)
    desk.post(url(row, "withdraw"))
    assert Confirmation.objects.get().state == "revoked"


def test_bidirectional_text_of_an_agent_does_not_reorder_the_page(desk, make):
    row = make(summary="Order for Sam\u202e000,1 :metI\u202c x", tool="a\u202eb")
    assert "\u202e" not in desk.get(url(row, "change")).content.decode().split("Timeline")[0].split("Arguments")[0]
