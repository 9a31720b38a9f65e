"""One JSON-RPC message a body: what is read, what is refused, what is written."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from django_mcp.errors import ProtocolError
from django_mcp.protocol import jsonrpc


def body(**members):
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping", **members}).encode()


def message_in(value):
    return jsonrpc.envelope(value, jsonrpc.id_of(value))


def decoded(raw):
    return message_in(jsonrpc.parse(raw))


def refused(call, *args):
    with pytest.raises(ProtocolError) as caught:
        call(*args)
    return caught.value


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b" ",
        b"{",
        b"{}x",
        b"{'a':1}",
        b"[1,]",
        b'{"a":1,}',
        b"// c\n{}",
        b"\xff\xfe{}",
        b'"\xc3\x28"',
        '{"a":1}'.encode("utf-16"),
        b'{"a":1,"a":2}',
        b'{"a":{"b":1,"b":1}}',
        b'{"a":1,"\\u0061":2}',
        b"NaN",
        b"[Infinity]",
        b"[-Infinity]",
        b"1e400",
        b"-1e400",
        b'"\\ud800"',
        b'"\\uDC00x"',
        b'{"\\udfff":1}',
        b'"\\ude00\\ud83d"',
        b"1" * 4301,
        b"-" + b"1" * 4300,
        b"01",
        b'"\x01"',
        b"[" * 65 + b"]" * 65,
        b'{"a":' * 65 + b"1" + b"}" * 65,
        b"[" * 20_000,
        b"[" * 20_000 + b"]" * 20_000,
    ],
)
def test_sloppy_json_is_refused(raw):
    error = refused(jsonrpc.parse, raw)
    assert (error.code, error.http_status) == (-32700, 400)
    assert "\n" not in error.message


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (b"[" * 64 + b"]" * 64, None),
        (b'"\\ud83d\\ude00"', "😀"),
        (b'"\\\\ud800"', "\\ud800"),
        (b"1" * 4300, int("1" * 4300)),
        (b"1152921504606846976", 2**60),
        (b' {"a" : [1.5, null, true] } ', {"a": [1.5, None, True]}),
        (b'"\\u0000"', "\0"),
        (b'["[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["]', ["[" * 73]),
    ],
)
def test_strict_json_is_read(raw, value):
    assert value is None or jsonrpc.parse(raw) == value
    jsonrpc.parse(raw)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(values)
def test_what_is_encoded_is_read_back_as_it_was(value):
    message = {"result": value}
    assert jsonrpc.parse(jsonrpc.encode(message)) == message


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode) | values.map(lambda v: json.dumps(v).encode()))
def test_any_body_gives_a_message_or_a_protocol_error(raw):
    try:
        message = decoded(raw)
    except ProtocolError as error:
        assert error.code in {-32700, -32600, -32602}
        json.loads(jsonrpc.encode(jsonrpc.failure(error, None)))
    else:
        assert message is None or isinstance(message.method, str)


@given(
    st.dictionaries(st.sampled_from(["jsonrpc", "id", "method", "params", "result", "error"]), values | st.just("2.0"))
)
def test_any_object_gives_a_message_with_its_id_or_an_error(value):
    try:
        message = message_in(value)
    except ProtocolError as error:
        assert error.code in {-32600, -32602}
    else:
        assert message is None or message.id == jsonrpc.id_of(value)


@pytest.mark.parametrize("request_id", ["1", "007", 0, -5, "ü", "", "a-b", 2**60])
def test_ids_keep_value_and_type(request_id):
    message = decoded(body(id=request_id))
    assert message.id == request_id
    assert type(message.id) is type(request_id)
    assert jsonrpc.success(message.id, {})["id"] == request_id


@pytest.mark.parametrize("request_id", [None, True, False, {}, [1], 1.5])
def test_other_ids_are_refused(request_id):
    assert jsonrpc.id_of({"id": request_id}) is None
    error = refused(decoded, body(id=request_id))
    assert (error.code, error.http_status) == (-32600, 400)


@pytest.mark.parametrize("value", [[], [{}], [{"jsonrpc": "2.0", "id": 1, "method": "ping"}]])
def test_batches_are_refused_as_one(value):
    error = refused(message_in, value)
    assert (error.code, error.http_status) == (-32600, 400)
    assert "Batches" in error.message


@pytest.mark.parametrize("value", [1, "x", None, True, {}, {"id": 1}, {"jsonrpc": "1.0", "id": 1, "method": "ping"}])
def test_what_is_no_message_is_refused(value):
    assert refused(message_in, value).code == -32600


@pytest.mark.parametrize("method", [5, None, "", [], {}])
def test_a_method_that_is_no_name_is_refused(method):
    assert refused(decoded, body(id=9, method=method)).code == -32600


@pytest.mark.parametrize("params", ["x", [1], 42, True])
def test_params_that_are_no_object_are_refused_under_the_status_of_the_revision(params):
    error = refused(decoded, body(id="q", params=params))
    assert (error.code, error.http_status) == (-32602, 200)
    with pytest.raises(ProtocolError) as caught:
        jsonrpc.envelope(jsonrpc.parse(body(id="q", params=params)), "q", wrong_params=400)
    assert (caught.value.code, caught.value.http_status) == (-32602, 400)


def test_a_notification_with_wrong_params_is_refused_by_its_status():
    error = refused(message_in, {"jsonrpc": "2.0", "method": "notifications/x", "params": [1]})
    assert error.http_status == 400


def test_null_params_are_no_params():
    assert decoded(body(params=None)).params == {}


def test_a_message_without_id_is_a_notification():
    assert message_in({"jsonrpc": "2.0", "method": "x"}).is_notification
    assert not decoded(body(id=0)).is_notification


@pytest.mark.parametrize("member", ["result", "error"])
def test_a_response_is_nothing_to_answer(member):
    assert message_in({"jsonrpc": "2.0", "id": 1, member: {}}) is None


@pytest.mark.parametrize("request_id", [0, 7, "q", "", None])
def test_an_error_has_the_id_of_its_message(request_id):
    assert jsonrpc.failure(ProtocolError(-32600, "x"), request_id)["id"] == request_id


def test_error_data_is_sent_where_there_is_any():
    assert "data" not in jsonrpc.failure(ProtocolError(-32600, "x"), 1)["error"]
    assert jsonrpc.failure(ProtocolError(-32600, "x", data={"a": 1}), 1)["error"]["data"] == {"a": 1}


def test_encoding_is_compact_and_unescaped():
    assert jsonrpc.encode({"a": ["ü", 1]}) == '{"a":["ü",1]}'.encode()


def test_encoding_survives_lone_surrogates():
    assert jsonrpc.encode({"a": "\ud800"}) == b'{"a":"?"}'


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_encoding_refuses_what_is_no_json(number):
    with pytest.raises(ValueError, match="JSON compliant"):
        jsonrpc.encode({"a": number})
