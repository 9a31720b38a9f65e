"""What hostile arguments may cost."""

import difflib
import json
import time

import pytest

from django_mcp.arguments.normalise import normalise
from django_mcp.arguments.plans import argument_plan
from django_mcp.errors import ValidationFailed
from tests.arguments.orders import effective, errors, failure, listing, normalised, record


def nested(levels):
    return {"n": nested(levels - 1), "q": 1} if levels else "x"


def nested_variants(levels):
    if not levels:
        return {"type": "integer"}
    inner = nested_variants(levels - 1)
    return {"anyOf": [{"properties": {"n": inner, name: {}}} for name in "abc"]}


def text_in_text(levels):
    text = "[" + "1," * 200_000 + "1]"
    for _level in range(levels):
        text = json.dumps([text])
    return text


VARIANTS = {"anyOf": [record("circle_"), record("square_"), record("triangle_")]}


LISTS = {"type": "integer"}


HOSTILE = {
    "unknown keys": (record(), {f"fiel_{number}": 1 for number in range(60_000)}),
    "unknown keys of one kind of several": (listing(VARIANTS), {"items": [{"circle_feld": 1, "square": 2}] * 27_000}),
    "wrong kinds": (listing(VARIANTS), {"items": [{"a": 1}] * 110_000}),
    "kinds within kinds": (listing(nested_variants(6)), {"items": [nested(6)] * 14_000}),
    "scalars of no kind": (
        listing({"anyOf": [{"type": "integer"}, {"type": "boolean"}, {"type": "null"}]}), {"items": ["x"] * 200_000}
    ),
    "defaults": (listing(record(default=1)), {"items": [{}] * 250_000}),
    "defaults of several kinds": (listing({"anyOf": [record("a", default=1), record("b", default=1)]}), {
        "items": [{}] * 250_000
    }),
    "exponents": (listing({"type": "string", "format": "decimal"}), {"items": ["1e300"] * 110_000}),
    "floats as text": (listing({"type": "string"}), {"items": [1e308] * 150_000}),
    "long integers": (listing({"type": "integer"}), {"items": ["9" * 4300] * 240}),
    "a long number": ({"properties": {"x": {"type": "number"}}}, {"x": "0" * 2**20 + ".5"}),
    "a long number of many kinds": (
        {"properties": {"x": {"anyOf": [{"type": "number", "maximum": top} for top in range(99)]}}}, {"x": "7" * 2**20}
    ),
    "text in text": ({"properties": {"x": LISTS}}, {"x": text_in_text(10)}),
    "broken text of many kinds": (
        {"properties": {"x": {"anyOf": [record(str(number)) for number in range(20)]}}}, {"x": '{"a":[' + "1," * 2**18}
    ),
    "brackets": ({"properties": {"x": {"type": "array"}}}, {"x": "[" * 2**20}),
    "numbers": (listing({"type": "integer"}), {"items": [1] * 500_000}),
    "read-only": (listing(record()), {"items": [{"id": 1}] * 100_000}),
    "read-only below a long name": (
        {"properties": {}, "additionalProperties": listing(record())}, {"k" * 2**19: {"items": [{"id": 1}] * 50_000}}
    ),
    "errors below a long name": (
        {"properties": {}, "additionalProperties": listing(record())}, {"k" * 2**19: {"items": [{"a": 1}] * 50_000}}
    ),
    "unset": (listing(record()), {"items": [{"field_1": ""}] * 60_000}),
    "values of a long enumeration": (
        listing({"type": "string", "enum": [str(number) for number in range(1000)]}), {"items": ["zz"] * 150_000}
    ),
}  # fmt: skip


@pytest.mark.parametrize(("schema", "sent"), HOSTILE.values(), ids=HOSTILE)
def test_a_mebibyte_of_anything_is_answered_soon_and_briefly(schema, sent):
    plan = argument_plan(schema, read_only=frozenset({"items.id", "id"}))
    began = time.process_time()
    try:
        answer = normalise(plan, sent)[1]
    except ValidationFailed as error:
        answer = error.text, error.details
    took = time.process_time() - began

    # A second is what it may cost; measuring coverage makes it five times as slow.
    assert took < 6
    assert len(json.dumps(answer)) < 20_000


def test_what_is_left_to_the_host_costs_no_more_where_many_paths_end_alike():
    lenient = frozenset({"items", *(f"{parent}.items" for parent in range(500))})
    began = time.process_time()
    assert list(errors({"items": ["x"] * 200_000}, listing({"type": "integer"}), lenient=lenient)) == ["args"]
    assert time.process_time() - began < 6


def test_no_names_are_compared_for_alternatives_that_are_not_chosen(monkeypatch):
    compared = []
    monkeypatch.setattr(difflib, "get_close_matches", lambda *args, **options: compared.append(args) or [])

    assert effective({"items": [{"triangle_field_1": 1}] * 50}, listing(VARIANTS))
    assert compared == []

    errors({"items": [{"a": 1, "b": 2}] * 50}, listing(VARIANTS))
    assert len(compared) == 5


def test_long_names_that_begin_alike_are_answered_as_one():
    assert len(errors({"k" * 100 + str(number): 1 for number in range(400)})["k" * 59 + "…"]) == 1


def test_a_list_of_what_is_wrong_is_not_read_to_its_end():
    class Watched(list):
        read = 0

        def __iter__(self):
            for item in list.__iter__(self):
                self.read += 1
                yield item

    items = Watched(["x"] * 10_000)
    errors({"items": items}, listing({"type": "integer"}))

    assert items.read == 500


def test_more_defaults_than_can_be_filled_in_at_once_are_refused():
    assert list(errors({"items": [{}] * 10_000}, listing(record(default=1)))) == ["args"]


def test_many_unknown_fields_are_answered_briefly():
    refused = failure({f"unknown_{number}": 1 for number in range(50_000)})

    assert len(refused.details["errors"]) == 20
    assert len(refused.text) < 500


def test_more_warnings_than_anyone_reads_are_cut():
    schema = {"properties": {f"a{number}": {"type": "integer"} for number in range(500)}}

    assert len(normalised({f"a{number}": "" for number in range(500)}, schema)[1]) == 101
