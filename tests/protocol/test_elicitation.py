"""The wire format of questions to a client and of its answers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from django_mcp.protocol import elicitation
from django_mcp.protocol.elicitation import ELICIT, ROOTS, SAMPLE, Inputs, Question
from tests.protocol import schemas

FORM = {
    "method": ELICIT,
    "params": {
        "mode": "form",
        "message": "Who?",
        "requestedSchema": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "minLength": 2},
                "age": {"type": "integer"},
                "mail": {"type": "string", "format": "email"},
                "sizes": {"type": "array", "items": {"type": "string", "enum": ["small", "large"]}},
            },
            "required": ["name"],
        },
    },
}
PAGE = {"method": ELICIT, "params": {"mode": "url", "message": "Pay.", "url": "https://example.com/pay"}}
SAMPLED = {"role": "assistant", "model": "m", "content": {"type": "text", "text": "Paris"}}


def question(method, params=None, **needs):
    return Question(method=method, params=params or {}, needs=needs or elicitation.needs_of(method, params or {}))


def lacks(capabilities, *questions):
    return Inputs(supported=True, capabilities=capabilities).lacks(questions)


# Capabilities


@pytest.mark.parametrize(
    ("capabilities", "missing"),
    [
        ({}, {"elicitation": {"form": {}}}),
        ({"elicitation": {}}, {}),
        ({"elicitation": {"form": {}}}, {}),
        ({"elicitation": {"form": {}, "url": {}}}, {}),
        ({"elicitation": {"url": {}}}, {"elicitation": {"form": {}}}),
        ({"elicitation": True}, {"elicitation": {"form": {}}}),
        ({"elicitation": {"form": False}}, {"elicitation": {"form": {}}}),
        ({"sampling": {}}, {"elicitation": {"form": {}}}),
    ],
)
def test_a_form_is_for_clients_that_declare_forms(capabilities, missing):
    assert lacks(capabilities, question(ELICIT, {"mode": "form"})) == missing


@pytest.mark.parametrize(
    ("capabilities", "missing"),
    [({"elicitation": {}}, {"elicitation": {"url": {}}}), ({"elicitation": {"url": {}}}, {})],
)
def test_a_page_is_for_clients_that_declare_pages(capabilities, missing):
    assert lacks(capabilities, question(ELICIT, {"mode": "url"})) == missing


@pytest.mark.parametrize(
    ("params", "needed"),
    [
        ({}, {}),
        ({"includeContext": "none"}, {}),
        ({"includeContext": "thisServer"}, {"context": {}}),
        ({"tools": []}, {"tools": {}}),
        ({"toolChoice": {}}, {"tools": {}}),
    ],
)
def test_sampling_needs_what_its_parameters_need(params, needed):
    assert elicitation.needs_of(SAMPLE, params) == {"sampling": needed}


def test_a_method_of_an_extension_needs_the_capabilities_that_its_question_names():
    pick = question("com.example/pick", extensions={"com.example/pick": {}})
    assert lacks({"extensions": {}}, pick) == {"extensions": {"com.example/pick": {}}}
    assert lacks({"extensions": {"com.example/pick": {"colours": 3}}}, pick) == {}
    assert elicitation.needs_of("com.example/pick", {}) is None


def test_all_that_is_missing_for_several_questions_is_named():
    questions = [
        question(ELICIT, {"mode": "form"}),
        question(ELICIT, {"mode": "url"}),
        question(ROOTS),
        question(SAMPLE),
    ]
    assert lacks({"sampling": {}}, *questions) == {"elicitation": {"form": {}, "url": {}}, "roots": {}}


# Answers


@pytest.mark.parametrize(
    ("request_", "response"),
    [
        (FORM, {"action": "accept", "content": {"name": "Al"}}),
        (FORM, {"action": "decline"}),
        (FORM, {"action": "cancel", "content": None}),
        (PAGE, {"action": "accept"}),
        ({"method": SAMPLE, "params": {}}, SAMPLED),
        ({"method": ROOTS, "params": {}}, {"roots": [{"uri": "file:///x"}]}),
        ({"method": "com.example/pick", "params": {}}, {"anything": 1}),
    ],
)
def test_results_of_their_methods_are_answers(request_, response):
    assert elicitation.is_answer(request_, response)


@pytest.mark.parametrize("response", [None, 12345, "accept", [], True])
@pytest.mark.parametrize("method", [ELICIT, SAMPLE, ROOTS, "com.example/pick"])
def test_what_is_no_object_is_no_answer(method, response):
    assert not elicitation.is_answer({"method": method, "params": {}}, response)


@pytest.mark.parametrize(
    ("method", "response"),
    [
        (ELICIT, {}),
        (ELICIT, {"action": "yes"}),
        (ELICIT, {"action": "accept", "content": "Al"}),
        (SAMPLE, {"role": "assistant"}),
        (SAMPLE, {**SAMPLED, "role": "system"}),
        (ROOTS, {"roots": "file:///x"}),
        (ROOTS, {"roots": [{"name": "x"}]}),
    ],
)
def test_results_of_other_methods_are_no_answers(method, response):
    assert not elicitation.is_answer({"method": method, "params": {}}, response)


@pytest.mark.parametrize(
    "content",
    [
        {"name": "Al"},
        {"name": "Al", "age": 30},
        {"name": "Al", "mail": "al@example.com"},
        {"name": "Al", "sizes": ["small"]},
    ],
)
def test_what_fits_the_form_is_kept(content):
    assert elicitation.entered(FORM, {"action": "accept", "content": content}) == {
        "action": "accept",
        "content": content,
    }


@pytest.mark.parametrize(
    "content",
    [
        {},
        None,
        {"name": 5},
        {"name": "A"},
        {"name": None},
        {"name": "Al", "age": "thirty"},
        {"name": "Al", "mail": "nowhere"},
        {"name": "Al", "sizes": ["huge"]},
        {"name": {"first": "Al"}},
    ],
)
def test_what_does_not_fit_the_form_is_not_entered(content):
    assert elicitation.entered(FORM, {"action": "accept", "content": content}) is None


def test_fields_that_were_not_asked_for_are_dropped():
    response = {"action": "accept", "content": {"name": "Al", "is_admin": True}, "extra": 1}
    assert elicitation.entered(FORM, response) == {"action": "accept", "content": {"name": "Al"}}


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_a_refusal_carries_no_content(action):
    assert elicitation.entered(FORM, {"action": action, "content": {"name": "Al"}}) == {"action": action}


def test_a_page_carries_no_content():
    assert elicitation.entered(PAGE, {"action": "accept", "content": {"paid": True}}) == {"action": "accept"}


def test_other_results_are_kept_whole():
    assert elicitation.entered({"method": SAMPLE, "params": {}}, SAMPLED) == SAMPLED


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner))


@given(st.dictionaries(st.sampled_from(["action", "content", "x"]), values | st.just("accept"), max_size=3) | values)
def test_no_response_breaks_the_reading(response):
    if elicitation.is_answer(FORM, response):
        entered = elicitation.entered(FORM, response)
        assert entered is None or entered["action"] == response["action"]


# Requests


@pytest.mark.parametrize(
    "properties",
    [
        {"a": {"type": "object", "properties": {}}},
        {"a": {"type": "array", "items": {"type": "string"}}},
        {"a": {"type": "array"}},
        {"a": {"type": ["string", "null"]}},
        {"a": {}},
        {"a": "string"},
        {"a": {"type": "string", "minLength": "two"}},
        {1: {"type": "string"}},
        [],
        None,
    ],
)
def test_a_form_has_only_fields_that_a_client_can_draw(properties):
    assert elicitation.form_problem(properties)


@pytest.mark.parametrize("kind", ["string", "number", "integer", "boolean"])
def test_plain_fields_make_a_form(kind):
    assert elicitation.form_problem({"a": {"type": kind, "title": "A"}}) is None


def test_choices_make_a_form():
    titled = {"type": "array", "items": {"anyOf": [{"const": "r", "title": "Red"}]}}
    assert elicitation.form_problem({"a": {"type": "string", "enum": ["x"]}, "b": titled}) is None


def test_the_result_says_what_it_is():
    result = elicitation.result({"who": FORM}, "state")
    assert result == {"resultType": "input_required", "inputRequests": {"who": FORM}, "requestState": "state"}
    assert elicitation.asks(result)
    assert not elicitation.asks({"content": [], "isError": False})


@pytest.mark.service("schemas")
def test_the_result_fits_the_official_schema():
    requests = {
        "who": FORM,
        "pay": PAGE,
        "roots": {"method": ROOTS, "params": {}},
        "ask": {"method": SAMPLE, "params": {"messages": [], "maxTokens": 5}},
    }
    schemas.validate(elicitation.result(requests, "state"), "2026-07-28", "InputRequiredResult")
