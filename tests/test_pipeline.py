"""The stages of a call in their order, seen through the endpoint."""

import pytest
from django.db import DatabaseError

from demo_project.coffee_shop.models import Order
from django_mcp.errors import Unavailable
from django_mcp.models import AuditEvent, Confirmation, ServerSettings, ToolGroup, ToolRule
from django_mcp.redaction import MASK

MENU = "GetCoffeeShopMenu"
PRICE = "PreviewCoffeeShopOrder"
CREATE = "CreateCoffeeShopOrder"
UPDATE = "UpdateCoffeeShopOrder"
CANCEL = "CancelCoffeeShopOrder"
GET = "GetCoffeeShopOrder"
LATTES = {"customer_name": "Sam", "items": [{"product_id": 7, "size": "Grande", "quantity": 2}]}


def kinds():
    return list(AuditEvent.objects.order_by("id").values_list("kind", flat=True))[1:]


@pytest.fixture
def order(mcp):
    """An order of Sam's, placed over MCP."""
    return mcp.write(CREATE, LATTES)["response"]


def test_a_read_runs_at_once(mcp):
    answer = mcp.tool("api_read", {"name": MENU, "args": {"search": "oat"}})
    assert answer["status"] == "success"
    assert answer["httpStatus"] == 200
    assert [row["id"] for row in answer["response"]["results"]] == [7]


def test_a_declared_read_runs_at_once_over_post(mcp):
    answer = mcp.tool("api_read", {"name": PRICE, "args": LATTES})
    assert answer["response"]["total"] == "11.00"
    assert not Confirmation.objects.exists()


def test_a_write_without_a_token_runs_nothing(mcp):
    answer = mcp.call(CREATE, LATTES)
    assert answer["status"] == "requires_confirmation"
    assert answer["safety"] == "Write"
    assert answer["expiresInSeconds"] == 300
    assert answer["args"] == LATTES
    assert "Sam" in answer["summary"]
    assert "2 items" in answer["summary"]
    assert "call api_call again" in answer["instruction"]
    assert not Order.objects.filter(user__username="sam").exists()
    assert kinds() == ["token_issued"]


def test_the_same_call_with_the_token_runs_once(mcp):
    token = mcp.propose(CREATE, LATTES)
    answer = mcp.call(CREATE, LATTES, confirmationToken=token)
    assert (answer["status"], answer["httpStatus"], answer["response"]["total"]) == ("success", 201, "11.00")
    assert answer["response"]["id"] == 1042
    again = mcp.call(CREATE, LATTES, confirmationToken=token)
    assert again["code"] == "confirmation_used"
    assert again["error"].startswith("Confirmation token has already been used.")
    assert again["outcome"]["response"]["id"] == 1042
    assert Order.objects.filter(user__username="sam").count() == 1
    assert kinds() == ["token_issued", "token_consumed", "executed", "token_refused"]
    assert Confirmation.objects.get().state == "succeeded"


def test_a_changed_argument_is_named(mcp):
    token = mcp.propose(CREATE, LATTES)
    changed = {**LATTES, "items": [{**LATTES["items"][0], "quantity": 3}]}
    answer = mcp.call(CREATE, changed, confirmationToken=token)
    assert (answer["code"], answer["changed"]) == ("arguments_changed", ["items[0].quantity"])
    assert mcp.call(CREATE, LATTES, confirmationToken=token)["status"] == "success"


def test_the_kept_arguments_run_where_none_are_sent(mcp):
    token = mcp.propose(CREATE, LATTES)
    assert mcp.call(CREATE, confirmationToken=token)["response"]["total"] == "11.00"


def test_saying_yes_confirms_nothing(mcp):
    for yes in ("yes", "true", True, "confirmed", ""):
        assert mcp.call(CREATE, LATTES, confirmationToken=yes)["status"] == "requires_confirmation"
    assert mcp.call(CREATE, {**LATTES, "confirm": True})["status"] == "requires_confirmation"
    assert mcp.call(CREATE, LATTES, confirm=True)["status"] == "requires_confirmation"


def test_a_token_inside_the_arguments_is_found(mcp):
    token = mcp.propose(CREATE, LATTES)
    assert mcp.call(CREATE, {**LATTES, "confirmationToken": f" `{token}` "})["status"] == "success"


def test_what_the_view_would_refuse_is_not_proposed(mcp):
    bad = {**LATTES, "items": [{"product_id": 999, "size": "Grande", "quantity": 2}]}
    answer = mcp.call(CREATE, bad)
    assert (answer["code"], answer["httpStatus"]) == ("validation_error", 400)
    assert "999" in answer["error"]
    assert not Confirmation.objects.exists()
    assert kinds() == ["call_refused"]


def test_another_users_row_is_not_found_in_the_preview(mcp):
    answer = mcp.call(CANCEL, {"id": 1001})
    assert (answer["code"], answer["httpStatus"]) == ("not_found", 404)
    assert "preview" not in answer


def test_a_change_shows_what_was_and_what_will_be(mcp, order):
    answer = mcp.call(UPDATE, {"id": order["id"], "customer_name": "Samantha"})
    assert {"field": "customer_name", "from": "Sam", "to": "Samantha"} in answer["preview"]["changes"]


def test_a_row_that_changed_since_it_was_shown_is_not_touched(mcp, order):
    args = {"id": order["id"], "customer_name": "Samantha"}
    token = mcp.propose(UPDATE, args)
    Order.objects.filter(pk=order["id"]).update(customer_name="Elsewhere")
    answer = mcp.call(UPDATE, args, confirmationToken=token)
    assert answer["code"] == "target_changed"
    assert {"field": "customer_name", "from": "Elsewhere", "to": "Samantha"} in answer["preview"]["changes"]
    assert Order.objects.get(pk=order["id"]).customer_name == "Elsewhere"


def test_a_delete_is_destructive_and_runs_once(mcp, order):
    token = mcp.propose(CANCEL, {"id": order["id"]})
    assert mcp.call(CANCEL, {"id": order["id"]}, confirmationToken=token)["httpStatus"] == 204
    again = mcp.call(CANCEL, {"id": order["id"]}, confirmationToken=token)
    assert (again["code"], again["outcome"]["httpStatus"]) == ("confirmation_used", 204)


def test_mode_reject_refuses(mcp):
    ToolGroup.objects.filter(name="coffee-shop").update(approval_mode="reject")
    assert mcp.call(CREATE, LATTES)["code"] == "approval_required"
    assert mcp.tool("api_read", {"name": MENU, "args": {}})["status"] == "success"


def test_a_mode_made_stricter_after_the_proposal_holds(mcp):
    token = mcp.propose(CREATE, LATTES)
    ToolGroup.objects.filter(name="coffee-shop").update(approval_mode="reject")
    assert mcp.call(CREATE, LATTES, confirmationToken=token)["code"] == "approval_required"
    assert not Order.objects.filter(user__username="sam").exists()


def test_mode_review_lets_no_agent_through(mcp):
    token = mcp.propose(CREATE, LATTES)
    ToolGroup.objects.filter(name="coffee-shop").update(approval_mode="review")
    assert mcp.call(CREATE, LATTES)["code"] == "approval_required"
    assert mcp.call(CREATE, LATTES, confirmationToken=token)["code"] == "approval_required"


def test_a_delegated_write_runs_at_once_and_is_on_the_record(mcp):
    ToolGroup.objects.filter(name="coffee-shop").update(approval_mode="delegate_to_client")
    assert mcp.call(CREATE, LATTES)["httpStatus"] == 201
    row = Confirmation.objects.get()
    assert (row.state, row.mode) == ("succeeded", "delegate_to_client")
    assert kinds()[-1] == "executed"


def test_writes_are_switched_off_at_once(mcp):
    token = mcp.propose(CREATE, LATTES)
    row = ServerSettings.load()
    row.writes_enabled = False
    row.save()
    for answer in (mcp.call(CREATE, LATTES), mcp.call(CREATE, LATTES, confirmationToken=token)):
        assert answer["code"] == "unavailable"
        assert answer["error"].startswith("Writes are switched off.")
    row.writes_enabled = True
    row.save()
    assert mcp.call(CREATE, LATTES, confirmationToken=token)["status"] == "success"


def test_a_read_can_be_made_to_ask(mcp):
    ToolRule.objects.create(name=MENU, requires_approval=True)
    assert mcp.tool("api_read", {"name": MENU, "args": {}})["error"].endswith("use api_call.")
    assert mcp.write(MENU, {})["httpStatus"] == 200


def test_a_store_that_fails_before_execution_runs_nothing(mcp, monkeypatch):
    token = mcp.propose(CREATE, LATTES)

    def broken(*_args, **_kwargs):
        raise DatabaseError("gone")

    with monkeypatch.context() as patch:
        patch.setattr("django_mcp.models.confirmations.ConfirmationQuerySet.update", broken)
        answer = mcp.call(CREATE, LATTES, confirmationToken=token)
    assert answer["code"] == "unavailable"
    assert mcp.call(CREATE, LATTES, confirmationToken=token)["status"] == "success"


def test_a_proposal_that_cannot_be_stored_is_unavailable(mcp, monkeypatch):
    def broken(*_args, **_kwargs):
        raise DatabaseError("secret dsn")

    monkeypatch.setattr("django_mcp.approval.confirmations.propose", broken)
    answer = mcp.call(CREATE, LATTES)
    assert answer["code"] == "unavailable"
    assert "secret" not in str(answer)


def test_a_bug_of_ours_becomes_an_error_id(mcp, monkeypatch, caplog):
    def broken(*_args, **_kwargs):
        raise RuntimeError("secret path")

    monkeypatch.setattr("django_mcp.execution.preflight.examine", broken)
    answer = mcp.call(CREATE, LATTES)
    assert answer["code"] == "internal_error"
    assert "secret" not in str(answer)
    assert answer["errorId"] in caplog.text


def test_secrets_in_the_arguments_are_in_no_row(mcp):
    answer = mcp.call(CREATE, {**LATTES, "password": "hunter2"})
    assert answer["code"] == "validation_error"
    token = mcp.propose(CREATE, {**LATTES, "customer_name": "ak-abcdefghijkl"})
    row = Confirmation.objects.get()
    assert "ak-abcdefghijkl" not in str((row.arguments, row.summary))
    assert MASK in str(row.arguments)
    assert token not in str(list(AuditEvent.objects.values())) + str(Confirmation.objects.values().get())


def test_reads_are_on_the_record_where_asked(mcp, settings):
    settings.DJANGO_MCP = {"AUDIT_READS": True}
    mcp.tool("api_read", {"name": MENU, "args": {}})
    assert kinds() == ["read"]


def test_an_unknown_tool_is_the_protocols_business(mcp):
    assert mcp.rpc("tools/call", {"name": "nope", "arguments": {}})["error"]["code"] == -32602


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        ({}, "name must be"),
        ({"name": MENU, "args": [1]}, "JSON object"),
        ({"name": MENU, "args": "{a:1"}, "JSON object"),
        ({"name": MENU, "serch": "x"}, "inside args"),
    ],
)
def test_a_malformed_call_says_what_to_send(mcp, arguments, hint):
    answer = mcp.tool("api_call", arguments)
    assert answer["code"] == "validation_error"
    assert hint in answer["error"]


def test_arguments_may_come_as_json_text(mcp):
    assert mcp.call(MENU, '{"search": "oat"}')["response"]["count"] == 1


def test_follow_ups_are_named(mcp):
    assert GET in mcp.write(CREATE, LATTES)["next"]


def test_a_token_runs_once_also_where_none_is_needed_any_more(mcp):
    token = mcp.propose(CREATE, LATTES)
    ToolGroup.objects.filter(name="coffee-shop").update(approval_mode="delegate_to_client")
    changed = {**LATTES, "customer_name": "Mallory"}
    assert mcp.call(CREATE, changed, confirmationToken=token)["code"] == "arguments_changed"
    assert mcp.call(CREATE, LATTES, confirmationToken=token)["status"] == "success"
    assert mcp.call(CREATE, LATTES, confirmationToken=token)["code"] == "confirmation_used"
    assert mcp.call(CREATE, LATTES, confirmationToken="mcp_cf_a.b.c")["status"] == "error"
    assert Order.objects.filter(user__username="sam").count() == 1


def test_a_token_of_one_host_name_is_not_redeemed_under_another(mcp, settings):
    settings.ALLOWED_HOSTS = ["acme.example.com", "globex.example.com"]
    mcp.headers["Host"] = "acme.example.com"
    token = mcp.propose(CREATE, LATTES)
    mcp.headers["Host"] = "globex.example.com"
    answer = mcp.call(CREATE, LATTES, confirmationToken=token)
    assert (answer["code"], answer["changed"]) == ("arguments_changed", ["the host name of the server"])


def test_what_is_done_is_never_answered_as_not_done(mcp, monkeypatch):
    def broken(*_args, **_kwargs):
        raise RecursionError

    token = mcp.propose(CREATE, LATTES)
    monkeypatch.setattr("django_mcp.tools.answers.success", broken)
    answer = mcp.call(CREATE, LATTES, confirmationToken=token)
    assert (answer["status"], answer["httpStatus"]) == ("success", 201)
    assert "Do not repeat it" in answer["warnings"][0]
    assert Confirmation.objects.get().state == "succeeded"


def test_a_listener_that_breaks_after_the_fact_changes_no_answer(mcp, monkeypatch):
    from django_mcp.approval import transitions
    from django_mcp.signals import confirmation_settled

    def broken(*_args, **_kwargs):
        raise Unavailable("gone")

    def listener(**_kwargs):
        raise RuntimeError

    token = mcp.propose(CREATE, LATTES)
    read = transitions.read
    confirmation_settled.connect(listener)
    monkeypatch.setattr(
        transitions, "read", lambda jti: read(jti) if Confirmation.objects.get().settled_at is None else broken()
    )
    try:
        assert mcp.call(CREATE, LATTES, confirmationToken=token)["status"] == "success"
    finally:
        confirmation_settled.disconnect(listener)


def test_what_the_host_says_of_a_value_is_not_in_the_record(mcp):
    bad = {**LATTES, "items": [{"product_id": 7, "size": "Grande", "quantity": 2, "options": ["hunter2"]}]}
    answer = mcp.call(CREATE, bad)
    assert "hunter2" in answer["error"]
    detail = AuditEvent.objects.latest("id").detail
    assert detail["code"] == "validation_error"
    assert "text" not in detail


def test_consent_in_words_is_named_as_ignored(mcp):
    answer = mcp.call(CREATE, {**LATTES, "confirm": True})
    assert any('"confirm" confirms nothing' in warning for warning in answer["warnings"])


def test_the_hosts_own_state_is_compared(mcp, order):
    from dataclasses import replace

    from django_mcp.catalog.discovery import get_catalog

    version = ["v1"]
    operation = get_catalog().get(UPDATE)
    hints = replace(operation.hints, state=lambda caller, arguments: {"version": version[0]})
    object.__setattr__(operation, "hints", hints)
    args = {"id": order["id"], "customer_name": "Samantha"}
    try:
        token = mcp.propose(UPDATE, args)
        version[0] = "v2"
        assert mcp.call(UPDATE, args, confirmationToken=token)["code"] == "target_changed"
        version[0] = "v1"
        assert mcp.call(UPDATE, args, confirmationToken=token)["status"] == "success"
    finally:
        object.__setattr__(operation, "hints", replace(hints, state=None))
