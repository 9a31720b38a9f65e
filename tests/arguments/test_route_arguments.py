import pytest

from tests.arguments.orders import effective, errors


@pytest.mark.parametrize("sent", [{}, {"id": None}, {"id": ""}, {"id": " "}])
def test_missing_argument_of_the_route_is_refused(sent):
    assert list(errors(sent, route=frozenset({"id"}))) == ["id"]


@pytest.mark.parametrize(("sent", "meant"), [("archive", "archive"), (" 7 ", 7), (True, "true"), (1.5, "1.5")])
def test_argument_of_the_route_that_does_not_convert_goes_on_as_text(sent, meant):
    result = effective({"id": sent}, route=frozenset({"id"}))["id"]

    assert (type(result), result) == (type(meant), meant)


@pytest.mark.parametrize("sent", [[1], {"a": 1}])
def test_argument_of_the_route_must_be_a_scalar(sent):
    assert list(errors({"id": sent}, route=frozenset({"id"}))) == ["id"]


def test_argument_of_the_route_wins_over_a_read_only_field_of_that_name():
    assert effective({"id": "7"}, read_only=frozenset({"id"}), route=frozenset({"id"})) == {"id": 7}
