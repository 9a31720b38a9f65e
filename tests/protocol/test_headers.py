"""The headers that repeat a request's method, name and arguments."""

import base64

import pytest
from django.http.request import HttpHeaders
from hypothesis import given
from hypothesis import strategies as st

from django_mcp.errors import ProtocolError
from django_mcp.protocol import headers as protocol_headers
from django_mcp.protocol.jsonrpc import Message

SCHEMA = {
    "type": "object",
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "count": {"type": "integer", "x-mcp-header": "Count"},
        "filter": {"type": "object", "properties": {"all": {"type": "boolean", "x-mcp-header": "all_of-it"}}},
        "free": {"type": "string"},
    },
}


def headers(**values):
    return HttpHeaders({f"HTTP_{name.upper()}": value for name, value in values.items()})


def encoded(text):
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


def refused(function, *args):
    with pytest.raises(ProtocolError) as caught:
        function(*args)
    assert (caught.value.code, caught.value.http_status) == (-32020, 400)
    return caught.value.message


def call(name="api_call", method="tools/call"):
    return Message(id=1, method=method, params={"name": name})


@pytest.mark.parametrize("method", ["tools/call", " tools/call\t"])
def test_white_space_around_a_header_is_no_part_of_it(method):
    protocol_headers.check_message(call(), headers(mcp_method=method, mcp_name="  api_call "))


@pytest.mark.parametrize("sent", [{}, {"mcp_method": ""}, {"mcp_method": "TOOLS/CALL"}, {"mcp_method": "tools/list"},
                                  {"mcp_method": encoded("tools/call")}, {"mcp_method": "tools/call,tools/call"}])  # fmt: skip
def test_the_method_is_repeated_as_it_is(sent):
    assert "Mcp-Method" in refused(protocol_headers.check_message, call(), headers(mcp_name="api_call", **sent))


@pytest.mark.parametrize("sent", [{}, {"mcp_name": "API_CALL"}, {"mcp_name": "other"}, {"mcp_name": encoded("other")},
                                  {"mcp_name": "=?base64?!!?="}, {"mcp_name": "api_call, api_call"}])  # fmt: skip
def test_the_name_is_repeated_as_it_is(sent):
    assert "Mcp-Name" in refused(protocol_headers.check_message, call(), headers(mcp_method="tools/call", **sent))


@pytest.mark.parametrize("name", ["api_call", "", "ü", " padded ", "a\nb", encoded("literal")])
def test_a_name_may_be_encoded(name):
    protocol_headers.check_message(call(name), headers(mcp_method="tools/call", mcp_name=encoded(name)))


def test_a_name_that_is_not_ascii_must_be_encoded():
    refused(protocol_headers.check_message, call("é"), headers(mcp_method="tools/call", mcp_name="é"))


@pytest.mark.parametrize("params", [{}, {"name": None}, {"name": 5}, {"name": ["x"]}])
def test_a_name_that_is_no_text_is_left_to_the_parameters(params):
    protocol_headers.check_message(Message(id=1, method="tools/call", params=params), headers(mcp_method="tools/call"))


def test_other_methods_have_no_name():
    protocol_headers.check_message(
        Message(id=1, method="tools/list", params={"name": "x", "": "y"}), headers(mcp_method="tools/list")
    )


def test_the_parameters_that_a_schema_wants_repeated_are_found_through_properties_alone():
    strange = {
        "properties": {
            "number": {"type": "number", "x-mcp-header": "Number"},
            "either": {"type": ["string", "null"], "x-mcp-header": "Either"},
            "blank": {"type": "string", "x-mcp-header": ""},
            "broken": {"type": "string", "x-mcp-header": "a b"},
            "object": {"type": "string", "x-mcp-header": {}},
            "list": {"type": "array", "items": {"properties": {"x": {"type": "string", "x-mcp-header": "X"}}}},
            "bare": True,
        },
        "anyOf": [{"properties": {"y": {"type": "string", "x-mcp-header": "Y"}}}],
    }
    assert list(protocol_headers.header_parameters(strange)) == []
    assert list(protocol_headers.header_parameters(SCHEMA)) == [
        (("region",), "Region", "string"),
        (("count",), "Count", "integer"),
        (("filter", "all"), "all_of-it", "boolean"),
    ]


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        ({}, {}),
        ({"region": None, "filter": {}}, {}),
        ({"filter": "no object"}, {}),
        ({"region": ["no", "text"]}, {}),
        ({"free": "x"}, {"mcp_param_other": "y"}),
        ({"region": "eu"}, {"mcp_param_region": "eu"}),
        ({"region": ""}, {"mcp_param_region": ""}),
        ({"region": "ü"}, {"mcp_param_region": encoded("ü")}),
        ({"region": "SGVsbG8="}, {"mcp_param_region": "SGVsbG8="}),
        ({"region": "=?base64?SGVsbG8="}, {"mcp_param_region": "=?base64?SGVsbG8="}),
        ({"count": 42}, {"mcp_param_count": "42.0"}),
        ({"count": 42.0}, {"mcp_param_count": "42"}),
        ({"count": -(10**30)}, {"mcp_param_count": str(-(10**30))}),
        ({"filter": {"all": True}}, {"mcp_param_all_of_it": "true"}),
    ],
)
def test_headers_that_repeat_the_arguments_pass(arguments, sent):
    protocol_headers.check_arguments(SCHEMA, arguments, headers(**sent))


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        ({"region": "eu"}, {}),
        ({"region": "eu"}, {"mcp_param_region": "us"}),
        ({"region": "eu"}, {"mcp_param_region": "EU"}),
        ({"region": "eu"}, {"mcp_param_region": "eu, eu"}),
        ({"region": "Hello"}, {"mcp_param_region": "=?base64?SGVsbG8?="}),
        ({"region": "Hello"}, {"mcp_param_region": "=?base64?SGVs!!!bG8=?="}),
        ({"region": "é"}, {"mcp_param_region": "é"}),
        ({}, {"mcp_param_region": "eu"}),
        ({}, {"mcp_param_region": "=?base64?!?="}),
        ({"region": None}, {"mcp_param_region": ""}),
        ({"region": ["eu"]}, {"mcp_param_region": "eu"}),
        ({"count": 42}, {"mcp_param_count": "42.5"}),
        ({"count": 42}, {"mcp_param_count": "4.2e1"}),
        ({"count": True}, {"mcp_param_count": "1"}),
        ({"filter": {"all": True}}, {"mcp_param_all_of_it": "True"}),
    ],
)
def test_headers_that_differ_from_the_arguments_are_refused(arguments, sent):
    message = refused(protocol_headers.check_arguments, SCHEMA, arguments, headers(**sent))
    assert "params.arguments." in message


@given(st.text())
def test_whatever_is_encoded_is_read_back(text):
    try:
        wrapped = encoded(text)
    except UnicodeEncodeError:
        return
    assert protocol_headers.decoded(wrapped) == text


@given(st.text(st.characters(max_codepoint=255)))
def test_a_plain_value_is_itself_or_none(text):
    plain = all(" " <= character <= "~" or character == "\t" for character in text)
    assert protocol_headers.decoded(text) in ({text} if plain and not text.startswith("=?base64?") else {text, None})


@pytest.mark.parametrize("value", ["=?base64?QQ?=", "=?base64?QR==?=", "=?base64?/w==?=", "=?base64? QQ==?="])
def test_only_one_spelling_is_an_encoding(value):
    assert protocol_headers.decoded(value) is None


@pytest.mark.parametrize(("name", "may"), [("Mcp-Param-Region", True), ("mcp-param-x!", True), ("mcp-param-", False),
                                           ("mcp-name", False), ("mcp-param-a b", False), ("mcp-param-\n", False)])  # fmt: skip
def test_which_headers_can_repeat_an_argument(name, may):
    assert protocol_headers.is_param_header(name) is may
