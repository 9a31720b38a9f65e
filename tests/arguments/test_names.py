import pytest

from tests.arguments.orders import effective, errors, normalised, one


def test_unknown_field_is_refused_with_the_nearest_name():
    [text] = errors({"prise": 5})["prise"]

    assert '"price"' in text


def test_unknown_nested_field_is_refused_with_the_nearest_name():
    [text] = errors({"items": [{"product_id": 1, "Quantty": 2}]})["items[0].Quantty"]

    assert '"quantity"' in text


def test_unknown_nested_field_goes_on_where_nobody_said_that_there_are_no_others():
    schema = {"properties": {"x": {"type": "object", "properties": {"a": {"type": "integer"}}}}}

    assert effective({"x": {"a": "1", "b": "2"}}, schema) == {"x": {"a": 1, "b": "2"}}


def test_unknown_field_with_no_near_name_gets_the_known_ones():
    [text] = errors({"zzzz": 5}, {"properties": {"b": {}, "a": {}}})["zzzz"]

    assert "a, b" in text


def test_name_with_control_characters_is_made_readable():
    assert list(errors({"a\n\u202eb\ud800": 1})) == ["a b"]


@pytest.mark.parametrize("extra", [True, {}])
def test_free_form_object_takes_any_field(extra):
    schema = {"properties": {"a": {"type": "integer"}}, "additionalProperties": extra}

    assert effective({"a": "1", "b": {"c": "2"}}, schema) == {"a": 1, "b": {"c": "2"}}


def test_nested_object_without_properties_takes_any_field():
    assert one({"type": "object"}, {"a": "1"}) == {"a": "1"}


def test_operation_without_arguments_takes_none():
    assert list(errors({"a": 1}, {"type": "object"})) == ["a"]


def test_read_only_field_is_dropped_with_a_warning():
    result, [warning] = normalised({"created": "x", "page": 1}, read_only=frozenset({"created"}))

    assert result == {"page": 1}
    assert '"created"' in warning


def test_read_only_field_that_the_hosts_code_may_read_goes_on_with_a_warning():
    result, [warning] = normalised({"created": ["x"], "page": 1}, lenient=frozenset({"created"}))

    assert result == {"page": 1, "created": ["x"]}
    assert '"created"' in warning
    assert effective(result, lenient=frozenset({"created"})) == result


def test_read_only_field_of_a_list_is_warned_of_once():
    items = [{"product_id": 1, "total": 5}, {"product_id": 2, "total": 5}]
    result, [warning] = normalised({"items": items}, read_only=frozenset({"items.total"}))

    assert result == {"items": [{"product_id": 1, "quantity": 1}, {"product_id": 2, "quantity": 1}]}
    assert '"items.total"' in warning


def test_read_only_fields_are_told_from_fields_of_the_same_name_elsewhere():
    schema = {"properties": {"a": {"type": "object"}, "b": {"type": "object"}}}
    result, [warning] = normalised({"a": {"id": 1}, "b": {"id": 1}}, schema, read_only=frozenset({"b.id", "a.b.id"}))

    assert result == {"a": {"id": 1}, "b": {}}
    assert '"b.id"' in warning
