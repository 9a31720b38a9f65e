"""What `mcp_operation` refuses when a module is imported: what it cannot mean, and above all what it would ignore."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy
from rest_framework import generics, viewsets
from rest_framework.decorators import action, api_view
from rest_framework.views import APIView

from django_mcp import mcp_operation, mcp_tool
from django_mcp.choices import Safety
from django_mcp.decorators import hints_for
from tests.host.models import Item


class Items(viewsets.ModelViewSet):
    queryset = Item.objects.all()

    @action(methods=["post"], detail=True)
    def lock(self, request, pk): ...

    @lock.mapping.delete
    def unlock(self, request, pk): ...

    def export(self, request):
        """Routed by `as_view({"get": "export"})`, for all that is known here."""

    def perform_destroy(self, instance): ...


class Plain(APIView):
    def get(self, request): ...

    def delete(self, request): ...


class OneItem(generics.RetrieveDestroyAPIView):
    queryset = Item.objects.all()


@api_view(["GET", "POST"])
def function(request): ...


def undecorated(request): ...


@pytest.mark.parametrize(
    ("view", "name", "near"),
    [
        (Items, "destory", "destroy"),
        (Items, "Destroy", "destroy"),
        (Items, "loc", "lock"),
        (Items, "unlocks", "unlock"),
        (Items, "delete", "There are"),
        (Items, "perform_destroy", "destroy"),
        (Items, "get_queryset", "There are"),
        (Items, "queryset", "There are"),
        (Items, "__init__", "There are"),
        (Plain, "destroy", "There are delete, get"),
        (Plain, "delte", "delete"),
        (OneItem, "destory", "destroy"),
        (OneItem, "list", "There are"),
        (function, "pots", "post"),
        (function, "delete", "There are get, options, post"),
        (undecorated, "destroy", "There are"),
        (undecorated, "GET", "get"),
    ],
)
def test_an_action_that_the_view_has_not_stops_the_start(view, name, near):
    with pytest.raises(ImproperlyConfigured) as refused:
        mcp_operation(actions=["delete" if view is Plain else name, name], exclude=True)(view)
    text = str(refused.value)
    assert f"actions=[{name!r}]" in text
    assert view.__module__ in text
    assert near in text
    assert not hasattr(view, "_mcp_operation")


@pytest.mark.parametrize(
    ("view", "names"),
    [
        (Items, ["destroy", "partial_update", "lock", "unlock", "export"]),
        (Plain, ["delete", "get"]),
        (OneItem, ["destroy", "delete", "retrieve"]),
        (function, ["post", "get"]),
        (undecorated, ["post", "undecorated"]),
        (type("Mixin", (), {}), ["destroy"]),
    ],
)
def test_the_actions_of_a_view_are_taken(view, names):
    target = type("Own", (view,), {}) if isinstance(view, type) else view
    mcp_operation(actions=names, exclude=True)(target)
    try:
        assert all(hints_for(target, handler=name).exclude for name in names)
        assert not hints_for(target, handler="other").exclude
    finally:
        del target._mcp_operation


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"actions": "destroy"}, "write actions=['destroy']"),
        ({"actions": []}, "leave it out"),
        ({"actions": [""]}, "a list of texts"),
        ({"actions": 3}, "a list of texts"),
        ({"exlude": True}, "Did you mean exclude?"),
        ({"sensitive": ["pin"]}, "Did you mean sensitive_fields?"),
        ({"exclude": "yes"}, "True or False"),
        ({"exclude": None}, "True or False"),
        ({"exclude": 1}, "True or False"),
        ({"requires_approval": "False"}, "True or False"),
        ({"safety": "read"}, "one of ReadOnly, Write, Destructive"),
        ({"safety": "readonly"}, "Did you mean ReadOnly?"),
        ({"safety": None}, "one of ReadOnly"),
        ({"group": None}, "a text"),
        ({"group": " "}, "a text"),
        ({"name": 3}, "a text"),
        ({"keywords": "a"}, "write keywords=['a']"),
        ({"sensitive_fields": "pin"}, "write sensitive_fields=['pin']"),
        ({"volatile_fields": [None]}, "a list of texts"),
        ({"sensitive_fields": {"pin": True}}, "a list of texts"),
        ({"permissions": "shop.add_order"}, "write permissions=['shop.add_order']"),
        ({"permissions": ["add_order"]}, "app_label.codename"),
        ({"summary": "Order"}, "a function"),
        ({"state": 1}, "a function"),
    ],
)
def test_an_option_that_cannot_be_meant_stops_the_start(options, text):
    with pytest.raises(ImproperlyConfigured) as refused:
        mcp_operation(**options)
    assert text in str(refused.value)
    assert next(iter(options)) in str(refused.value)


def test_the_right_values_are_taken():
    @mcp_operation(safety="ReadOnly", group=gettext_lazy("shop"), keywords={"a"}, permissions=(), exclude=False)
    def view(request): ...

    hints = hints_for(view, handler="get")
    assert (hints.safety, hints.keywords, hints.permissions, hints.exclude) == (Safety.READ_ONLY, ("a",), (), False)


def test_an_unknown_option_of_a_tool_names_the_nearest():
    with pytest.raises(ImproperlyConfigured, match=r"does not know permission\. Did you mean permissions\?"):
        mcp_tool(group="desk", permission=["shop.add_order"])


@mcp_operation(actions=["destroy"], exclude=True)
class Undestroyed:
    pass


@mcp_operation(requires_approval=True)
class Approved:
    pass


def test_what_each_base_of_a_view_restricts_holds():
    class View(Approved, Undestroyed, Items):
        pass

    @mcp_operation(group="own")
    class Own(View):
        pass

    for view in (View, Own):
        assert hints_for(view, handler="destroy").exclude
        assert hints_for(view, handler="destroy").requires_approval
        assert not hints_for(view, handler="list").exclude


def test_what_a_subclass_says_again_holds():
    class Destroyed(Undestroyed, Items):
        pass

    mcp_operation(actions=["destroy"], exclude=False)(Destroyed)
    assert not hints_for(Destroyed, handler="destroy").exclude
    assert hints_for(Undestroyed, handler="destroy").exclude
