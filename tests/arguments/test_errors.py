"""The whole sentences by which a model is told what is wrong with its arguments, and what was done with them."""

import pytest

from tests.arguments.orders import ORDER, errors, failure, listing, normalised, record

ONE_LETTER = {"properties": {letter: {} for letter in "nmlkjihgfedcba"}}


def arguments(schema, **keywords):
    return {"type": "object", "properties": {"x": schema}, **keywords}


@pytest.mark.parametrize(
    ("schema", "sent", "text"),
    [
        ({"type": "integer"}, "5x", "Expected an integer, got text."),
        ({"type": "integer"}, 5.5, "Expected an integer, got a number."),
        ({"type": "integer"}, True, "Expected an integer, got true or false."),
        ({"type": "integer"}, [5], "Expected an integer, got a list."),
        ({"type": "number"}, "nan", "Expected a number, got text."),
        ({"type": "boolean"}, 2, "Expected true or false, got an integer."),
        ({"type": "string"}, {"a": 1}, "Expected text, got an object."),
        ({"type": ["null", "integer", "array"]}, "x", "Expected a list or an integer, got text."),
        ({"type": ["string", "number"], "format": "decimal"}, "ten", "Expected a decimal number such as 12.50."),
        ({"type": "object"}, "open", "Expected an object, got text."),
        ({"type": "array"}, "open", "Expected a list, got text."),
        ({"type": "object"}, "{a:1", "Expected an object. Send it as JSON itself, without quotes around it."),
        ({"type": "array"}, "[" * 65, "Expected a list. Send it as JSON itself, without quotes around it."),
    ],
)
def test_an_error_names_what_is_expected_and_what_came(schema, sent, text):
    assert errors({"x": sent}, arguments(schema)) == {"x": [text]}


def test_an_error_for_null_says_that_it_is_not_accepted():
    assert errors({"x": None}, arguments({"type": "string"}, required=["x"])) == {
        "x": ["Expected text; null is not accepted."]
    }


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        ({}, "Missing. It is part of the route and must be sent."),
        ({"id": " "}, "Missing. It is part of the route and cannot be empty."),
        ({"id": [1]}, "Expected text or a number, got a list."),
    ],
)
def test_an_error_of_an_argument_of_the_route_says_so(sent, text):
    assert errors(sent, route=frozenset({"id"})) == {"id": [text]}


@pytest.mark.parametrize(
    ("schema", "name", "text"),
    [
        (ORDER, "prise", 'Unknown argument. Did you mean "price"?'),
        (ONE_LETTER, "zz", "Unknown argument. Known are a, b, c, d, e, f, g, h, i, j, k, l and 2 more."),
        ({"properties": {"b": {}, "a": {}}}, "zz", "Unknown argument. Known are a, b."),
        ({"type": "object"}, "zz", "Unknown argument. There are none here."),
    ],
)
def test_an_error_of_an_unknown_argument_suggests_known_ones(schema, name, text):
    assert errors({name: 5}, schema) == {name: [text]}


def test_suggestions_stop_after_five_errors():
    texts = [text for [text] in errors({f"zz{number}": 1 for number in range(7)}, ONE_LETTER).values()]

    assert [text == "Unknown argument." for text in texts] == [False] * 5 + [True] * 2


def test_the_first_three_errors_stand_in_the_message():
    refused = failure({"x": 1, "y": 1, "z": 1, "a": 1}, {})

    assert refused.text == (
        "The arguments do not fit. a: Unknown argument. There are none here. x: Unknown argument. There are none here. "
        "y: Unknown argument. There are none here. There is more in errors."
    )


def test_arguments_that_are_no_object_are_an_error_of_all_arguments():
    assert errors([1]) == {"args": ["Expected an object, got a list."]}


def test_an_error_asks_for_smaller_calls_where_there_is_too_much_to_check():
    assert errors({"items": [{}] * 10_000}, listing(record(default=1))) == {
        "args": ["There is too much in the arguments to be checked at once. Send it in several smaller calls."]
    }


def test_an_error_does_not_quote_the_value():
    refused = failure({"page": "hunter2-secret"})

    assert "hunter2" not in refused.text + str(refused.details)


@pytest.mark.parametrize(
    ("sent", "marks", "warning"),
    [
        ({"page": ""}, {}, '"page" was empty and was left out.'),
        ({"created": 1}, {"read_only": frozenset({"created"})}, '"created" is read-only and was ignored.'),
        (
            {"created": 1},
            {"lenient": frozenset({"created"})},
            '"created" is described as read-only. It was passed on: the operation\'s own code may read it.',
        ),
    ],
)
def test_a_warning_says_what_was_done(sent, marks, warning):
    assert normalised(sent, **marks)[1] == (warning,)


def test_the_last_of_many_warnings_says_that_there_are_more():
    schema = {"properties": {f"a{number}": {"type": "integer"} for number in range(500)}}

    assert normalised({f"a{number}": "" for number in range(500)}, schema)[1][-1] == "There are more like these."
