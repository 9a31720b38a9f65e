import pytest

from tests.arguments.orders import effective, errors, one


@pytest.mark.parametrize(
    ("kind", "sent", "meant"),
    [
        ("integer", "5", 5),
        ("integer", " 5 ", 5),
        ("integer", 30.0, 30),
        ("integer", "30.0", 30),
        ("integer", "-7", -7),
        ("integer", "725653563933458432", 725653563933458432),
        ("integer", "9" * 40, int("9" * 40)),
        ("number", "2.5", 2.5),
        ("number", "4", 4),
        ("boolean", "true", True),
        ("boolean", "False", False),
        ("boolean", 1, True),
        ("boolean", 0.0, False),
        ("string", 1, "1"),
        ("string", 1.0, "1"),
        ("string", 1.5, "1.5"),
        ("string", 10**400, str(10**400)),
    ],
)
def test_scalar_becomes_what_was_meant(kind, sent, meant):
    result = one({"type": kind}, sent)

    assert (type(result), result) == (type(meant), meant)


@pytest.mark.parametrize(
    ("kind", "sent"),
    [
        ("integer", "5x"),
        ("integer", 5.5),
        ("integer", "1_000"),
        ("integer", True),
        ("integer", [5]),
        ("integer", "9" * 5000),
        ("number", "1e400"),
        ("number", "0.10000000000000000001"),
        ("number", "nan"),
        ("boolean", "maybe"),
        ("boolean", 2),
        ("string", True),
        ("string", {"a": 1}),
    ],
)
def test_scalar_that_does_not_convert_is_an_error_of_its_field(kind, sent):
    schema = {"type": "object", "properties": {"x": {"type": kind}}}

    assert list(errors({"x": sent}, schema)) == ["x"]


@pytest.mark.parametrize("text", [" 5 ", "true", '{"a":1}', "null", "", "MiXeD", "007", "1.0", "\u0000", "\ud800"])
def test_text_fields_are_not_touched(text):
    assert effective({"customer_name": text, "note": text}) == {"customer_name": text, "note": text}


@pytest.mark.parametrize("value", [[1], "x", 5, None, {"a": [1, {"b": None}]}, '{"a":1}'])
def test_field_without_type_takes_any_json_as_it_is(value):
    assert effective({"anything": value}) == {"anything": value}


@pytest.mark.parametrize("sent", ["10.00", 10, 10.0, "1e1", " 10 ", "+10.", "0010.0"])
@pytest.mark.parametrize(
    "schema", [{"type": ["string", "number"], "format": "decimal"}, {"type": "string", "format": "decimal"}]
)
def test_decimal_has_one_spelling(schema, sent):
    assert one(schema, sent) == "10"


@pytest.mark.parametrize(
    ("sent", "digits"),
    [
        (10.50, "10.5"),
        ("-0.00", "0"),
        ("0e999", "0"),
        ("1234567890123456789012345678901234567890.10", "1234567890123456789012345678901234567890.1"),
        (1e-7, "0.0000001"),
        (-3, "-3"),
    ],
)
def test_decimal_keeps_every_digit(sent, digits):
    assert one({"type": ["string", "number"], "format": "decimal"}, sent) == digits


@pytest.mark.parametrize(
    "sent", ["NaN", "1e400", "-Infinity", "1e-9999999", "1e-99999999999999999999", "ten", "1,5", True, [1], {}, "1_0"]
)
def test_what_is_no_decimal_is_refused(sent):
    assert list(errors({"price": sent})) == ["price"]


def test_big_integer_as_text_and_as_number_are_the_same_argument():
    route = frozenset({"id"})

    assert effective({"id": "725653563933458432"}, route=route) == effective({"id": 725653563933458432}, route=route)


@pytest.mark.parametrize("text", ["00420", "+49123", "1e2", " 5 ", "ten", "1.50"])
def test_text_stays_text_where_numbers_are_taken_too(text):
    assert one({"type": ["string", "number"]}, text) == text
