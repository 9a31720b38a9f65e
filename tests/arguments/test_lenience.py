import pytest

from tests.arguments.orders import closed, effective, errors

LENIENT = {"properties": {"x": {"type": "object", "properties": {"id": {"type": "integer"}}}, "n": {"type": "integer"}}}


@pytest.mark.parametrize("sent", ["Active", 5, ["a"], True, 2.5])
def test_what_the_host_reads_in_its_own_way_may_be_of_another_type(sent):
    assert effective({"x": sent}, LENIENT, lenient=frozenset({"x"})) == {"x": sent}
    assert list(errors({"x": sent}, LENIENT)) == ["x"]
    assert list(errors({"x": 5, "n": "no"}, LENIENT, lenient=frozenset({"x"}))) == ["n"]


def test_what_fits_is_read_as_ever_where_the_host_reads_in_its_own_way():
    assert effective({"x": '{"id": "5"}'}, LENIENT, lenient=frozenset({"x"})) == {"x": {"id": 5}}
    assert list(errors({"x": {"id": "no"}}, LENIENT, lenient=frozenset({"x"}))) == ["x.id"]


def test_items_of_a_list_may_be_of_another_type_too():
    schema = {"properties": {"a": {"properties": {"x": {"type": "array", "items": LENIENT["properties"]["x"]}}}}}

    assert effective({"a": {"x": ["red", {"id": "1"}]}}, schema, lenient=frozenset({"a.x"})) == {
        "a": {"x": ["red", {"id": 1}]}
    }


def test_what_fits_no_alternative_goes_on_where_the_host_reads_in_its_own_way():
    kinds = {"oneOf": [closed({"id": {"type": "integer"}}), {"type": "integer"}]}
    schema = {"properties": {"x": kinds}}
    lenient = frozenset({"x"})

    assert effective({"x": "red"}, schema, lenient=lenient) == {"x": "red"}
    assert effective({"x": "7"}, schema, lenient=lenient) == {"x": 7}
    assert list(errors({"x": {"ID": 1}}, schema, lenient=lenient)) == ["x.ID"]
