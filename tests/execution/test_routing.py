"""From a call to its own route: every text stays in its hole, in any language."""

import pytest
from django.utils import timezone, translation

from django_mcp.errors import NotFound
from django_mcp.types import Argument
from tests.execution.conftest import call_of, execute, operation_at
from tests.host.models import Item, Person

pytestmark = pytest.mark.django_db


def test_a_slug_that_needs_encoding_reaches_its_row(call, context):
    person = Person.objects.create(email="a+b%20@x.cz")
    sent = call("GET", "/people/{email}/", {"email": person.email}, at="/people/x/")
    assert execute(sent, context).data["id"] == person.pk


@pytest.mark.parametrize("pk", ["archive", "1/star", "../people/1", "a/b", "", "\0", "1/", "1.json"])
def test_a_path_argument_cannot_leave_its_hole(call, context, pk):
    Item.objects.create(name="untouched")
    with pytest.raises(NotFound):
        execute(call("DELETE", "/items/{pk}/", {"pk": pk}, at="/items/1/"), context)
    assert Item.objects.count() == 1


@pytest.mark.parametrize(("left", "right"), [("1/2", "3"), ("1", "2-3")])
def test_values_cannot_shift_between_holes(call, context, left, right):
    route, at = ("/split/{left}/{right}/", "/split/1/2/") if "/" in left else ("/dash/{left}-{right}/", "/dash/1-2/")
    with pytest.raises(NotFound):
        execute(call("GET", route, {"left": left, "right": right}, at=at), context)


def test_a_path_converter_may_hold_slashes(call, context):
    spread = call("GET", "/split/{left}/{right}/", {"left": "a", "right": "b/c"}, at="/split/1/2/")
    assert execute(spread, context).data == {"left": "a", "right": "b/c"}


def test_converted_values_are_compared_after_conversion(call, context):
    summed = call("POST", "/add/{left}/{right}/", {"left": "007", "right": "ff"}, at="/add/1/2/")
    assert execute(summed, context).data == {"sum": 262, "data": {}}


def test_arguments_find_their_holes_by_the_names_of_the_route(call, context):
    placement = {"path_a": Argument(location="path", wire="a"), "b": Argument(location="path", wire="b")}
    names = {"a": "left", "b": "right"}
    sent = call(
        "POST",
        "/split/{a}/{b}/",
        {"path_a": "1", "b": "2"},
        at="/split/1/2/",
        placement=placement,
        path_arguments=names,
    )
    assert execute(sent, context).data == {"left": "1", "right": "2"}


def test_positional_groups_are_filled(call, context):
    sent = call("GET", "/groups/{var}/{var_2}/", {"var": "1", "var_2": "2"}, at="/groups/1/2/")
    assert execute(sent, context).data == {"left": "1", "right": "2"}
    with pytest.raises(NotFound):
        execute(call("GET", "/groups/{var}/{var_2}/", {"var": "1/2", "var_2": "3"}, at="/groups/1/2/"), context)


def test_a_view_moved_out_of_the_urlconf_is_not_found(call, context, settings):
    sent = call("GET", "/initial/")
    settings.ROOT_URLCONF = "tests.urls"
    with pytest.raises(NotFound):
        execute(sent, context)


def test_the_urlconf_of_the_request_is_used(call, context, settings):
    sent = call("GET", "/initial/")
    settings.ROOT_URLCONF = "tests.urls"
    context.outer.urlconf = "tests.execution.urls"
    assert execute(sent, context).status == 200


def test_language_and_time_zone_are_the_callers_afterwards(call, context):
    with translation.override("cs"), timezone.override("Europe/Prague"):
        execute(call("GET", "/sees/"), context)
        assert translation.get_language() == "cs"
        assert timezone.get_current_timezone_name() == "Europe/Prague"


def test_a_prefixed_route_is_resolved_in_the_language_of_the_caller(context, settings):
    settings.ROOT_URLCONF = urlconf = "tests.execution.translated_urls"
    settings.LANGUAGE_CODE = "en"
    with translation.override("en"):
        sent = call_of(operation_at("/en/initial/", "/en/initial/", "GET", urlconf), {})
    with translation.override("cs"):
        assert execute(sent, context).status == 200


def test_a_default_language_without_prefix_is_prefixed_for_others(context, settings):
    settings.ROOT_URLCONF = urlconf = "tests.execution.half_translated_urls"
    settings.LANGUAGE_CODE = "en"
    with translation.override("en"):
        sent = call_of(operation_at("/initial/", "/initial/", "GET", urlconf), {})
    with translation.override("cs"):
        assert execute(sent, context).status == 200


def test_a_route_of_no_language_is_not_found(call, context, settings):
    sent = call("DELETE", "/items/{pk}/", {"pk": "a/b"}, at="/items/1/")
    with translation.override("cs"), pytest.raises(NotFound):
        execute(sent, context)
