import logging

import pytest

from django_mcp.protocol.json import parse_portable
from tests.execution.conftest import execute
from tests.host import views

pytestmark = pytest.mark.django_db


@pytest.fixture
def kind(call, context):
    def answered(name):
        reply = execute(call("GET", "/kinds/{kind}/", {"kind": name}, at="/kinds/x/"), context)
        if reply.attachment is not None:
            reply.attachment.content.close()
        return reply

    return answered


def test_no_content_is_none(kind):
    reply = kind("empty")
    assert (reply.status, reply.data, reply.ok) == (204, None, True)


def test_a_redirect_is_reported_and_not_followed(kind):
    reply = kind("moved")
    assert (reply.status, reply.location, reply.data) == (302, "/elsewhere/", None)


def test_a_file_is_described_and_not_decoded(kind):
    assert kind("png").data == {"contentType": "image/png", "size": 8, "filename": "logo ž.png"}


def test_a_stream_of_text_is_the_text(kind):
    data = kind("stream").data
    assert (data["contentType"], data["size"]) == ("text/csv", len(data["text"]))
    assert "streamed" in views.seen


def test_bytes_are_described_and_not_decoded(kind):
    assert kind("binary").data == {"contentType": "application/octet-stream", "size": 3, "filename": None}


def test_what_is_not_json_after_all_is_text(kind):
    assert kind("broken_json").data["text"] == "{"


def test_text_in_an_unknown_character_set_is_described(kind):
    assert kind("odd_charset").data == {"contentType": "text/plain", "size": 1, "filename": None}


def test_a_stream_that_cannot_be_closed_is_described_all_the_same(kind):
    assert kind("unclosable").status == 200


def test_a_page_is_text(kind):
    assert kind("page").data["text"] == "<h1>Žluťoučký</h1>"


def test_long_text_is_cut_between_characters(kind, settings):
    settings.DJANGO_MCP = {"MAX_RESULT_LENGTH": 1001}
    reply = kind("long")
    assert reply.data["text"] == "ž" * 500
    assert reply.notes == ("The text was cut after 1001 of 200000 bytes.",)


def test_numbers_that_json_has_not_are_null_with_a_note(kind):
    reply = kind("odd_numbers")
    assert reply.data == {"nan": None, "inf": [None], "ok": 1.5}
    assert len(reply.notes) == 1


def test_integers_that_readers_would_round_are_text(kind):
    assert kind("big_integers").data == {
        "id": "725653563933458432",
        "edge": 9007199254740991,
        "over": "9007199254740992",
        "negative": "-9007199254740992",
    }


@pytest.mark.parametrize("text", ["9" * 5000, "-" + "9" * 5000])
def test_integers_of_any_length_are_read(text):
    assert parse_portable(f"[{text}]") == ([text], ())


def test_a_number_beyond_floats_is_null():
    assert parse_portable("[1e400]")[0] == [None]


def test_values_are_written_by_the_encoder_of_drf(kind):
    assert kind("types").data == {
        "uuid": "00000000-0000-0000-0000-000000000001",
        "decimal": 1.5,
        "delta": "1.0",
        "lazy": "Yes",
    }


def test_not_found_is_no_error_of_the_server(kind, caplog):
    reply = kind("missing")
    assert (reply.status, reply.error_id) == (404, "")
    assert "django_mcp" not in caplog.text


def test_retry_after_is_read_and_a_5xx_is_named_in_the_log(kind, caplog):
    with caplog.at_level(logging.ERROR, "django_mcp"):
        reply = kind("busy")
    assert (reply.status, reply.retry_after, reply.data) == (503, 7, {"detail": "Later."})
    assert reply.error_id in caplog.text


def test_a_date_in_retry_after_is_seconds(kind):
    assert 50 <= kind("busy_until").retry_after <= 60


def test_an_error_page_is_not_passed_on(kind):
    assert kind("debug_page").data is None


def test_a_view_that_answers_nothing_is_an_error(kind):
    assert kind("nothing").status == 500


@pytest.mark.parametrize("route", ["/csv-first/", "/browsable/"])
def test_json_is_preferred(call, context, route):
    assert execute(call("GET", route), context).data == {"a": 1, "ž": 2}


def test_a_renderer_that_is_the_only_one_is_used(call, context):
    assert execute(call("GET", "/csv/"), context).data == {
        "contentType": "text/csv",
        "size": 11,
        "filename": None,
        "text": "a,1\r\nž,2\r\n",
    }
