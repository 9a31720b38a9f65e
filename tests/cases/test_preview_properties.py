"""Whatever a serializer is made of and whatever happens meanwhile: what was shown is compared, and only that runs."""

import sys
import types

import pytest
from django.contrib.auth.models import User
from django.urls import include, path
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis
from hypothesis import strategies as st
from rest_framework import serializers, viewsets
from rest_framework.routers import SimpleRouter

from django_mcp.catalog.discovery import forget
from django_mcp.testing import McpClient, exposing
from tests.host.models import Project, Ticket

URLCONF = "urls_of_random_serializers"
COMPUTED = "set when it runs"


class Inner(serializers.Serializer):
    weight = serializers.IntegerField(min_value=0, max_value=9)


class Count(serializers.SerializerMethodField):
    def to_representation(self, ticket):
        return ticket.children.count()


# Fields by name: how each is made, and a value to send, None where none can be sent.
FIELDS = {
    "title": (lambda: serializers.CharField(max_length=30), "Sent title"),
    "label": (lambda: serializers.CharField(source="title", max_length=30), "Sent label"),
    "kind": (lambda: serializers.ChoiceField(Ticket.Kind.choices), "wish"),
    "defaulted": (lambda: serializers.ChoiceField(Ticket.Kind.choices, source="kind", default="wish"), "bug"),
    "weight": (lambda: serializers.IntegerField(required=False, allow_null=True, min_value=0, max_value=9), "5"),
    "computed": (lambda: serializers.IntegerField(source="weight", default=lambda: 8), 4),
    "hidden": (lambda: serializers.HiddenField(source="weight", default=2), None),
    "owner": (lambda: serializers.HiddenField(default=serializers.CurrentUserDefault()), None),
    "cost": (lambda: serializers.DecimalField(max_digits=6, decimal_places=2, required=False), "3"),
    "unseen": (lambda: serializers.BooleanField(source="open", write_only=True, required=False), False),
    "details": (lambda: serializers.JSONField(required=False), {"a": 1}),
    "star": (lambda: Inner(source="*", required=False), {"weight": 7}),
    "children": (lambda: Count(), None),
    "project_title": (lambda: serializers.CharField(source="project.title", read_only=True), None),
    "project": (lambda: serializers.PrimaryKeyRelatedField(queryset=Project.objects.all()), "other"),
}
# Two fields that write one column overwrite each other, which no preview can order.
WRITTEN = {
    "label": "title", "defaulted": "kind", "computed": "weight", "hidden": "weight", "star": "weight", "unseen": "open",
}  # fmt: skip
COLUMNS = ("title", "kind", "weight", "cost", "open", "details", "project_id", "owner_id")
MEANWHILE = {
    "nothing": lambda ticket: None,
    "title": lambda ticket: Ticket.objects.filter(pk=ticket.pk).update(title="Meanwhile"),
    "kind": lambda ticket: Ticket.objects.filter(pk=ticket.pk).update(kind="wish"),
    "weight": lambda ticket: Ticket.objects.filter(pk=ticket.pk).update(weight=9),
    "cost": lambda ticket: Ticket.objects.filter(pk=ticket.pk).update(cost="9.99"),
    "open": lambda ticket: Ticket.objects.filter(pk=ticket.pk).update(open=False),
    "details": lambda ticket: Ticket.objects.filter(pk=ticket.pk).update(details={"b": [1]}),
    "child": lambda ticket: Ticket.objects.create(project=ticket.project, title="child", parent=ticket),
    "project": lambda ticket: Project.objects.filter(pk=ticket.project_id).update(title="Renamed"),
    "gone": lambda ticket: ticket.delete(),
}


def served(names):
    """Make a viewset of a serializer with these fields the only API of the project."""
    made = {name: FIELDS[name][0]() for name in names}
    meta = type("Meta", (), {"model": Ticket, "fields": ["id", *names]})
    serializer = type("RandomSerializer", (serializers.ModelSerializer,), {**made, "Meta": meta})
    view = type(
        "RandomViewSet", (viewsets.ModelViewSet,), {"queryset": Ticket.objects.all(), "serializer_class": serializer}
    )
    router = SimpleRouter()
    router.register("tickets", view)
    module = types.ModuleType(URLCONF)
    module.urlpatterns = [path("", include("django_mcp.urls")), *router.urls]
    sys.modules[URLCONF] = module
    forget()
    return serializer


def columns(ticket):
    return Ticket.objects.filter(pk=ticket.pk).values(*COLUMNS).first()


def sources(serializer, entries):
    """Return the columns that the shown changes speak of."""
    fields = serializer().fields
    found = set()
    for entry in entries:
        source = str(fields[entry["field"]].source) if entry["field"] in fields else entry["field"]
        found |= {"weight"} if source == "*" else {source, f"{source}_id"}
    return found


def check_outcome(serializer, preview, ticket, current, answer):
    """What ran was shown: every column that changed is in the preview, with the value that it has now."""
    if "changes" not in preview:
        assert columns(ticket) is None
        return
    after = columns(ticket)
    written = {name for name in COLUMNS if after[name] != current[name]}
    assert written <= sources(serializer, preview["changes"]), (written, preview)
    for entry in preview["changes"]:
        if entry["to"] != COMPUTED and entry["field"] in answer.response:
            assert answer.response[entry["field"]] == entry["to"]


def arguments(ticket, names, sent, method):
    if method == "destroy":
        return {"id": ticket.pk}
    values = {name: FIELDS[name][1] for name in names if name in sent and FIELDS[name][1] is not None}
    if "project" in values:
        values["project"] = Project.objects.get(slug="b").pk
    return {"id": ticket.pk, **values}


@pytest.fixture
def sam(db):
    return User.objects.create(username="sam")


@pytest.mark.slow
@hypothesis(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    names=st.lists(
        st.sampled_from(sorted(FIELDS)), min_size=1, max_size=6, unique_by=lambda name: WRITTEN.get(name, name)
    ),
    sent=st.sets(st.sampled_from(sorted(FIELDS))),
    method=st.sampled_from(["update", "partial_update", "destroy"]),
    meanwhile=st.sampled_from(sorted(MEANWHILE)),
)
def test_what_was_shown_and_changed_does_not_run_and_what_runs_was_shown(sam, settings, names, sent, method, meanwhile):
    Ticket.objects.all().delete()
    project, _other = (Project.objects.update_or_create(slug=slug, defaults={"title": slug})[0] for slug in "ab")
    ticket = Ticket.objects.create(project=project, title="Before", weight=1, cost="1.00")
    serializer = served(names)
    settings.ROOT_URLCONF = URLCONF
    with exposing("tests"):
        mcp = McpClient(user=sam)
        proposal = mcp.call(f"ticket_{method}", arguments(ticket, names, sent, method))
        if proposal.status != "requires_confirmation":
            assert proposal.code == "validation_error"
            return
        preview = proposal.data["preview"]
        shown = preview.get("row") or {entry["field"]: entry["from"] for entry in preview["changes"] if "from" in entry}
        before = columns(ticket)
        MEANWHILE[meanwhile](Ticket.objects.get(pk=ticket.pk))
        current = columns(ticket)
        now = mcp.read("ticket_retrieve", id=ticket.pk)
        answer = proposal.confirm()
    if current is None:
        assert answer.code == "not_found"
    elif any(now.response[name] != value for name, value in shown.items()):
        assert answer.code == "target_changed", (shown, now.response)
        assert columns(ticket) == current
    elif answer.is_error:
        assert answer.code == "target_changed"
        assert current != before or meanwhile in {"child", "project"}
    else:
        check_outcome(serializer, preview, ticket, current, answer)
