"""What models get: every answer of the host in one envelope that strict clients take."""

import json

import pytest
from jsonschema import Draft7Validator, Draft202012Validator

from django_mcp.catalog.discovery import get_catalog
from tests.host.models import Item, Ticket
from tests.host.rows import BIG

pytestmark = pytest.mark.django_db

ARGUMENTS = {
    "id": 1,
    "number": BIG,
    "path_number": BIG,
    "slug": "apollo",
    "path_slug": "apollo",
    "project_slug": "apollo",
}


def strict(text):
    def refuse(constant):
        raise AssertionError(constant)

    return json.loads(text, parse_constant=refuse)


@pytest.fixture
def tools(alice):
    return alice.tools()


def arguments_for(api):
    known = {**ARGUMENTS, "email": "a+b@x.cz", "version": "v1", "kind": "types", "left": 1, "right": "f", "title": "T"}
    properties = api["inputSchema"]["properties"]
    needed = api["inputSchema"].get("required", ())
    return {name: known.get(name, [] if properties[name].get("type") == "array" else "text") for name in needed}


def test_every_result_of_every_operation_fits_the_schema_that_was_promised(alice, tools):
    seen = set()
    for operation in get_catalog().operations:
        api = alice.describe(operation.name)
        if "error" in api:
            continue
        for tool in ("api_read", "api_call"):
            result = alice.tool(tool, {"name": operation.name, "args": arguments_for(api)})
            if result.status == "requires_confirmation":
                result = result.confirm()
            seen.add(result.data["status"])
            schema = tools[tool]["outputSchema"]
            Draft202012Validator(schema).validate(result.raw["structuredContent"])
            Draft7Validator(schema).validate(result.raw["structuredContent"])
            assert strict(result.content[0]["text"]) == result.raw["structuredContent"]
    assert seen == {"success", "error"}


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("api_search", {}),
        ("api_search", {"query": "zzzz"}),
        ("api_search", {"query": "tickets", "take": 1}),
        ("api_search", {"take": "x"}),
        ("api_search", {"safety": "Bad"}),
        ("api_describe", {}),
        ("api_describe", {"names": ["item_list", "nope"]}),
        ("api_describe", {"names": "item_list"}),
        ("api_describe", {"names": [1]}),
        ("api_call", {"name": "nope", "args": {}}),
        ("api_call", {"name": "item_list", "args": 5}),
    ],
)
def test_finding_and_failing_fit_the_promised_schema_too(alice, tools, tool, arguments):
    result = alice.tool(tool, arguments)
    Draft202012Validator(tools[tool]["outputSchema"]).validate(result.raw["structuredContent"])


def test_a_bare_list_is_wrapped(alice):
    result = alice.read("shape_list")
    assert isinstance(result.raw["structuredContent"], dict)
    assert [row["kind"] for row in result.response] == ["circle", "box"]


def test_the_text_is_compact_and_keeps_its_letters(alice):
    Item.objects.filter(pk=1).update(name="žluť")
    text = alice.read("item_list", limit=1).text
    assert "žluť" in text
    assert '": ' not in text
    assert "\n" not in text


def test_a_deletion_without_an_answer_is_a_success(attempt):
    deleted = attempt("item_destroy", id=1)
    assert (deleted.status, deleted.data["httpStatus"], deleted.response) == ("success", 204, None)


def test_numbers_that_json_has_not_are_null_and_said(alice):
    result = alice.read("kinds_kind", kind="odd_numbers")
    assert result.response == {"nan": None, "inf": [None], "ok": 1.5}
    assert result.data["warnings"]


@pytest.mark.parametrize("kind", ["png", "binary", "stream", "odd_charset", "unclosable"])
def test_bytes_are_described_and_never_read_as_text(alice, kind):
    result = alice.read("kinds_kind", kind=kind)
    assert result.status == "success"
    assert "\ufffd" not in json.dumps(result.raw["structuredContent"], ensure_ascii=False)
    assert "contentType" in result.response


@pytest.mark.parametrize(("operation", "text"), [("csv", "a,1"), ("api_camel", "firstName"), ("by_accept", "1.5")])
def test_a_renderer_of_the_hosts_own_is_used_where_it_is_the_only_one(alice, operation, text):
    assert text in json.dumps(alice.read(operation).response)


@pytest.mark.parametrize("operation", ["browsable", "csv_first"])
def test_no_page_for_people_comes_back_where_there_is_data(alice, operation):
    assert alice.read(operation).response == {"a": 1, "ž": 2}


def test_a_view_that_refuses_to_negotiate_is_a_refusal_and_no_crash(alice):
    refused = alice.read("picky")
    assert (refused.code, refused.data["httpStatus"]) == ("operation_failed", 406)


@pytest.mark.parametrize("debug", [True, False])
@pytest.mark.parametrize("operation", ["crash", "crash_nested", "crash_after_writing", "unrenderable"])
def test_a_crash_tells_the_model_an_error_id_and_nothing_else(alice, settings, caplog, debug, operation):
    settings.DEBUG = debug
    answer = alice.call(operation, {"password": "hunter2"} if operation == "crash" else {}).confirm()
    text = json.dumps(answer.raw)
    assert answer.is_error
    assert not [word for word in ("Traceback", "SELECT", "hunter2", ".py", "Error(", "KeyError") if word in text]
    assert answer.data["errorId"] in caplog.text


def test_many_rows_are_cut_on_rows_and_the_way_on_is_named(alice):
    project = Ticket.objects.get(pk=1).project
    Ticket.objects.bulk_create(
        Ticket(project=project, title="t", details={"text": "žluťoučký kůň " * 60}) for _ in range(300)
    )
    result = alice.read("project_ticket_list", project_slug="apollo", limit=50)
    size = len(json.dumps(result.response, ensure_ascii=False, separators=(",", ":")).encode())
    assert size <= 32 * 1024
    assert result.data["truncated"]
    assert result.response["count"] == 307
    assert "limit" in " ".join(result.data["warnings"])


def test_validation_errors_name_field_problem_and_allowed_values(alice):
    refused = alice.call("project_ticket_create", {"project_slug": "apollo", "title": "T", "kind": "chore"})
    assert refused.code == "validation_error"
    assert "kind" in refused.error
    assert "chore" in refused.error
    assert refused.response["kind"]


def test_what_the_host_renders_late_is_plain_json(alice):
    assert alice.read("kinds_kind", kind="types").response == {
        "uuid": "00000000-0000-0000-0000-000000000001",
        "decimal": 1.5,
        "delta": "1.0",
        "lazy": "Yes",
    }
