"""The host's views run as they do over HTTP: whole life cycle, filters, pages, versions, transactions."""

import json
from contextlib import contextmanager

import pytest
from django.core.cache import cache

from django_mcp.testing import McpClient
from tests.host import views
from tests.host.models import Item, Person, Project, Scan, Ticket

pytestmark = pytest.mark.django_db
durable = pytest.mark.django_db(transaction=True)


def test_rows_that_a_filter_guards_do_not_exist(alice, bob):
    assert {row["id"] for row in alice.read("my_ticket_list").response["results"]} == {1, 3}
    assert bob.read("my_ticket_retrieve", id=1).code == "not_found"


def test_search_ordering_and_pages_are_described_and_work(alice):
    properties = alice.describe("project_ticket_list")["inputSchema"]["properties"]
    assert {"heavier", "kind", "open"} <= set(properties)
    assert {"search", "ordering", "limit", "offset"} <= set(properties)
    found = alice.read("project_ticket_list", project_slug="apollo", search="ticket", ordering="-weight", limit=2)
    assert [row["title"] for row in found.response["results"]] == ["ticket 6", "ticket 5"]


def test_the_hosts_own_filters_are_described_and_work(alice):
    properties = alice.describe("my_ticket_list")["inputSchema"]["properties"]
    assert {"open", "due", "heavier", "kind"} <= set(properties)
    heavy = alice.read("my_ticket_list", heavier=30, open=True).response["results"]
    assert [row["title"] for row in heavy] == ["ticket 4", "ticket 6"]
    assert alice.read("my_ticket_list", kind=["wish"]).response["count"] == 0
    assert alice.read("my_ticket_list", kind=["bug", "wish"]).response["count"] == 4
    assert alice.read("my_ticket_list", kind="bug").response["count"] == 4
    assert alice.read("my_ticket_list", kind='["bug"]').response["count"] == 4
    assert alice.read("my_ticket_list", kind=["chore"]).code == "validation_error"


def test_each_kind_of_page_can_be_turned(alice):
    assert len(alice.read("my_ticket_list", page=2).response["results"]) == 2
    assert len(alice.read("numbered_list", page=2, page_size=5).response["results"]) == 5
    assert alice.read("item_list", limit=2, offset=4).response["results"][0]["id"] == 5
    first = alice.read("ticket_stream_list").response
    cursor = first["next"].partition("cursor=")[2]
    assert [
        row["id"] for row in alice.read("ticket_stream_list", cursor=cursor.replace("%3D", "=")).response["results"]
    ] == [3, 4]


def test_links_lead_to_the_host_that_was_asked(alice, settings):
    settings.ALLOWED_HOSTS = ["api.example.com"]
    alice.headers["Host"] = "api.example.com"
    page = alice.read("item_list", limit=2, offset=2).response
    assert page["next"] == "http://api.example.com/items/?limit=2&offset=4"
    assert "testserver" not in json.dumps(page)


def test_a_nested_row_is_found_below_its_parent_only(alice):
    assert alice.read("project_ticket_retrieve", project_slug="apollo", id=1).response["id"] == 1
    assert alice.read("project_ticket_retrieve", project_slug="other", id=1).code == "not_found"


def test_a_nested_row_is_made_under_its_parent(attempt):
    made = attempt("project_ticket_create", project_slug="apollo", title="New", details={"a": [1]})
    ticket = Ticket.objects.get(pk=made.response["id"])
    assert (ticket.project.slug, ticket.owner.username, ticket.details) == ("apollo", "alice", {"a": [1]})


def test_an_argument_in_the_prefix_of_an_include_is_one_as_any_other(alice, attempt):
    assert alice.read("ticket_below_retrieve", project_slug="apollo", id=1).response["id"] == 1
    assert alice.read("ticket_below_retrieve", project_slug="other", id=1).code == "not_found"
    made = attempt("ticket_below_create", project_slug="apollo", title="New", details={})
    assert Ticket.objects.get(pk=made.response["id"]).project.slug == "apollo"
    assert attempt("note_of_year", number=7).response == {"emails": []}


@pytest.mark.parametrize("email", ["a+b@x.cz", "ž ü@x.cz", "50%@x.cz", "q?#&@x.cz"])
def test_a_row_is_looked_up_by_any_text_that_a_url_can_hold(alice, attempt, email):
    assert alice.read("person_retrieve", email=email).response["email"] == email
    assert attempt("person_destroy", email=email).data["httpStatus"] == 204
    assert not Person.objects.filter(email=email).exists()


@pytest.mark.parametrize("email", ["../1", "a/b", "..", "", "?x=1", "#x", "%2e%2e", "a+b@x.cz/", "a\n"])
def test_no_text_leaves_its_place_in_the_url(alice, email):
    assert alice.read("person_retrieve", email=email).is_error
    assert alice.call("person_destroy", {"email": email}).is_error
    assert Person.objects.count() == 4


@pytest.mark.parametrize("slug", ["apollo/tickets/1", "Apollo", "apollo.json"])
def test_what_the_route_does_not_match_is_not_found(alice, slug):
    assert alice.read("project_retrieve", slug=slug).code == "not_found"


@pytest.mark.parametrize(
    "operation", ["project_ticket_destroy", "project_ticket_update", "project_ticket_partial_update"]
)
def test_a_preview_shows_nothing_of_a_row_that_is_refused(alice, operation):
    args = {"project_slug": "apollo", "id": 3, **({} if "destroy" in operation else {"title": "T"})}
    refused = alice.call(operation, args)
    assert refused.code == "permission_denied"
    assert "locked" not in refused.text
    assert "2.00" not in refused.text


def test_a_permission_that_needs_the_url_decides_at_the_call(alice):
    assert "project_ticket_list" in [api["name"] for api in alice.search("project tickets")]
    refused = alice.read("project_ticket_list", project_slug="closed")
    assert (refused.code, refused.data["httpStatus"]) == ("permission_denied", 403)
    assert "This project is closed." in refused.error


def test_what_djangos_permissions_deny_is_out_of_reach(alice, bob):
    names = ("guarded_ticket_destroy", "guarded_ticket_partial_update")
    assert [bob.call(name, {"id": 1}).code for name in names] == ["not_found", "not_found"]
    assert alice.call("guarded_ticket_destroy", {"id": 1}).status == "requires_confirmation"


def test_a_throttle_is_charged_for_a_proposal_and_not_again_for_its_confirmation(alice):
    proposal = alice.call("throttled_create", {"name": "x"})
    assert proposal.confirm().status == "success"
    refused = alice.call("throttled_create", {"name": "y"})
    assert (refused.code, 0 < refused.data["retryAfter"] <= 60) == ("throttled", True)


def test_several_methods_of_one_action_are_operations_of_their_own(attempt):
    assert attempt("project_open_tickets", slug="apollo").response == {"open": 6}
    assert attempt("project_open_tickets_delete", slug="apollo").response == {"changed": 7}
    assert attempt("project_open_tickets_post", slug="apollo").response == {"changed": 7}
    assert attempt("project_cover_set_cover", path_slug="apollo", title="New").response == {"title": "New"}
    assert Project.objects.get(slug="apollo").title == "New"


def test_a_function_tells_its_methods_apart(attempt):
    assert attempt("note_put", number=77, email="new@x.cz").data["httpStatus"] == 201
    assert attempt("note", number=77).response == {"emails": ["new@x.cz"]}
    assert attempt("note_put", number=77).code == "conflict"
    assert attempt("note_delete", number=77).data["httpStatus"] == 204


def test_views_without_a_serializer_take_what_they_like(attempt):
    assert attempt("plain_create", name="free", more=[1, {"a": None}]).response == {
        "name": "free",
        "more": [1, {"a": None}],
    }
    assert Item.objects.filter(name="free").exists()


def test_a_declared_read_over_post_needs_no_confirmation(alice):
    assert alice.read("finding", part="item 0").response["names"][0] == "item 00"


@pytest.mark.parametrize(
    ("operation", "args", "version"),
    [
        ("by_path_version", {"version": "v7"}, "v7"),
        ("v2_v2_by_namespace", {}, "v2"),
        ("by_accept", {}, "1.5"),
        ("api_by_query", {}, "1.0"),
        ("api_by_host", {}, "v1"),
    ],
)
def test_every_way_of_versioning_finds_its_version(alice, operation, args, version):
    assert alice.read(operation, **args).response == {"version": version}


def test_a_version_in_the_host_name_is_that_of_the_endpoint(alice):
    alice.headers["Host"] = "v3.example.com"
    assert alice.read("api_by_host").response == {"version": "v3"}


def test_a_shape_is_read_by_its_kind(attempt):
    assert attempt("shape_create", kind="circle", radius=2).response["radius"] == 2
    assert attempt("shape_create", kind="box", width=1, height=2).response["height"] == 2
    refused = attempt("shape_create", kind="circle", radius=0)
    assert (refused.code, "radius" in refused.error) == ("validation_error", True)


def test_a_tree_is_answered_to_its_last_leaf(alice):
    tree = alice.read("ticket_tree_retrieve", id=1).response
    depth = 0
    while tree["children"]:
        [tree] = tree["children"]
        depth += 1
    assert depth == 7


def test_a_file_is_uploaded_to_a_view_that_takes_forms_only(attempt):
    made = attempt("scan_create", title="T", page="data:text/plain;name=a.txt;base64,aGVsbG8=")
    assert made.response["size"] == 5


def test_a_missing_flag_of_a_form_is_not_switched_off(attempt):
    Scan.objects.filter(pk=1).update(public=True)
    assert attempt("scan_publish", id=1, title="T").response == {"public": True}


def test_what_middleware_put_on_the_request_is_there(alice, settings):
    settings.MIDDLEWARE = [*settings.MIDDLEWARE, "tests.cases.test_dispatch.flagging"]
    alice = McpClient(key=alice.key)
    assert alice.read("sees").response["flag"] == "set outside"


def flagging(get_response):
    def middleware(request):
        request.flag = "set outside"
        return get_response(request)

    return middleware


def test_filters_are_sent_as_a_query_and_never_as_a_body(alice, settings):
    sent = []

    @contextmanager
    def record(request):
        sent.append((request.method, request.META["QUERY_STRING"], request.body))
        yield

    settings.DJANGO_MCP = {"EXECUTION_CONTEXT": [record]}
    alice.read("project_ticket_list", project_slug="apollo", search="a b", limit=2)
    assert sent == [("GET", "search=a+b&limit=2", b"")]


def test_a_context_of_the_host_sees_who_calls(alice, bob, settings):
    actors = []

    @contextmanager
    def record(request):
        actors.append(request.user.get_username())
        yield

    settings.DJANGO_MCP = {"EXECUTION_CONTEXT": [record]}
    for mcp in (alice, bob):
        mcp.call("hooked").confirm()
    assert actors == ["alice"] * 2 + ["bob"] * 2


def test_a_tenant_sees_its_own_rows_only(people, settings):
    settings.MIDDLEWARE = [*settings.MIDDLEWARE, "tests.host.tenants.tenant_middleware"]
    mcp = McpClient(user=people["alice"])
    for host, slugs in (("acme.example.com", ["apollo", "closed"]), ("globex.example.com", ["other"])):
        mcp.headers["Host"] = host
        assert [row["slug"] for row in mcp.read("tenant_project_list").response] == slugs
    assert mcp.call("tenant_project_destroy", {"id": 1}).code == "not_found"
    made = mcp.call("tenant_project_create", {"slug": "new", "title": "New"}).confirm()
    assert made.response["tenant"] == "globex"


def test_cached_answers_are_each_callers_own(alice, bob):
    for operation in ("cached", "cached_by_cookie"):
        assert [mcp.read(operation).response["user"] for mcp in (alice, bob, alice)] == ["alice", "bob", "alice"]
    cache.clear()


@durable
def test_a_hook_runs_once_at_the_confirmation_and_never_else(alice):
    proposal = alice.call("hooked")
    assert views.hooks == []
    proposal.confirm()
    assert views.hooks == ["hooked"]
    assert proposal.confirm().code == "confirmation_used"
    assert alice.call("crash").confirm().is_error
    assert views.hooks == ["hooked"]


@durable
def test_a_refusal_by_exception_undoes_what_was_written(attempt):
    odd = Ticket.objects.get(title="ticket 1")
    refused = attempt("project_ticket_split", project_slug="apollo", id=odd.pk)
    assert (refused.code, Ticket.objects.filter(title__endswith="half").count()) == ("validation_error", 0)
    assert "Nothing was changed." in refused.error


@durable
def test_a_hook_of_an_action_has_run_before_the_answer(attempt):
    even = Ticket.objects.get(title="ticket 4")
    assert attempt("project_ticket_split", project_slug="apollo", id=even.pk).data["httpStatus"] == 201
    assert Ticket.objects.get(pk=even.pk).weight == 20


@durable
def test_a_refusal_by_answer_keeps_what_was_written_and_promises_nothing(attempt):
    refused = attempt("save_then_answer")
    assert Item.objects.filter(name="kept").exists()
    assert "Nothing was changed" not in refused.error


@durable
def test_without_a_transaction_nothing_is_undone_and_nothing_promised(autocommit, attempt):
    refused = attempt("save_then_refuse")
    assert Item.objects.filter(name="half done").exists()
    assert "Nothing was changed" not in refused.error
    assert attempt("crash_after_writing").code == "outcome_unknown"
    assert Item.objects.filter(name="gone").exists()


@durable
def test_an_async_view_runs_where_no_transaction_is_asked_for(autocommit, attempt):
    assert attempt("async").response == {"user": "alice"}
    assert Item.objects.filter(name="async").exists()
