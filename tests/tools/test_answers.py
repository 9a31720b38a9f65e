from dataclasses import replace
from types import SimpleNamespace

import pytest

from django_mcp.choices import Safety, State
from django_mcp.replies import Reply, ViewReply
from django_mcp.tools.answers import ToolResult, error_of, failure, outcome_of, success
from django_mcp.types import Argument, Operation, OperationCall, Outcome

# None of these operations has follow-ups or files, for which a caller's reach would be asked.
REACH = SimpleNamespace(context=None)


@pytest.fixture
def call():
    operation = Operation(
        name="order_create",
        method="POST",
        route="/orders/",
        safety=Safety.WRITE,
        requires_approval=False,
        group="orders",
        callback=print,
        view_class=object,
        handler="create",
    )
    return OperationCall(
        tool="api_call",
        target="order_create",
        safety=Safety.WRITE,
        requires_approval=False,
        group="orders",
        operation=operation,
        sent={"pin": 1, "password": "x"},
        sensitive=frozenset({"pin"}),
    )


def test_a_success_echoes_what_was_sent_without_its_secrets(call):
    result = success(call, ViewReply(status=201, data={"id": 1}), REACH)
    assert result.structured["request"] == {"pin": "********", "password": "********"}
    assert result.structured["next"] == []
    assert not result.is_error


def test_notes_and_a_redirects_location_are_told(call):
    structured = success(call, ViewReply(status=302, notes=("Page 1 of 2.",), location="/there/"), REACH).structured
    assert structured["warnings"] == ["Page 1 of 2."]
    assert structured["location"] == "/there/"


def test_a_result_that_is_too_long_says_how_to_go_on(call, settings):
    settings.DJANGO_MCP = {"MAX_RESULT_LENGTH": 200}
    structured = success(call, ViewReply(status=200, data=[{"id": number} for number in range(100)]), REACH).structured
    assert structured["truncated"] is True
    assert "of 100 rows" in structured["warnings"][0]
    assert structured["warnings"][0].endswith("The operation has no arguments to ask for less.")


def test_what_was_cut_is_reached_by_the_operations_own_arguments(call, settings):
    settings.DJANGO_MCP = {"MAX_RESULT_LENGTH": 200}
    placement = {name: Argument(location="query", wire=name) for name in ("limit", "offset", "status")}
    rows = [{"id": number} for number in range(100)]
    paged = success(replace(call, placement=placement), ViewReply(status=200, data=rows), REACH).structured
    assert paged["warnings"][0].endswith("with limit and offset.")
    placement = {"status": placement["status"]}
    filtered = success(replace(call, placement=placement), ViewReply(status=200, data=rows), REACH).structured
    assert filtered["warnings"][0].endswith("Narrow with status.")


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (400, "validation_error"),
        (401, "permission_denied"),
        (403, "permission_denied"),
        (404, "not_found"),
        (409, "conflict"),
        (412, "conflict"),
        (422, "operation_failed"),
        (429, "throttled"),
        (500, "internal_error"),
    ],
)
def test_a_status_has_its_code(status, code):
    error = error_of(Reply(status=status, data={"detail": "Because."}))
    assert error.code == code
    assert error.details["httpStatus"] == status


def test_a_throttle_says_how_long(call):
    assert error_of(Reply(status=429, retry_after=7)).details["retryAfter"] == 7


def test_field_errors_become_sentences_with_their_path():
    data = {"items": [{}, {"quantity": ["Too many."]}], "non_field_errors": ["Closed."]}
    text = error_of(Reply(status=400, data=data)).text
    assert "items[1].quantity: Too many." in text
    assert "Closed." in text


def test_many_problems_are_counted():
    data = {f"field{number}": ["Wrong."] for number in range(9)}
    assert "And 4 more." in error_of(Reply(status=400, data=data)).text


def test_a_refusal_without_words_names_its_status():
    assert error_of(Reply(status=405)).text == "The operation answered HTTP 405."


def test_not_found_says_what_the_view_says():
    assert "Invalid page." in error_of(Reply(status=404, data={"detail": "Invalid page."})).text


def test_nothing_was_changed_is_only_said_where_it_is_so():
    rejected = Outcome(status=State.REJECTED)
    assert "Nothing was changed." in error_of(Reply(status=400, rolled_back=True), rejected).text
    assert "Nothing was changed." not in error_of(Reply(status=400), rejected).text
    assert "Nothing was changed." in error_of(Reply(status=500, rolled_back=True), rejected).text


def test_a_write_that_broke_midway_says_to_look_first():
    error = error_of(Reply(status=500, error_id="e1"), Outcome(status=State.UNKNOWN))
    assert (error.code, error.details["errorId"]) == ("outcome_unknown", "e1")
    assert "may have been applied" in error.text


@pytest.mark.parametrize(
    ("reply", "state"),
    [
        (Reply(status=201), State.SUCCEEDED),
        (Reply(status=302), State.SUCCEEDED),
        (Reply(status=400), State.REJECTED),
        (Reply(status=500, rolled_back=True), State.REJECTED),
        (Reply(status=500), State.UNKNOWN),
    ],
)
def test_what_became_of_a_write(reply, state):
    assert outcome_of(reply).status is state


def test_a_failure_is_an_error_result():
    result = failure("x", error_of(Reply(status=404)))
    assert result.is_error
    assert result.structured["status"] == "error"


def test_text_is_the_same_json_compact_and_unescaped():
    result = ToolResult(structured={"name": "Kaffee Größe", "n": [1, 2]}).as_mcp()
    assert result["content"] == [{"type": "text", "text": '{"name":"Kaffee Größe","n":[1,2]}'}]
