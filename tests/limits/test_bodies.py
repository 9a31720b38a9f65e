"""A body is read in one way: its id is kept, its numbers have one spelling, and exponents do not blow up."""

import json

import pytest

from django_mcp.errors import ProtocolError
from django_mcp.protocol import jsonrpc
from django_mcp.protocol.json import NotStrict, parse

DEEP = "[" * 100 + "]" * 100
VERY_DEEP = "[" * 200_000 + "]" * 200_000


@pytest.mark.parametrize("nested", [DEEP, VERY_DEEP], ids=["deep", "very deep"])
@pytest.mark.parametrize("request_id", [7, "seven", 'with "quotes"'])
def test_a_body_that_nests_too_deep_keeps_its_id(nested, request_id):
    for body in (
        f'{{"jsonrpc":"2.0","id":{json.dumps(request_id)},"method":"x","params":{nested}}}',
        f'{{"jsonrpc":"2.0","method":"x","params":{{"id":1,"x":{nested}}}, "id" : {json.dumps(request_id)} }}',
    ):
        with pytest.raises(ProtocolError):
            jsonrpc.parse(body.encode())
        assert jsonrpc.id_in(body.encode()) == request_id


@pytest.mark.parametrize(
    "body",
    ['{"id":1', '{"id":1,"id":2,"x":NaN}', '[{"id":1},NaN]', '{"a":"\\"id\\":1","x":NaN}', '{"id":1.5,"x":NaN}', ""],
)
def test_no_id_is_made_up(body):
    assert jsonrpc.id_in(body.encode()) is None


def test_a_byte_order_mark_is_skipped():
    assert jsonrpc.parse(b'\xef\xbb\xbf{"id":1}') == {"id": 1}


@pytest.mark.parametrize(("text", "value"), [("1e2", 100), ("100.0", 100), ("-0.0", 0), ("1E+2", 100), ("2.50", 2.5)])
def test_a_number_without_a_fraction_is_an_integer(text, value):
    read = parse(f'{{"a":[{text}]}}')["a"][0]
    assert (type(read), read) == (type(value), value)


def test_exponents_may_not_spell_out_megabytes():
    assert parse("[" + ",".join(["1e308"] * 300) + "]")[0] == int(1e308)
    with pytest.raises(NotStrict, match="exponents"):
        parse("[" + ",".join(["1e308"] * 1000) + "]")
