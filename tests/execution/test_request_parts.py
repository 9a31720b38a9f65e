"""The parts of the request that a call becomes: path, query string with its page size, and body."""

import pytest

from django_mcp.errors import ValidationFailed
from django_mcp.types import Argument
from tests.execution.conftest import execute
from tests.host.models import Item

pytestmark = pytest.mark.django_db
durable = pytest.mark.django_db(transaction=True)


def test_a_missing_path_argument_is_named(call, context):
    with pytest.raises(ValidationFailed) as refused:
        execute(call("DELETE", "/items/{pk}/", {}, at="/items/1/"), context)
    assert refused.value.details == {"errors": {"pk": ["This field is required."]}}


def test_query_arguments_are_text(call, context):
    query = {"many": [1, True], "flag": False, "unset": None, "big": 2**70, "text": "a&b=c"}
    assert execute(call("GET", "/sees/", query), context).data["query"] == {
        "many": ["1", "true"],
        "flag": ["false"],
        "big": [str(2**70)],
        "text": ["a&b=c"],
    }


@pytest.mark.parametrize("query", [{"text": "a" * 9000}, {"many": ["é"] * 1000}])
def test_a_query_string_that_a_web_server_would_refuse_is_refused(call, context, query):
    with pytest.raises(ValidationFailed, match=r"The query string would have .* at most 8192 are taken"):
        execute(call("GET", "/sees/", query), context)


@pytest.mark.parametrize(
    ("sent", "rows"), [({"limit": 2}, 2), ({"limit": 5000}, 100), ({"limit": 0}, 25), ({"limit": "x"}, 25)]
)
def test_the_page_size_is_capped(call, context, sent, rows):
    Item.objects.bulk_create(Item(name=str(number)) for number in range(120))
    reply = execute(call("GET", "/items/", sent), context)
    assert len(reply.data["results"]) == rows
    assert bool(reply.notes) is (rows == 100)


def test_numbered_pages_are_sized_through_their_own_argument(call, context):
    Item.objects.bulk_create(Item(name=str(number)) for number in range(30))
    assert len(execute(call("GET", "/numbered/"), context).data["results"]) == 25


def test_a_view_decides_on_its_parsers_by_request(call, context):
    assert execute(call("POST", "/choosing/", {"title": "T"}), context).data["sent_as"] == "multipart/form-data"


def test_a_json_dialect_is_spoken(call, context):
    assert execute(call("POST", "/dialect/", {"title": "T"}), context).data["sent_as"] == "application/vnd.api+json"


@durable
def test_a_put_with_a_file_keeps_what_it_does_not_name(call, context):
    execute(call("POST", "/items/", {"name": "x", "active": True}), context)
    pk = Item.objects.get().pk
    file = {"logo": Argument(location="body", wire="logo", file=True)}
    sent = {"pk": pk, "name": "y", "logo": "data:image/png;base64,aGVsbG8="}
    assert execute(call("PATCH", "/items/{pk}/", sent, at="/items/1/", placement=file), context).status == 200
    assert Item.objects.get().active is True
