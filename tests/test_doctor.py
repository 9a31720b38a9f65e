"""The doctor on an API with one of each complaint. This module is its URLconf."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.urls import include, path, re_path
from django_filters import Filter, FilterSet
from django_filters.rest_framework import DjangoFilterBackend
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers, viewsets
from rest_framework.authentication import TokenAuthentication
from rest_framework.pagination import LimitOffsetPagination, PageNumberPagination
from rest_framework.parsers import BaseParser, FileUploadParser, JSONParser, MultiPartParser
from rest_framework.permissions import AllowAny, BasePermission
from rest_framework.renderers import TemplateHTMLRenderer
from rest_framework.response import Response
from rest_framework.routers import SimpleRouter
from rest_framework.views import APIView

from django_mcp import doctor
from django_mcp.access.server_config import current
from django_mcp.catalog import discovery
from django_mcp.decorators import mcp_operation
from django_mcp.doctor import Severity, examine
from django_mcp.management import output
from django_mcp.models import ToolGroup
from tests.host.models import Item, Person
from tests.host.schemas import ForgetfulSchema

pytestmark = pytest.mark.django_db


class PersonSerializer(serializers.ModelSerializer):
    class Meta:
        model = Person
        fields = ["id", "email"]


class Pages(LimitOffsetPagination):
    default_limit = 10


class Healthy(viewsets.ModelViewSet):
    """Everybody who orders."""

    queryset = Person.objects.all()
    serializer_class = PersonSerializer
    pagination_class = Pages


class ByUrl(BasePermission):
    def has_permission(self, request, view):
        return view.kwargs["id"] > 0


class Refusing(BasePermission):
    def has_permission(self, request, view):
        return request.user.groups.filter(name="chosen").exists()


class Plain(APIView):
    """Does something."""

    def post(self, request, **kwargs):
        return Response({})


class Both(APIView):
    """Reads or writes."""

    def handle(self, request):
        return Response({})

    get = post = handle


class Untyped(serializers.Serializer):
    total = serializers.SerializerMethodField()

    def get_total(self, instance):
        return 1


class OddParser(BaseParser):
    media_type = "application/x-odd"


def view(name, base=Plain, /, **attributes):
    return mcp_operation(name=name)(
        type(name, (base,), {"__module__": __name__, "__doc__": "Does something.", **attributes})
    ).as_view()


class Sifting(DjangoFilterBackend):
    """Filters by what no column and no type hint tells."""

    def get_filterset_class(self, view, queryset=None):
        sifted = Filter(method=lambda queryset, name, value: queryset)
        return type("Sift", (FilterSet,), {"sifted": sifted, "Meta": type("Meta", (), {"model": Person, "fields": []})})


Described = {"serializer_class": PersonSerializer, "queryset": Person.objects.all()}
router = SimpleRouter()
router.register("healthy", Healthy, "healthy")
urlpatterns = [
    path("", include("django_mcp.urls")),
    path("api/", include(router.urls)),
    path("free/", view("free")),
    path("own/", view("own", generics.CreateAPIView, **Described, authentication_classes=[TokenAuthentication])),
    path("asks/<int:id>/", view("asks", generics.DestroyAPIView, **Described, permission_classes=[ByUrl])),
    path("refuses/", view("refuses", generics.CreateAPIView, **Described, permission_classes=[Refusing])),
    path("both/", Both.as_view(), name="both"),
    path(
        "untyped/<int:id>/",
        view("untyped", generics.RetrieveAPIView, queryset=Item.objects.all(), serializer_class=Untyped),
    ),
    path(
        "sifted/", view("sifted", generics.ListAPIView, **Described, filter_backends=[Sifting], pagination_class=Pages)
    ),
    path("texts/<name>/", view("texts", APIView, get=lambda self, request, name: Response({}))),
    path("silent/", view("silent", generics.CreateAPIView, **Described, __doc__=None)),
    path(
        "summed/",
        extend_schema(summary="Adds a person.")(
            mcp_operation(name="summed")(
                type("Summed", (generics.CreateAPIView,), {"__module__": __name__, "__doc__": None, **Described})
            )
        ).as_view(),
    ),
    path("endless/", view("endless", generics.ListAPIView, **Described, pagination_class=None)),
    path("unsized/", view("unsized", generics.ListAPIView, **Described, pagination_class=PageNumberPagination)),
    path("raw/", view("raw", generics.CreateAPIView, **Described, parser_classes=[FileUploadParser])),
    path("odd/", view("odd", generics.CreateAPIView, **Described, parser_classes=[OddParser])),
    path("files/", view("files", generics.CreateAPIView, **Described, parser_classes=[MultiPartParser])),
    path("json/", view("json", generics.CreateAPIView, **Described, parser_classes=[OddParser, JSONParser])),
    path("page/", view("page", generics.CreateAPIView, **Described, renderer_classes=[TemplateHTMLRenderer])),
    path("same/", Plain.as_view(permission_classes=[AllowAny]), name="same"),
    path("same-too/", Plain.as_view(), name="same"),
    re_path(r"^odd/([^/]+)/(.+)/$", Plain.as_view()),
]


class Asynchronous(APIView):
    """Waits."""

    async def get(self, request):
        return Response({})


class Unmakeable(APIView):
    """Needs its request to be made."""

    def get_parsers(self):
        return [self.request.user.parser]

    def post(self, request):
        return Response({})


@pytest.fixture(autouse=True)
def host(settings):
    settings.ROOT_URLCONF = __name__


@pytest.fixture
def complaints():
    return examine(current())


def serving(monkeypatch, patterns):
    """Examine other patterns than this module's."""
    with monkeypatch.context() as patch:
        patch.setattr(f"{__name__}.urlpatterns", patterns)
        discovery.forget()
        try:
            return examine(current())
        finally:
            discovery.forget()


def about(complaints, beginning):
    """Return the severity of the complaint whose text begins like this, and the set of its subjects."""
    [complaint] = [complaint for complaint in complaints if complaint.text.startswith(beginning)]
    assert complaint.cure.strip().endswith((".", ")"))
    return complaint.severity, set(complaint.about)


def test_a_healthy_viewset_is_not_complained_of_but_for_its_exposure(complaints):
    texts = {complaint.text for complaint in complaints for name in complaint.about if name.startswith("healthy")}
    assert texts == {"Nobody has exposed it, so no agent reaches it."}


@pytest.mark.parametrize(
    ("beginning", "severity", "names"),
    [
        ("Its body is not described", Severity.WARNING, {"free", "both_post", "same_same", "same_too"}),
        ("Its view has authenticators of its own", Severity.WARNING, {"own"}),
        ("ByUrl cannot be asked without the arguments of the URL (KeyError)", Severity.NOTE, {"asks"}),
        ("Counts as a write: the same code", Severity.WARNING, {"both"}),
        ("Not all of it can be described: get_total", Severity.WARNING, {"untyped"}),
        ("The type of an argument of its path is not known", Severity.NOTE, {"texts"}),
        ("The type of its filter 'sifted' is not known", Severity.NOTE, {"sifted"}),
        ("Nothing says what it is for", Severity.NOTE, {"silent"}),
        ("The list has no pages", Severity.NOTE, {"endless", "unsized"}),
        ("It takes a file as its whole body", Severity.ERROR, {"raw"}),
        ("It parses application/x-odd only", Severity.ERROR, {"odd"}),
        ("It answers pages of HTML only", Severity.WARNING, {"page"}),
        ("Another operation would have the same name by its URL", Severity.WARNING, {"same_same", "same_too"}),
        ("Its path cannot be written as a template", Severity.ERROR, {"^odd/([^/]+)/(.+)/$"}),
    ],
)
def test_a_complaint_names_all_that_it_is_about(complaints, beginning, severity, names):
    assert about(complaints, beginning) == (severity, names)


def test_what_is_exposed_is_not_said_to_be_hidden():
    ToolGroup.objects.create(name="tests", exposed=True)
    assert about(examine(current()), "Nobody has exposed it") == (Severity.NOTE, {"own"})


def test_the_worst_comes_first(complaints):
    order = [list(Severity).index(complaint.severity) for complaint in complaints]
    assert order == sorted(order)
    assert set(order) == {0, 1, 2}


def test_an_async_view_under_atomic_requests_cannot_work(monkeypatch):
    exempt = transaction.non_atomic_requests(Asynchronous.as_view())
    patterns = [path("async/", Asynchronous.as_view(), name="async"), path("exempt/", exempt, name="exempt")]
    assert about(serving(monkeypatch, patterns), "Django runs no async view under ATOMIC_REQUESTS (default)") == (
        Severity.ERROR,
        {"async"},
    )


def test_a_view_that_cannot_be_made_leaves_the_others_examined(monkeypatch):
    patterns = [path("odd/", Unmakeable.as_view(), name="odd"), path("free/", view("free"))]
    complaints = serving(monkeypatch, patterns)
    assert about(complaints, "It could not be examined in full: AttributeError") == (Severity.WARNING, {"odd"})
    assert about(complaints, "It cannot be described at all (AttributeError)") == (Severity.WARNING, {"odd"})
    assert about(complaints, "Its body is not described")[1] == {"free", "odd"}


def test_a_schema_class_that_cannot_be_honoured_is_named(monkeypatch):
    made = view("forgetful", generics.CreateAPIView, **Described, schema=ForgetfulSchema())
    complaints = serving(monkeypatch, [path("forgetful/", made)])
    beginning = "What get_operation() of its schema class makes of it is passed over (KeyError)"
    assert about(complaints, beginning) == (Severity.WARNING, {"forgetful"})


def test_permissions_may_look_at_what_was_negotiated(monkeypatch):
    class Negotiated(BasePermission):
        def has_permission(self, request, view):
            return "json" in request.accepted_media_type

    made = view("negotiated", generics.CreateAPIView, **Described, permission_classes=[Negotiated])
    complaints = serving(monkeypatch, [path("negotiated/", made)])
    assert not [complaint for complaint in complaints if complaint.text.startswith("Negotiated")]


def test_the_command_prints_the_cure_and_fails_on_errors():
    out = StringIO()
    with pytest.raises(CommandError, match=r"^3 errors, 6 warnings, 7 notes\.$"):
        call_command("mcp", "doctor", stdout=out)
    assert "ERROR: It takes a file as its whole body" in out.getvalue()
    assert "\n  Cure: Add MultiPartParser" in out.getvalue()
    assert "\n  About 1: raw\n" in out.getvalue()


def test_the_command_succeeds_on_the_demo(settings, shop):
    settings.ROOT_URLCONF = "demo_project.urls"
    out = StringIO()
    call_command("mcp", "doctor", stdout=out)
    assert out.getvalue() == "Nothing to complain of.\n"


def test_json_holds_the_same_complaints(complaints):
    out = StringIO()
    with pytest.raises(CommandError):
        call_command("mcp", "doctor", "--json", stdout=out)
    printed = json.loads(out.getvalue())
    assert [item["text"] for item in printed] == [complaint.text for complaint in complaints]
    assert printed[0].keys() == {"severity", "text", "cure", "about"}


def test_long_lists_of_names_are_cut_unless_all_are_asked_for(complaints):
    hidden = [complaint for complaint in complaints if complaint.text.startswith("Nobody")]
    [names] = [complaint.about for complaint in hidden]
    assert f"and {len(names) - output.MAX_NAMES} more" in output.complaints_text(hidden)
    assert all(name in output.complaints_text(hidden, every=True) for name in names)


def test_a_user_model_that_decides_itself_who_is_a_superuser_can_be_asked_for(monkeypatch):
    class Person:
        is_superuser = property(lambda self: False)

        def __init__(self, pk):
            self.pk = pk

    monkeypatch.setattr(doctor, "get_user_model", lambda: Person)
    assert not [complaint for complaint in examine(current()) if complaint.text.startswith("It could not be examined")]
