"""Declarations that restrict and that match nothing are errors, with the class, the wrong name and the nearest."""

import pytest
from django.core.checks import ERROR
from django.urls import include, path
from drf_spectacular.settings import spectacular_settings
from rest_framework import generics, serializers, viewsets
from rest_framework.decorators import action, api_view
from rest_framework.routers import SimpleRouter

from django_mcp import checks, doctor, mcp_operation
from django_mcp.access import server_config
from tests.catalog.hosts import catalog_of
from tests.host.models import Item


class ItemSerializer(serializers.ModelSerializer):
    total = serializers.SerializerMethodField()

    class Meta:
        model = Item
        fields = ["name", "total"]


class Items(viewsets.ModelViewSet):
    queryset = Item.objects.all()
    serializer_class = ItemSerializer


def routed(view, **initkwargs):
    router = SimpleRouter()
    router.register("items", view, basename="item")
    return path("", include(router.urls))


def ignored(*patterns):
    return [
        (problem.subject, problem.text, problem.cure) for problem in catalog_of(*patterns).problems if problem.restricts
    ]


@mcp_operation(actions=["destory"], exclude=True)
class Mixin:
    pass


def test_a_mixin_that_names_no_action_of_any_view():
    class View(Mixin, Items): ...

    [(subject, text, cure)] = ignored(routed(View))
    assert subject == f"{__name__}.Mixin"
    assert "actions=['destory']" in text
    assert cure == "Did you mean destroy?"


@mcp_operation(actions=["destroy"], exclude=True)
class Guarded:
    pass


def test_a_mixin_whose_action_one_of_the_views_has_not_is_no_mistake():
    class ReadOnly(Guarded, viewsets.ReadOnlyModelViewSet):
        queryset, serializer_class = Item.objects.all(), ItemSerializer

    class View(Guarded, Items): ...

    assert ignored(routed(ReadOnly), path("all/", include([routed(View)]))) == []
    assert ignored(routed(ReadOnly)) == []


def test_a_function_that_does_not_answer_the_method():
    @api_view(["GET", "POST"])
    @mcp_operation(actions=["delete"], exclude=True)
    def function(request): ...

    [(subject, text, _cure)] = ignored(path("x/", function))
    assert subject.endswith("function")
    assert "actions=['delete']" in text


def test_a_handler_that_is_named_by_its_http_method():
    class View(Items):
        @mcp_operation(actions=["delete"], exclude=True)
        def destroy(self, request, *args, **kwargs):
            return super().destroy(request, *args, **kwargs)

    [(_subject, text, _cure)] = ignored(routed(View))
    assert "actions=['delete']" in text


def test_a_method_that_no_request_is_answered_by():
    class View(Items):
        @mcp_operation(exclude=True)
        def perform_destroy(self, instance): ...

        @mcp_operation(exclude=True)
        @action(detail=True)
        def left_out(self, request, pk): ...

    [(subject, text, _cure)] = ignored(routed(View), path("other/", View.as_view({"get": "list"})))
    assert subject.endswith("View")
    assert "perform_destroy()" in text


def test_an_action_that_a_hook_hides_is_no_mistake():
    class View(Items):
        def export(self, request): ...

    mcp_operation(actions=["export"], exclude=True)(View)
    hooks = {"PREPROCESSING_HOOKS": ["tests.catalog.hooks.without_internal"]}
    spectacular_settings.apply_patches(hooks)
    try:
        assert ignored(path("internal/", View.as_view({"get": "export"}))) == []
    finally:
        spectacular_settings.clear_patches()
    assert len(ignored(path("x/", View.as_view({"get": "list"})))) == 1


@pytest.mark.parametrize("name", ["views", "owner", "owner_id", "people", "total", "changed_at"])
def test_a_volatile_field_of_the_model_or_the_serializer(name):
    assert ignored(routed(mcp_operation(volatile_fields=[name])(type("View", (Items,), {})))) == []


def test_a_volatile_field_that_is_none():
    found = ignored(routed(mcp_operation(actions=["destroy"], volatile_fields=["veiws"])(type("View", (Items,), {}))))
    [(subject, text, cure)] = found
    assert (subject, cure) == ("item_destroy", "Did you mean views?")
    assert "volatile_fields=['veiws']" in text


def test_volatile_fields_of_an_unknown_model_are_left_alone():
    view = mcp_operation(volatile_fields=["views"])(api_view(["POST"])(lambda request: None))
    assert ignored(path("x/", view)) == []


def test_a_generic_view_is_restricted_by_the_name_of_its_action_or_of_its_method():
    for name in ("destroy", "delete"):
        view = mcp_operation(actions=[name], exclude=True)(
            type("View", (generics.RetrieveDestroyAPIView,), {"queryset": Item.objects.all()})
        )
        found = catalog_of(path("items/<int:pk>/", view.as_view()))
        assert [operation.method for operation in found.operations] == ["GET"]
        assert ignored(path("items/<int:pk>/", view.as_view())) == []


class Mistaken(Mixin, Items):
    pass


urlpatterns = [routed(Mistaken)]


@pytest.mark.django_db
@pytest.mark.urls(__name__)
def test_it_is_an_error_of_the_checks_and_of_the_doctor():
    [message] = [message for message in checks.check_names(None) if message.level == ERROR]
    assert (message.id, message.hint) == ("django_mcp.E018", "Did you mean destroy?")
    complaints = doctor.examine(server_config.current())
    assert any(complaint.severity == "error" and "destory" in complaint.text for complaint in complaints)
