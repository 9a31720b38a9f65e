import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import override_settings
from django.urls import include, path, re_path, resolve
from django.utils.translation import gettext_lazy, override
from django.views.decorators.cache import cache_page
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.settings import spectacular_settings
from drf_spectacular.utils import extend_schema, extend_schema_view
from drf_spectacular.views import SpectacularAPIView
from rest_framework import generics, serializers
from rest_framework.authentication import BaseAuthentication, BasicAuthentication, TokenAuthentication
from rest_framework.decorators import action, api_view, authentication_classes
from rest_framework.response import Response
from rest_framework.routers import SimpleRouter
from rest_framework.schemas.openapi import AutoSchema as PlainAutoSchema
from rest_framework.versioning import AcceptHeaderVersioning, NamespaceVersioning, URLPathVersioning
from rest_framework.views import APIView
from rest_framework.viewsets import ModelViewSet, ViewSet

from django_mcp.catalog import discovery
from django_mcp.catalog.discovery import forget, get_catalog
from django_mcp.decorators import mcp_operation
from tests.catalog.hosts import catalog_of, names_of, operation_of, urlconf


@api_view(["GET"])
def health(request):
    """Tell whether it works. Everything counts.

    More about it.
    """
    return Response({})


class UserSerializer(serializers.ModelSerializer):
    class Meta:
        model = User
        fields = ["username"]


class Users(ModelViewSet):
    """The users of the shop."""

    queryset = User.objects.all()
    serializer_class = UserSerializer

    @action(detail=True, methods=["post"])
    def lock(self, request, pk=None):
        """Lock a user out."""
        return Response({})

    @action(detail=False, authentication_classes=[TokenAuthentication])
    def export(self, request):
        return Response([])


def routed(viewset=Users, basename="user"):
    router = SimpleRouter()
    router.register("users", viewset, basename=basename)
    return router.urls


class Broken(APIView):
    def __init__(self, **kwargs):
        raise LookupError(kwargs)

    def get(self, request):
        return Response({})


def test_the_callback_is_the_very_object_of_the_urlconf():
    conf = urlconf(*routed())
    operation = get_catalog(conf).get("user_lock")
    assert operation.callback is resolve("/users/1/lock/", conf).func
    assert (operation.view_class, operation.handler, operation.method) == (Users, "lock", "POST")


def test_a_decorated_view_keeps_its_decorator():
    cached = cache_page(60)(health)
    operation = operation_of("GET", path("health/", cached))
    assert operation.callback is cached
    assert operation.handler == "get"


def test_head_and_options_are_never_listed_and_put_and_patch_both_are():
    assert sorted(found.method for found in catalog_of(*routed()).operations) == [
        "DELETE", "GET", "GET", "GET", "PATCH", "POST", "POST", "PUT",
    ]  # fmt: skip


def test_only_rest_framework_views_are_operations():
    patterns = [path("admin/", admin.site.urls), path("page/", lambda request: HttpResponse()), path("health/", health)]
    assert names_of(*patterns) == ["health"]


def test_one_broken_view_does_not_hide_the_rest(caplog):
    catalog = catalog_of(path("a/", Broken.as_view()), path("health/", health), path("c/", health, name="other"))
    assert [found.name for found in catalog.operations] == ["health", "other"]
    [problem] = catalog.problems
    assert problem.subject == "a/"
    assert "LookupError" in problem.text
    assert "Traceback" in caplog.text


def test_a_broken_schema_decorator_hides_only_its_own_endpoint(caplog):
    class Awkward(APIView):
        versioning_class = URLPathVersioning

        @extend_schema(versions=["2"])
        def get(self, request):
            return Response({})

        def determine_version(self, request, *args, **kwargs):
            raise LookupError

    catalog = catalog_of(path("a/", Awkward.as_view()), path("health/", health))
    assert [found.name for found in catalog.operations] == ["health"]
    assert [problem.hides for problem in catalog.problems] == [True]
    assert "raise LookupError" in caplog.text


def test_a_urlconf_that_cannot_be_imported_is_a_problem():
    catalog = get_catalog("tests.catalog.no_such_urls")
    assert catalog.operations == ()
    assert catalog.problems[0].subject == "tests.catalog.no_such_urls"
    forget()


def test_what_an_earlier_pattern_hides_is_not_listed():
    @api_view(["POST"])
    def shadowed(request):
        return Response({})

    assert [found.method for found in catalog_of(path("x/", health), path("x/", shadowed)).operations] == ["GET"]


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


def test_preprocessing_hooks_of_the_host_hide_endpoints(monkeypatch):
    patterns = [path("api/", include(routed())), path("internal/", health)]
    hooks = [f"tests.catalog.hooks.{name}" for name in ("without_internal", "without_writes", "shortened")]
    with override_settings(SPECTACULAR_SETTINGS={"PREPROCESSING_HOOKS": hooks}):
        spectacular_settings.apply_patches({"PREPROCESSING_HOOKS": hooks})
        try:
            operations = catalog_of(*patterns).operations
        finally:
            spectacular_settings.clear_patches()
    assert [(found.name, found.route) for found in operations] == [
        ("user_export", "/api/users/export/"),
        ("user_list", "/api/users/"),
        ("user_retrieve", "/api/users/{id}/"),
    ]


def test_a_hook_that_fails_hides_everything():
    spectacular_settings.apply_patches({"PREPROCESSING_HOOKS": ["tests.catalog.hooks.broken"]})
    try:
        catalog = catalog_of(path("health/", health))
    finally:
        spectacular_settings.clear_patches()
    assert catalog.operations == ()
    assert catalog.problems[0].subject == "PREPROCESSING_HOOKS"


class Hidden(APIView):
    @extend_schema(exclude=True)
    def get(self, request):
        return Response({})

    @mcp_operation(exclude=True)
    def post(self, request):
        return Response({})

    def delete(self, request):
        return Response({})


def test_excluded_methods_are_not_listed():
    assert [found.method for found in catalog_of(path("x/", Hidden.as_view())).operations] == ["DELETE"]


def test_a_class_excluded_as_a_whole_is_not_listed():
    @extend_schema(exclude=True)
    class Some(Users):
        @extend_schema(exclude=False)
        def list(self, request):
            return Response([])

    assert names_of(*routed(Some)) == ["user_list"]


class HostsOwnSchema(AutoSchema):
    def is_excluded(self):
        return "export" in self.path

    def get_operation_id(self):
        return "not explicit"

    def get_tags(self):
        return ["not explicit"]


def test_a_schema_class_of_the_host_may_exclude_but_its_conventions_are_not_explicit():
    with override_settings(REST_FRAMEWORK={"DEFAULT_SCHEMA_CLASS": "tests.catalog.test_discovery.HostsOwnSchema"}):
        catalog = catalog_of(*routed())
    assert catalog.get("user_export") is None
    assert catalog.get("user_list").group == "tests"


def test_an_action_excluded_by_its_schema_is_not_listed():
    class Some(ViewSet):
        @action(detail=False, schema=None)
        def secret(self, request):
            return Response({})

        @extend_schema(exclude=True)
        @action(detail=False)
        def other(self, request):
            return Response({})

    assert names_of(*routed(Some)) == []


@pytest.mark.parametrize("excluded", ["USER_lock", "auth", "/health/", "get /health/", "health"])
def test_operations_can_be_excluded_by_name_group_and_route(excluded, settings):
    @mcp_operation(group="auth")
    class Grouped(Users):
        pass

    patterns = [*routed(Grouped), path("health/", health)]
    everything = set(names_of(*patterns))
    settings.DJANGO_MCP = {"EXCLUDE_OPERATIONS": [excluded]}
    left = set(names_of(*patterns))
    expected = {"USER_lock": {"user_lock"}, "auth": everything - {"health"}}.get(excluded, {"health"})
    assert everything - left == expected


def test_the_package_itself_is_not_listed():
    class Own(APIView):
        def get(self, request):
            return Response({})

    Own.__module__ = "django_mcp.transport.views"
    assert names_of(path("x/", Own.as_view())) == []


@pytest.mark.parametrize(
    ("decorate", "group", "tags"),
    [
        (lambda view: view, "tests", ()),
        (extend_schema(tags=["Stock", "Old"]), "Stock", ("Stock", "Old")),
        (lambda view: mcp_operation(group="mine")(extend_schema(tags=["Stock"])(view)), "mine", ("Stock",)),
        (lambda view: mcp_operation(group="mine")(view), "mine", ()),
    ],
)
def test_the_group_is_declared_or_the_first_tag_or_the_app(decorate, group, tags):
    @decorate
    @api_view(["GET"])
    def view(request):
        return Response({})

    operation = operation_of("GET", path("x/", view))
    assert (operation.group, operation.tags) == (group, tags)


def test_the_group_of_a_view_in_an_app_is_the_label_of_the_app():
    class View(APIView):
        def get(self, request):
            return Response({})

    View.__module__ = "django.contrib.auth.api"
    assert operation_of("GET", path("x/", View.as_view())).group == "auth"


def test_hints_are_found_below_and_above_api_view():
    @mcp_operation(name="Above", keywords=["above"], group="far")
    @api_view(["GET"])
    @mcp_operation(keywords=["below"])
    def view(request):
        return Response({})

    hints = operation_of("GET", path("x/", view)).hints
    assert (hints.name, hints.keywords, hints.group) == ("Above", ("below",), "far")


def test_hints_on_the_class_hold_for_the_named_actions_only():
    @mcp_operation(actions=["lock"], when_to_use="To lock.")
    class Some(Users):
        pass

    catalog = catalog_of(*routed(Some))
    assert [found.name for found in catalog.operations if found.hints.when_to_use] == ["user_lock"]


def test_names_and_aliases_resolve_whatever_their_case():
    @mcp_operation(aliases=["Ping", "health"])
    @api_view(["GET"])
    def alive(request):
        return Response({})

    catalog = catalog_of(path("alive/", alive), path("health/", health))
    assert catalog.get("PING") is catalog.get("Alive")
    assert catalog.get("HEALTH").route == "/health/"
    assert [problem.subject for problem in catalog.problems] == ["alive"]
    assert catalog.get("nothing") is None
    assert catalog.get(None) is None


class OwnAuthentication(BaseAuthentication):
    def authenticate(self, request):
        return None


def authenticated(*classes):
    @api_view(["GET"])
    @authentication_classes(classes)
    def view(request):
        return Response({})

    return view


@pytest.mark.parametrize(
    ("view", "own"),
    [
        (health, False),
        (authenticated(BasicAuthentication), False),
        (authenticated(BasicAuthentication, OwnAuthentication), True),
        (authenticated(), True),
        (APIView.as_view(authentication_classes=[OwnAuthentication]), True),
    ],
)
def test_a_view_with_other_authentication_than_the_default_is_marked(view, own):
    if view.cls is APIView:

        class View(APIView):
            def get(self, request):
                return Response({})

        view = View.as_view(authentication_classes=[OwnAuthentication])
    assert operation_of("GET", path("x/", view)).own_authentication is own


def test_authentication_of_a_single_action_is_seen():
    catalog = catalog_of(*routed())
    assert {found.name for found in catalog.operations if found.own_authentication} == {"user_export"}


def test_a_view_that_makes_its_authenticators_itself_is_marked():
    class View(APIView):
        def get_authenticators(self):
            return [OwnAuthentication()]

        def get(self, request):
            return Response({})

    assert operation_of("GET", path("x/", View.as_view())).own_authentication


def test_no_authentication_is_not_its_own_where_that_is_the_default():
    with override_settings(REST_FRAMEWORK={"DEFAULT_AUTHENTICATION_CLASSES": []}):
        assert not operation_of("GET", path("x/", authenticated())).own_authentication


def test_texts_come_from_the_docstring_of_the_handler_then_of_the_view():
    catalog = catalog_of(*routed(), path("health/", health))
    texts = {found.name: (found.summary, found.description) for found in catalog.operations}
    assert texts["health"][0] == "Tell whether it works."
    assert texts["health"][1].endswith("More about it.")
    assert texts["user_lock"] == ("Lock a user out.", "Lock a user out.")
    assert texts["user_destroy"] == ("Delete user: The users of the shop.", "The users of the shop.")
    assert texts["user_export"][0] == "Export: The users of the shop."


def test_the_libraries_docstrings_are_not_the_hosts():
    class Bare(generics.ListAPIView):
        queryset = User.objects.all()

    assert operation_of("GET", path("x/", Bare.as_view())).description == ""


def test_declared_texts_win():
    @extend_schema_view(list=extend_schema(summary="All of them", description="Long text."))
    class Some(Users):
        @mcp_operation(description="For agents. And more.")
        def create(self, request):
            """For developers."""
            return Response({})

    catalog = catalog_of(*routed(Some))
    assert (catalog.get("user_list").summary, catalog.get("user_list").description) == ("All of them", "Long text.")
    assert catalog.get("user_create").summary == "For agents."
    assert catalog.get("user_create").description == "For agents. And more."


def test_a_summary_is_one_line_of_bounded_length():
    class View(APIView):
        def get(self, request):
            return Response({})

    View.get.__doc__ = "word " * 100 + "\n  more"
    summary = operation_of("GET", path("x/", View.as_view())).summary
    assert len(summary) <= 160
    assert summary.endswith("…")
    assert "\n" not in summary


def test_a_summary_has_no_markup_of_the_hosts_pages_in_it():
    class View(APIView):
        """<!-- For users --> Gives <b>all</b> of a <a href="#x">room</a>, by its <uuid>."""

        def get(self, request):
            return Response({})

    assert operation_of("GET", path("x/", View.as_view())).summary == "Gives all of a room, by its <uuid>."


def test_translated_texts_are_in_the_language_of_the_project():
    @extend_schema(summary=gettext_lazy("Yes"), description=gettext_lazy("No"))
    @api_view(["GET"])
    def view(request):
        return Response({})

    with override("cs"):
        operation = operation_of("GET", path("x/", view))
    assert (operation.summary, operation.description) == ("Yes", "No")
    with override_settings(LANGUAGE_CODE="cs"):
        assert operation_of("GET", path("x/", view)).summary == "Ano"


def test_routes_under_a_language_prefix_are_those_of_the_projects_language():
    with override_settings(LANGUAGES=[("en", "English"), ("cs", "Czech")]), override("cs"):
        catalog = get_catalog("tests.catalog.urls_translated")
    assert [found.route for found in catalog.operations] == ["/en-us/health/"]
    forget()


@pytest.mark.parametrize("default", ["drf_spectacular.openapi.AutoSchema", "rest_framework.schemas.openapi.AutoSchema"])
def test_declarations_count_with_and_without_spectacular_as_the_default(default):
    with override_settings(REST_FRAMEWORK={"DEFAULT_SCHEMA_CLASS": default}):

        @extend_schema(tags=["t"])
        class View(APIView):
            @extend_schema(operation_id="x", exclude=False)
            def get(self, request):
                return Response({})

            @extend_schema(exclude=True)
            def post(self, request):
                return Response({})

        [operation] = catalog_of(path("x/", View.as_view())).operations
    assert (operation.name, operation.tags) == ("x", ("t",))


def test_a_declaration_made_under_another_default_schema_class_counts():
    class View(APIView):
        schema = PlainAutoSchema(tags=["old"])

        @extend_schema(operation_id="fetch")
        def get(self, request):
            return Response({})

    with override_settings(REST_FRAMEWORK={"DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema"}):
        assert names_of(path("x/", View.as_view())) == ["fetch"]


@pytest.mark.parametrize("versioning", [AcceptHeaderVersioning, NamespaceVersioning, URLPathVersioning])
def test_declarations_for_the_default_version_count(versioning):
    class Versioned(versioning):
        default_version = "v1"
        allowed_versions = ["v1", "v2"]

    class View(APIView):
        versioning_class = Versioned

        @extend_schema(operation_id="one", versions=["v1"])
        @extend_schema(operation_id="two", versions=["v2"])
        def get(self, request, version=None):
            return Response({})

    assert names_of(path("x/<version>/", View.as_view())) == ["one"]


def test_the_version_of_a_namespace_counts():
    class Versioned(NamespaceVersioning):
        allowed_versions = ["v1", "v2"]

    class View(APIView):
        versioning_class = Versioned

        @extend_schema(summary="one", versions=["v1"])
        @extend_schema(summary="two", versions=["v2"])
        def get(self, request):
            return Response({})

    view = View.as_view()
    catalog = catalog_of(
        path("1/", include(([path("x/", view)], "v1"))), path("2/", include(([path("x/", view)], "v2")))
    )
    assert [found.summary for found in catalog.operations] == ["one", "two"]


def test_the_index_is_made_once_per_urlconf():
    conf = urlconf(path("health/", health))
    assert get_catalog(conf) is get_catalog(conf)
    assert get_catalog(conf) is not get_catalog(urlconf(path("health/", health)))


def test_threads_share_one_index(monkeypatch):
    made = []
    index = discovery._index
    monkeypatch.setattr(discovery, "_index", lambda key: made.append(key) or index(key))
    conf, start = urlconf(*routed()), threading.Barrier(8)

    def ask(_number):
        start.wait()
        return get_catalog(conf)

    with ThreadPoolExecutor(8) as threads:
        assert len(set(map(id, threads.map(ask, range(8))))) == 1
    assert len(made) == 1


def test_forgetting_makes_a_new_index():
    conf = urlconf(path("health/", health))
    before = get_catalog(conf)
    forget()
    assert get_catalog(conf) is not before


def test_indexing_runs_no_authenticator_and_prints_nothing(capsys):
    class Loud(APIView):
        authentication_classes = [OwnAuthentication]

        @extend_schema(summary="x", operation_id="loud")
        def get(self, request):
            return Response({})

        def perform_authentication(self, request):
            raise AssertionError

    assert names_of(path("x/", Loud.as_view()), path("schema/", SpectacularAPIView.as_view())) == ["loud"]
    assert capsys.readouterr() == ("", "")


def test_operations_that_are_named_and_do_not_exist_are_reported_with_the_nearest():
    @mcp_operation(name="Pay", prerequisites=["Basket"], preview="Quoet", follow_ups=["SHIP", "nothing like it"])
    @api_view(["POST"])
    def pay(request): ...

    def other(name):
        return mcp_operation(name=name, aliases=[f"{name}Now"])(api_view(["POST"])(lambda request: None))

    problems = catalog_of(
        path("pay/", pay), *(path(f"{name}/", other(name)) for name in ("Basket", "Quote", "Ship"))
    ).problems
    assert [(problem.subject, problem.cure) for problem in problems] == [
        ("Pay", "Did you mean 'Quote'?"),
        ("Pay", "`manage.py mcp operations` lists what there is."),
    ]
    assert "preview" in problems[0].text
    assert "'nothing like it'" in problems[1].text


def test_an_operation_may_be_named_by_its_alias():
    view = mcp_operation(name="Pay", aliases=["Settle"], follow_ups=["settle"])(
        api_view(["POST"])(lambda request: None)
    )
    assert catalog_of(path("pay/", view)).problems == ()


def test_a_wrong_name_said_for_a_whole_viewset_is_reported_once():
    @mcp_operation(follow_ups=["Shipp"])
    class Orders(ModelViewSet):
        queryset = User.objects.all()

    router = SimpleRouter()
    router.register("orders", Orders)
    [problem] = catalog_of(*router.urls).problems
    assert "5 more" in problem.text
