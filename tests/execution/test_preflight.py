from contextlib import contextmanager
from dataclasses import replace

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError, connections, transaction
from django.http import HttpResponseRedirect
from django.utils import translation
from rest_framework import serializers
from rest_framework.throttling import BaseThrottle

from django_mcp.approval import preview
from django_mcp.approval.preview import Finding
from django_mcp.errors import NotFound, ValidationFailed
from django_mcp.execution.gateway import prepare
from django_mcp.execution.preflight import examine
from django_mcp.execution.targets import target_of
from django_mcp.execution.written import writes
from django_mcp.redaction import MASK
from django_mcp.types import Argument
from tests.execution.conftest import call_of, execute, operation_at, swallowing
from tests.host import views
from tests.host.models import Item, Person

pytestmark = pytest.mark.django_db
durable = pytest.mark.django_db(transaction=True)


# What REST shows of the item: its name as a text, which may tell more, is not in here.
SHOWN = {"id": 1, "name": "Mug", "price": "4.50", "active": True}


@pytest.fixture
def item():
    return Item.objects.create(name="Mug", price="4.50", pin="1234")


def test_a_valid_create_is_not_refused_and_writes_nothing(call, context):
    assert examine(call("POST", "/items/", {"name": "x"}), context) == Finding()
    assert not Item.objects.exists()


def test_invalid_data_is_refused_by_drfs_own_handler(call, context):
    refusal = examine(call("POST", "/items/", {"price": "dear"}), context).refusal
    assert refusal.status == 400
    assert set(refusal.data) == {"name", "price"}


@pytest.mark.parametrize(
    ("method", "route", "arguments", "at", "status"),
    [
        ("POST", "/denied/", {"name": "x"}, None, 403),
        ("DELETE", "/items/{pk}/", {"pk": "9"}, "/items/1/", 404),
        ("POST", "/items/{pk}/star/", {"pk": "9"}, "/items/1/star/", 404),
        ("POST", "/items/{pk}/star/", {"pk": "abc"}, "/items/1/star/", 404),
        ("PATCH", "/generic/{pk}/", {"pk": 9, "name": "x"}, "/generic/1/", 404),
    ],
)
def test_permissions_and_look_up_are_refused(call, context, method, route, arguments, at, status):
    assert examine(call(method, route, arguments, at=at), context).refusal.status == status


def test_the_object_of_another_is_refused_and_not_shown(call, context, item, django_user_model):
    item.owner = django_user_model.objects.create_user("bob")
    item.save()
    for method, route, at in (("DELETE", "/items/{pk}/", "/items/1/"), ("POST", "/items/{pk}/star/", "/items/1/star/")):
        finding = examine(call(method, route, {"pk": item.pk}, at=at), context)
        assert finding.refusal.status == 403
        assert (finding.target, finding.effect.details) == (None, None)
        assert "Mug" not in str(finding)


def test_a_media_type_that_the_view_does_not_parse_is_refused(call, context, monkeypatch):
    class Other(views.JSONParser):
        media_type = "application/x-other"

    monkeypatch.setattr(views.ItemViewSet, "parser_classes", [Other])
    assert examine(call("POST", "/items/", {"name": "x"}), context).refusal.status == 415


def test_a_method_that_the_view_refuses_is_refused(call, context, monkeypatch):
    monkeypatch.setattr(views.ItemViewSet, "http_method_names", ["get"])
    assert examine(call("POST", "/items/", {"name": "x"}), context).refusal.status == 405


def test_data_is_not_judged_where_the_host_wrote_the_handler(call, context):
    finding = examine(call("POST", "/own-create/", {}), context)
    assert finding.refusal is None
    assert len(finding.effect.warnings) == 1
    assert execute(call("POST", "/own-create/", {}), context).status == 201


def test_an_action_without_a_body_is_looked_up_only(call, context, item):
    finding = examine(call("POST", "/items/{pk}/star/", {"pk": item.pk}, at="/items/1/star/"), context)
    assert finding.refusal is None
    assert finding.effect.details == {"target": f"item {item.pk}", "row": SHOWN}
    assert (finding.target.model, finding.target.pk, finding.target.using) == (Item, item.pk, "default")
    assert finding.target.fields == ("id", "name", "price", "active", "pin", "views", "owner_id")
    item.refresh_from_db()
    assert item.views == 0


@pytest.mark.parametrize(("route", "at"), [("/items/{pk}/", "/items/1/"), ("/generic/{pk}/", "/generic/1/")])
def test_an_update_shows_what_changes_and_compares_those_columns(call, context, item, route, at):
    sent = {"pk": item.pk, "name": "Cup\n", "price": "4.5", "active": True}
    finding = examine(call("PATCH", route, sent, at=at), context)
    assert finding.effect.details == {"changes": [{"field": "name", "from": "Mug", "to": "Cup"}]}
    assert finding.target.fields == ("name", "price", "active")
    item.refresh_from_db()
    assert item.name == "Mug"


def test_secrets_are_masked_in_the_preview(call, context, item):
    change = call("PATCH", "/items/{pk}/", {"pk": item.pk, "pin": "9999"}, at="/items/1/")
    finding = examine(replace(change, sensitive=frozenset({"pin"})), context)
    assert finding.effect.details == {"changes": [{"field": "pin", "to": MASK}]}


def test_what_the_serializer_writes_besides_is_shown_and_compared(call, context, item):
    finding = examine(call("PUT", "/stamping/{pk}/", {"pk": item.pk, "name": "Cup"}, at="/stamping/1/"), context)
    assert finding.effect.details == {
        "changes": [
            {"field": "name", "from": "Mug", "to": "Cup"},
            {"field": "views", "from": 0, "to": "set when it runs"},
            {"field": "owner", "to": f"user {context.caller.user.pk}"},
        ]
    }
    assert set(finding.target.fields) == {"name", "views", "owner_id"}


def test_the_column_that_the_row_was_found_by_belongs_to_its_state(call, item):
    sent = call("PATCH", "/items/{pk}/", {"pk": item.pk, "price": "5"}, at="/items/1/")
    found = target_of(sent, item, views.ItemSerializer(item), found_by="name")
    assert found.fields == ("price", "name")


def test_a_partial_update_writes_only_what_was_sent(call, context, item):
    finding = examine(call("PATCH", "/stamping/{pk}/", {"pk": item.pk, "name": "Cup"}, at="/stamping/1/"), context)
    assert [change["field"] for change in finding.effect.details["changes"]] == ["name"]


def test_a_file_is_shown_by_its_name_and_size():
    class Photo(serializers.Serializer):
        photo = serializers.FileField()

    upload = SimpleUploadedFile("a.txt", b"abc", "text/plain")
    serializer = Photo(data={"photo": upload})
    assert serializer.is_valid()
    sent = call_of(operation_at("/items/1/", "/items/{pk}/", "PATCH"), {"photo": "data:,"})
    assert preview.update(sent, {"photo": "old.txt"}, writes(sent, serializer), standard=True).details == {
        "changes": [{"field": "photo", "from": "old.txt", "to": "a.txt (text/plain, 3 bytes)"}]
    }


def test_a_many_to_many_change_is_shown_and_compares_the_whole_row(call, context, item):
    person = Person.objects.create(email="a@x.cz")
    finding = examine(call("PATCH", "/items/{pk}/", {"pk": item.pk, "people": [person.pk]}, at="/items/1/"), context)
    assert finding.effect.details == {
        "changes": [{"field": "people", "from": [], "to": [person.pk], "label": '"a@x.cz"'}]
    }
    assert "name" in finding.target.fields
    assert finding.target.relations == ("people",)


def test_a_put_checks_all_fields(call, context, item):
    sent = call("PUT", "/items/{pk}/", {"pk": item.pk, "price": "1"}, at="/items/1/")
    assert examine(sent, context).refusal.data == {"name": ["This field is required."]}


def test_an_invalid_update_is_refused(call, context, item):
    sent = call("PATCH", "/items/{pk}/", {"pk": item.pk, "price": "dear"}, at="/items/1/")
    assert set(examine(sent, context).refusal.data) == {"price"}


def test_a_deletion_names_the_row_and_compares_all_lasting_columns(call, context, item):
    sent = call("DELETE", "/generic/{pk}/", {"pk": item.pk}, at="/generic/1/", volatile_fields=("views", "owner"))
    finding = examine(sent, context)
    assert finding.effect.details == {"deletes": f"item {item.pk}", "row": SHOWN}
    assert finding.target.fields == ("id", "name", "price", "active", "pin")
    assert Item.objects.exists()


def test_an_argument_that_was_renamed_is_shown_under_its_own_name(call, context, item):
    placement = {
        "path_pk": Argument(location="path", wire="pk"),
        "new_name": Argument(location="body", wire="name"),
    }
    sent = call("PATCH", "/items/{pk}/", {"path_pk": item.pk, "new_name": "Cup"}, at="/items/1/", placement=placement)
    assert examine(sent, context).effect.details == {"changes": [{"field": "new_name", "from": "Mug", "to": "Cup"}]}


def test_a_proposal_counts_for_the_throttles_of_its_view(call, context):
    sent = call("POST", "/throttled/", {"name": "x"})
    assert examine(sent, context).refusal is None
    refusal = examine(sent, context).refusal
    assert refusal.status == 429
    assert refusal.retry_after > 0
    assert cache.get(f"one-a-minute-{context.caller.user.pk}") is not None


def test_a_refused_proposal_counts_as_well(call, context):
    assert examine(call("POST", "/throttled/", {}), context).refusal.status == 400
    assert examine(call("POST", "/throttled/", {}), context).refusal.status == 429


def test_the_run_of_a_proposal_is_not_charged_again(call, context):
    sent = call("POST", "/throttled/", {"name": "x"})
    assert examine(sent, context).refusal is None
    assert prepare(sent, context).run(charged=True).status == 201
    assert prepare(sent, context).run().status == 429


def test_what_runs_without_a_proposal_counts_when_it_runs(call, context):
    sent = call("POST", "/throttled/", {"name": "x"})
    assert prepare(sent, context).run().status == 201
    assert prepare(sent, context).run().status == 429


@durable
def test_nothing_that_the_view_does_on_the_way_remains(call, context, monkeypatch):
    def get_queryset(view):
        Item.objects.create(name="trace")
        transaction.on_commit(lambda: views.hooks.append("trace"))
        translation.activate("fr")
        return Item.objects.filter(name="nothing")

    monkeypatch.setattr(views.ItemViewSet, "get_queryset", get_queryset)
    with translation.override("cs"):
        refusal = examine(call("DELETE", "/items/{pk}/", {"pk": 1}, at="/items/1/"), context).refusal
        assert translation.get_language() == "cs"
    assert refusal.status == 404
    assert not Item.objects.exists()
    assert views.hooks == []
    assert not transaction.get_connection().in_atomic_block


def test_a_preflight_inside_a_transaction_undoes_only_itself(call, context, monkeypatch):
    def get_queryset(view):
        Item.objects.create(name="trace")
        return Item.objects.all()

    monkeypatch.setattr(views.ItemViewSet, "get_queryset", get_queryset)
    with transaction.atomic():
        kept = Item.objects.create(name="kept")
        assert examine(call("DELETE", "/items/{pk}/", {"pk": kept.pk}, at="/items/1/"), context).refusal is None
        assert list(Item.objects.values_list("name", flat=True)) == ["kept"]


def test_an_async_view_is_rehearsed(call, context):
    finding = examine(call("POST", "/async/"), context)
    assert finding.refusal is None
    assert finding.effect.warnings
    assert not Item.objects.exists()


def test_a_function_view_is_rehearsed(call, context):
    finding = examine(call("POST", "/add/{left}/{right}/", {"left": 1, "right": "ff"}, at="/add/1/2/"), context)
    assert finding.refusal is None
    assert finding.effect.warnings


@durable
def test_a_database_that_cannot_be_reached_is_not_written_to(call, context, monkeypatch):
    class Unreachable(type(connections["default"])):
        refusals = 0

        def ensure_connection(self):
            if self.connection is None and self.refusals == 0:
                self.refusals += 1
                msg = "unable to open database file"
                raise OperationalError(msg)
            # It is back, when the transaction could not be opened any more.
            self.connection = connections["default"].connection

    options = {**connections.settings["default"], "ATOMIC_REQUESTS": False}
    monkeypatch.setitem(connections.settings, "broken", options)
    connections["broken"] = Unreachable(options, "broken")

    def get_queryset(view):
        Item.objects.using("broken").create(name="trace")
        return Item.objects.all()

    monkeypatch.setattr(views.ItemViewSet, "get_queryset", get_queryset)
    refusal = examine(call("DELETE", "/items/{pk}/", {"pk": 1}, at="/items/1/"), context).refusal
    assert refusal.status == 500
    assert not Item.objects.exists()
    del connections["broken"]


def test_the_order_of_the_shop_is_previewed(call, context, settings, shop):
    settings.ROOT_URLCONF = "tests.urls"
    placed = {
        "customer_name": "Sam",
        "items": [{"product_id": 7, "size": "Grande", "quantity": 2, "options": []}],
    }
    created = execute(call("POST", "/api/orders/", placed, urlconf="tests.urls"), context)
    assert created.status == 201
    more = [{**placed["items"][0], "quantity": 3}]
    sent = {"pk": created.data["id"], "customer_name": "Sam", "items": more}
    finding = examine(call("PATCH", "/api/orders/{pk}/", sent, at="/api/orders/1/", urlconf="tests.urls"), context)
    change, total = finding.effect.details["changes"]
    assert total == {"field": "total", "from": "11.00", "to": "16.50"}
    assert change["field"] == "items"
    assert (change["from"][0]["quantity"], change["to"][0]["quantity"]) == (2, 3)
    assert finding.refusal is None


def test_the_route_is_checked_as_in_execution(call, context, item):
    with pytest.raises(NotFound):
        examine(call("DELETE", "/items/{pk}/", {"pk": "archive"}, at="/items/1/"), context)


def test_execution_contexts_are_entered_and_undone(call, context, settings):
    @contextmanager
    def logged(request):
        Item.objects.create(name=f"by {request.user}")
        yield

    settings.DJANGO_MCP = {"EXECUTION_CONTEXT": [logged]}
    assert examine(call("POST", "/items/", {"name": "x"}), context).refusal is None
    assert not Item.objects.exists()


def test_an_operation_can_opt_out(call, context):
    finding = examine(call("POST", "/items/", {}, preflight=False), context)
    assert (finding.refusal, len(finding.effect.warnings)) == (None, 1)


def test_a_dry_run_of_the_host_is_the_preview_and_is_undone(call, context):
    def dry_run(caller, arguments):
        return {"would_create": Item.objects.create(name=arguments["name"]).name, "for": caller.user.username}

    finding = examine(call("POST", "/items/", {"name": "x"}, dry_run=dry_run), context)
    assert finding.effect.details == {"would_create": "x", "for": "alice"}
    assert not Item.objects.exists()


def test_a_broken_view_is_refused_with_an_error_id(call, context, monkeypatch, caplog):
    def get_queryset(view):
        msg = "SELECT secret"
        raise LookupError(msg)

    monkeypatch.setattr(views.ItemViewSet, "get_queryset", get_queryset)
    refusal = examine(call("PATCH", "/items/{pk}/", {"pk": 1, "name": "x"}, at="/items/1/"), context).refusal
    assert (refusal.status, refusal.data) == (500, None)
    assert refusal.error_id in caplog.text


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_an_update_that_the_host_wrote_is_shown_and_not_judged(call, context, item, method):
    sent = {"pk": item.pk, "name": "Cup", "pin": "9", "price": "dear"}
    finding = examine(replace(call(method, "/own/{pk}/", sent, at="/own/1/"), sensitive=frozenset({"pin"})), context)
    assert finding.refusal is None
    assert finding.effect.warnings
    assert finding.effect.details == {
        "changes": [
            {"field": "name", "sent": "Cup"},
            {"field": "pin", "sent": MASK},
            {"field": "price", "sent": "dear"},
        ]
    }
    assert finding.target.fields == ("name", "price", "pin")


def test_a_deletion_that_the_host_wrote_names_the_row(call, context, item):
    finding = examine(call("DELETE", "/own/{pk}/", {"pk": item.pk}, at="/own/1/"), context)
    assert finding.effect.details == {"deletes": f"item {item.pk}"}
    assert "name" in finding.target.fields


@pytest.mark.parametrize("row", [LookupError("no such thing"), {"id": 1}])
def test_a_row_that_cannot_be_found_in_advance_is_no_target(call, context, monkeypatch, row):
    def get_object(view):
        if isinstance(row, Exception):
            raise row
        return row

    monkeypatch.setattr(views.Own, "get_object", get_object)
    finding = examine(call("POST", "/own/{pk}/", {"pk": 1}, at="/own/1/"), context)
    assert (finding.refusal, finding.target) == (None, None)


def test_a_handler_without_a_serializer_is_looked_up_all_the_same(call, context, item, monkeypatch):
    monkeypatch.setattr(views.Own, "serializer_class", None)
    finding = examine(call("PATCH", "/own/{pk}/", {"pk": item.pk, "name": "x"}, at="/own/1/"), context)
    assert finding.effect.details == {"changes": []}
    assert "name" in finding.target.fields


def test_a_row_without_a_name_is_still_named(call, context, item, monkeypatch):
    def broken(row):
        raise LookupError

    monkeypatch.setattr(Item, "__str__", broken)
    finding = examine(call("DELETE", "/items/{pk}/", {"pk": item.pk}, at="/items/1/"), context)
    assert finding.effect.details["deletes"] == f"item {item.pk}"


def test_throttles_of_another_kind_are_not_charged(call, context, monkeypatch):
    class Other(BaseThrottle):
        def allow_request(self, request, view):
            msg = "it would be charged"
            raise AssertionError(msg)

    monkeypatch.setattr(views.ItemViewSet, "throttle_classes", [Other])
    assert examine(call("POST", "/items/", {"name": "x"}), context).refusal is None


def test_a_swallowing_context_refuses(call, context, settings, monkeypatch):
    def get_queryset(view):
        raise LookupError

    monkeypatch.setattr(views.ItemViewSet, "get_queryset", get_queryset)
    settings.DJANGO_MCP = {"EXECUTION_CONTEXT": [swallowing]}
    refusal = examine(call("DELETE", "/items/{pk}/", {"pk": 1}, at="/items/1/"), context).refusal
    assert (refusal.status, refusal.rolled_back) == (500, True)


def test_an_error_meant_for_the_model_comes_out_of_a_dry_run(call, context):
    def dry_run(caller, arguments):
        raise ValidationFailed("Out of stock.")

    with pytest.raises(ValidationFailed):
        examine(call("POST", "/items/", {"name": "x"}, dry_run=dry_run), context)


def test_a_redirect_before_the_handler_is_no_check(call, context, monkeypatch):
    def dispatch(view, request, *args, **kwargs):
        return HttpResponseRedirect("/login/")

    monkeypatch.setattr(views.ItemViewSet, "dispatch", dispatch)
    finding = examine(call("POST", "/items/", {}), context)
    assert (finding.refusal, len(finding.effect.warnings)) == (None, 1)


def test_long_values_are_shown_short(call, context, item):
    finding = examine(call("PATCH", "/items/{pk}/", {"pk": item.pk, "name": "\u202ex " * 30}, at="/items/1/"), context)
    (change,) = finding.effect.details["changes"]
    assert "\u202e" not in change["to"]
    people = [Person.objects.create(email=f"{number}@x.cz").pk for number in range(30)]
    finding = examine(call("PATCH", "/items/{pk}/", {"pk": item.pk, "people": people}, at="/items/1/"), context)
    assert finding.effect.details["changes"][0]["to"] == [*people[:20], "… and 10 more"]


def test_a_row_that_the_handler_does_not_look_up_is_neither_missed_nor_shown(call, context, item):
    for key in ("9", str(item.pk)):
        finding = examine(call("POST", "/own-below/{pk}/", {"pk": key}, at="/own-below/1/"), context)
        assert (finding.refusal, finding.target, finding.effect.details) == (None, None, None)
