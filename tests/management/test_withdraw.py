"""`mcp withdraw`."""

import uuid

import pytest

from django_mcp.access import keys
from django_mcp.choices import EventKind, Safety
from django_mcp.models import AuditEvent, Confirmation
from tests.management.command import fails, run

pytestmark = pytest.mark.django_db
ORDER = {"customer_name": "Sam", "items": [{"product_id": 7, "size": "Grande", "quantity": 2, "options": []}]}


def propose(mcp):
    return mcp.propose("CreateCoffeeShopOrder", ORDER)


def test_a_withdrawn_confirmation_is_declined_over_the_endpoint(mcp):
    token = propose(mcp)
    row = Confirmation.objects.get()
    assert run("withdraw", str(row.jti), "--reason", "wrong customer") == "Withdrew 1 confirmation.\n"
    answer = mcp.call("CreateCoffeeShopOrder", ORDER, confirmationToken=token)
    assert (answer["status"], answer["code"], answer["by"]) == ("error", "declined", "manage.py mcp")
    event = AuditEvent.objects.get(kind=EventKind.WITHDRAWN)
    assert event.detail == {"by": "manage.py mcp", "reason": "wrong customer"}
    assert Confirmation.objects.get().state == "revoked"


def test_all_of_a_key_are_withdrawn_and_no_others(mcp, django_user_model):
    for _ in range(2):
        propose(mcp)
    key = Confirmation.objects.first().key_id
    other, _ = keys.issue(name="other", user=django_user_model.objects.create_user("pat"), highest_safety=Safety.WRITE)
    Confirmation.objects.filter(pk=Confirmation.objects.first().pk).update(subject=f"key:{other.pk}")
    assert run("withdraw", "--key", str(key)) == "Withdrew 1 confirmation.\n"
    assert sorted(Confirmation.objects.values_list("subject", "state")) == sorted(
        [(f"key:{key}", "revoked"), (f"key:{other.pk}", "issued")]
    )
    assert run("withdraw", "--key", str(key)) == "Withdrew 0 confirmations.\n"


def test_errors_are_one_line_and_name_what_is_wrong(mcp):
    propose(mcp)
    jti = str(Confirmation.objects.get().jti)
    assert "no id of a confirmation" in fails("withdraw", "nonsense", jti)
    assert Confirmation.objects.get().state == "issued"
    assert "There is no key" in fails("withdraw", "--key", "999")
    assert "--key" in fails("withdraw")
    assert "--key" in fails("withdraw", jti, "--key", "1")
    gone = str(uuid.uuid4())
    assert fails("withdraw", jti, gone) == f"Withdrew 1. Not open: {gone} (unknown)."
    assert fails("withdraw", jti) == f"Withdrew 0. Not open: {jti} (revoked)."
