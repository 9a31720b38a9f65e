import pytest
from django.contrib import admin
from django.http import HttpResponse
from django.test import override_settings
from django.urls import include, path, re_path
from django.utils.translation import override
from drf_spectacular.views import SpectacularAPIView, SpectacularJSONAPIView, SpectacularSwaggerView
from rest_framework.decorators import api_view
from rest_framework.response import Response
from rest_framework.routers import DefaultRouter
from rest_framework.views import APIView

from django_mcp.catalog.discovery import forget, get_catalog
from tests.catalog.hosts import catalog_of, names_of, operation_of
from tests.catalog.users import health, routed
from tests.schema.cases import Items


def test_head_and_options_are_never_listed_and_put_and_patch_both_are():
    assert sorted(operation.method for operation in catalog_of(*routed()).operations) == [
        "DELETE", "GET", "GET", "GET", "PATCH", "POST", "POST", "PUT",
    ]  # fmt: skip


def test_only_rest_framework_views_are_operations():
    patterns = [path("admin/", admin.site.urls), path("page/", lambda request: HttpResponse()), path("health/", health)]
    assert names_of(*patterns) == ["health"]


def test_a_urlconf_that_cannot_be_imported_is_a_problem():
    catalog = get_catalog("tests.catalog.no_such_urls")
    assert catalog.operations == ()
    assert catalog.problems[0].subject == "tests.catalog.no_such_urls"
    forget()


def test_what_an_earlier_pattern_hides_is_not_listed():
    @api_view(["POST"])
    def shadowed(request):
        return Response({})

    assert [operation.method for operation in catalog_of(path("x/", health), path("x/", shadowed)).operations] == [
        "GET"
    ]


def test_patterns_that_differ_in_their_converters_are_both_listed():
    patterns = [path("x/<int:pk>/", health, name="by-number"), path("x/<slug:pk>/", health, name="by-slug")]
    assert names_of(*patterns) == ["by_number", "by_slug"]


def test_a_path_that_is_no_template_is_a_problem():
    catalog = catalog_of(re_path(r"^x/[0-9]+/$", health))
    assert catalog.operations == ()
    assert len(catalog.problems) == 1


@pytest.mark.parametrize(
    ("pattern", "route", "arguments"),
    [
        (path("users/<int:pk>/", health), "/users/{id}/", {"id": "pk"}),
        (path("users/<int:pk>/<int:id>/", health), "/users/{pk}/{id}/", {"pk": "pk", "id": "id"}),
        (re_path(r"^users/(?P<name>[a-z]+)/?$", health), "/users/{name}/", {"name": "name"}),
        (re_path(r"^x/(\d+)/$", health), "/x/{var}/", {"var": "var"}),
        (path("<a>/", include([path("<a>/", health)])), "/{a}/{a_2}/", {"a": "a", "a_2": "a_2"}),
    ],
)
def test_the_holes_of_a_route_are_the_names_of_arguments(pattern, route, arguments):
    operation = operation_of("GET", pattern)
    assert (operation.route, operation.path_arguments) == (route, arguments)


def test_routes_under_a_language_prefix_are_those_of_the_projects_language():
    with override_settings(LANGUAGES=[("en", "English"), ("cs", "Czech")]), override("cs"):
        catalog = get_catalog("tests.catalog.urls_translated")
    assert [operation.route for operation in catalog.operations] == ["/en-us/health/"]
    forget()


def test_the_views_that_show_the_apis_own_schema_are_no_operations():
    class OurSchema(SpectacularAPIView):
        pass

    class View(APIView):
        def get(self, request):
            return Response()

    views = (SpectacularAPIView, SpectacularJSONAPIView, SpectacularSwaggerView, OurSchema, View)
    assert names_of(*(path(f"{view.__name__}/", view.as_view()) for view in views)) == ["View"]


@pytest.mark.parametrize("keyword", ["format", "suffix"])
def test_a_format_suffix_makes_no_second_operation_and_no_argument(settings, keyword):
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "FORMAT_SUFFIX_KWARG": keyword}
    router = DefaultRouter()
    router.register("items", Items, "item")
    operations = catalog_of(path("api/", include(router.urls))).operations
    assert len(operations) == 6
    assert not [one.route for one in operations if keyword in one.route]


@pytest.mark.parametrize(
    "suffix", [r"(\.(?P<format>json|xml))?", r"(?:\.(?P<format>(json|xml)))?", r"(\.(?P<format>[a-z0-9]+))?/?"]
)
def test_a_format_suffix_that_may_be_left_out_is_left_out(suffix):
    class View(APIView):
        def get(self, request, format=None):
            return Response()

    assert operation_of("GET", re_path(rf"^x{suffix}$", View.as_view())).route.rstrip("/") == "/x"
