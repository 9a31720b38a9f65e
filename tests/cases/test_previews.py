"""What a proposal shows of a row is what REST would show its caller, and all of it is compared. Also its URLconf."""

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import models
from django.shortcuts import get_object_or_404
from django.urls import include, path
from rest_framework import generics, serializers, viewsets
from rest_framework.decorators import action, api_view
from rest_framework.permissions import IsAdminUser
from rest_framework.response import Response
from rest_framework.routers import SimpleRouter

from django_mcp.models import Confirmation
from django_mcp.testing import McpClient, exposing
from tests.host.models import Item, Project, Ticket


class ItemSerializer(serializers.ModelSerializer):
    class Meta:
        model = Item
        fields = ["id", "name", "price", "views", "active"]


class OwnLookUp(generics.GenericAPIView):
    """Asks for the owner where it looks the row up by itself; nothing reads a row over REST."""

    queryset = Item.objects.all()
    serializer_class = ItemSerializer

    def delete(self, request, pk):
        get_object_or_404(Item, pk=pk, owner=request.user).delete()
        return Response(status=204)

    def patch(self, request, pk):
        item = get_object_or_404(Item, pk=pk, owner=request.user)
        item.name = request.data["name"]
        item.save()
        return Response({"id": item.pk})


class OwnedWhenWritten(generics.RetrieveUpdateDestroyAPIView):
    """Asks for the owner in perform_update() and perform_destroy(), and where it reads in its handler."""

    queryset = Item.objects.all()
    serializer_class = ItemSerializer

    def get(self, request, *args, **kwargs):
        get_object_or_404(Item, pk=kwargs["pk"], owner=request.user)
        return super().get(request, *args, **kwargs)

    def perform_update(self, serializer):
        self._check(serializer.instance)
        serializer.save()

    def perform_destroy(self, instance):
        self._check(instance)
        instance.delete()

    def _check(self, instance):
        if instance.owner_id != self.request.user.pk:
            raise PermissionDenied


class Actions(viewsets.ModelViewSet):
    """Its rows are filtered for reads only."""

    queryset = Item.objects.all()
    serializer_class = ItemSerializer

    def get_queryset(self):
        rows = super().get_queryset()
        return rows.filter(owner=self.request.user) if self.request.method == "GET" else rows

    @action(detail=True, methods=["post", "delete"], url_path="watchers/mine")
    def watchers(self, request, pk=None):
        self.get_object()
        return Response({})


class Counting(generics.RetrieveUpdateDestroyAPIView):
    """Shows what is no column of the row, and writes by a name that is none."""

    class serializer_class(serializers.ModelSerializer):
        tickets = serializers.SerializerMethodField()
        everything = serializers.DictField(source="*", required=False, write_only=True)

        class Meta:
            model = Project
            fields = ["id", "slug", "title", "tickets", "everything"]

        def get_tickets(self, project) -> int:
            return project.tickets.count()

        def validate(self, data):
            return {**data, "tenant": "globex"} if data.get("slug") == "moved" else data

    queryset = Project.objects.all()


class Clock(generics.RetrieveUpdateAPIView):
    """Answers another value at each read."""

    ticks = 0

    class serializer_class(serializers.ModelSerializer):
        tick = serializers.SerializerMethodField()

        class Meta:
            model = Project
            fields = ["id", "title", "tick"]

        def get_tick(self, project) -> int:
            Clock.ticks += 1
            return Clock.ticks

    queryset = Project.objects.all()


class Invoices(generics.CreateAPIView):
    class serializer_class(serializers.Serializer):
        kind = serializers.ChoiceField([("bug", "A bug"), ("wish", "A wish")])
        amount = serializers.DecimalField(max_digits=6, decimal_places=2)
        stamp = serializers.CharField(default=lambda: "made up")
        currency = serializers.CharField(default="EUR")

        def validate(self, data):
            return {**data, "booked_as": "travel"}

        def create(self, data):
            return data

    queryset = Item.objects.none()


@api_view(["GET", "PUT"])
def function(request, pk):
    item = get_object_or_404(Item, pk=pk, owner=request.user)
    return Response({"id": item.pk, "name": item.name})


class ListedOnly(viewsets.GenericViewSet, generics.mixins.ListModelMixin, generics.mixins.UpdateModelMixin):
    """Has no detail to read; its list shows each user's own."""

    queryset = Item.objects.all()
    serializer_class = ItemSerializer

    def filter_queryset(self, queryset):
        rows = super().filter_queryset(queryset)
        return rows.filter(owner=self.request.user) if self.request.method == "GET" else rows


class Projects(viewsets.ReadOnlyModelViewSet):
    """Those of the tenant acme only."""

    class serializer_class(serializers.ModelSerializer):
        class Meta:
            model = Project
            fields = ["id", "title"]

    queryset = Project.objects.all()

    def get_queryset(self):
        return super().get_queryset().filter(tenant="acme")


class Tickets(viewsets.ModelViewSet):
    class serializer_class(serializers.ModelSerializer):
        class Meta:
            model = Ticket
            fields = ["id", "project", "title", "kind"]

    queryset = Ticket.objects.all()


router = SimpleRouter()
router.register("projects", Projects)
router.register("tickets", Tickets)
router.register("actions", Actions)
router.register("listed", ListedOnly, basename="listed")
urlpatterns = [
    path("", include("django_mcp.urls")),
    path("own-look-up/<int:pk>/", OwnLookUp.as_view(), name="own"),
    path("owned/<int:pk>/", OwnedWhenWritten.as_view(), name="owned"),
    path("counting/<int:pk>/", Counting.as_view(), name="counting"),
    path("clock/<int:pk>/", Clock.as_view(), name="clock"),
    path("invoices/", Invoices.as_view(), name="invoice"),
    path("function/<int:pk>/", function, name="function"),
    *router.urls,
]
GROUP = "tests"


@pytest.fixture
def kim(db):
    return User.objects.create_user("kim")


@pytest.fixture
def mcp(db, settings):
    settings.ROOT_URLCONF = __name__
    with exposing(GROUP):
        yield McpClient(user=User.objects.create_user("sam"))


@pytest.fixture
def theirs(kim):
    return Item.objects.create(name="Kim's secret", price="7.77", owner=kim)


@pytest.fixture
def mine(mcp):
    return Item.objects.create(name="Sam's", price="1.50", owner=User.objects.get(username="sam"))


FOREIGN = [
    ("own_delete", {}),
    ("own_patch", {"name": "x"}),
    ("owned_destroy", {}),
    ("owned_partial_update", {"name": "x"}),
    ("owned_update", {"name": "x", "price": "1"}),
    ("item_destroy", {}),
    ("item_partial_update", {"name": "x"}),
    ("item_watchers_post", {}),
    ("item_watchers_delete", {}),
    ("listed_partial_update", {"name": "x"}),
    ("function_put", {}),
]


@pytest.mark.parametrize(("operation", "sent"), FOREIGN)
def test_no_value_of_a_row_that_rest_does_not_show_is_in_any_answer(mcp, theirs, operation, sent):
    result = mcp.call(operation, {"id": theirs.pk, **sent})
    assert result.status == "requires_confirmation" or result.code in {"not_found", "permission_denied"}, result.raw
    text = str(result.raw)
    assert "secret" not in text
    assert "7.77" not in text
    row = Confirmation.objects.first()
    if row is not None:
        assert "secret" not in str([row.preview, row.summary, row.arguments, row.warnings])


@pytest.mark.parametrize("operation", ["owned_partial_update", "item_partial_update", "listed_partial_update"])
def test_a_row_that_its_caller_may_read_is_shown_with_its_present_values(mcp, mine, operation):
    changes = mcp.call(operation, {"id": mine.pk, "name": "New"}).data["preview"]["changes"]
    assert changes == [{"field": "name", "from": "Sam's", "to": "New"}]


def test_a_row_that_cannot_be_read_is_said_to_be_so(mcp, theirs):
    proposal = mcp.call("owned_partial_update", {"id": theirs.pk, "name": "x"})
    assert proposal.data["preview"]["changes"] == [{"field": "name", "to": "x"}]
    assert any("does not let this user read them" in warning for warning in proposal.data["warnings"])


def test_what_runs_in_a_handler_of_the_hosts_is_only_what_was_sent(mcp, mine):
    proposal = mcp.call("own_patch", {"id": mine.pk, "name": "New"})
    assert proposal.data["preview"]["changes"] == [{"field": "name", "sent": "New"}]


def test_an_action_that_deletes_something_else_says_target(mcp, mine):
    preview = mcp.call("item_watchers_delete", {"id": mine.pk}).data["preview"]
    assert "deletes" not in preview
    assert preview["target"] == f"item {mine.pk}"
    assert preview["row"]["name"] == "Sam's"


def test_a_value_that_was_shown_and_changed_is_not_confirmed(mcp, db):
    project = Project.objects.create(slug="apollo", title="Apollo")
    proposal = mcp.call("counting_destroy", {"id": project.pk})
    assert proposal.data["preview"]["row"]["tickets"] == 0
    Ticket.objects.create(project=project, title="new")
    answer = proposal.confirm()
    assert (answer.code, answer.data["changed"]) == ("target_changed", ["tickets"])
    assert Project.objects.exists()


def test_a_written_source_that_is_no_column_has_the_whole_row_compared(mcp, db):
    project = Project.objects.create(slug="apollo", title="Apollo")
    proposal = mcp.call("counting_partial_update", {"id": project.pk, "everything": {"slug": "zeus"}})
    Project.objects.update(tenant="other")
    answer = proposal.confirm()
    assert (answer.code, answer.data["changed"]) == ("target_changed", ["tenant"])


def test_what_validate_adds_is_shown(mcp, db):
    project = Project.objects.create(slug="apollo", title="Apollo")
    changes = mcp.call("counting_partial_update", {"id": project.pk, "slug": "moved"}).data["preview"]["changes"]
    assert {"field": "tenant", "to": "globex"} in changes


def test_a_value_that_differs_at_each_read_is_neither_shown_nor_compared(mcp, db):
    project = Project.objects.create(slug="apollo", title="Apollo")
    proposal = mcp.call("clock_partial_update", {"id": project.pk, "title": "New"})
    assert proposal.data["preview"]["changes"] == [{"field": "title", "from": "Apollo", "to": "New"}]
    assert proposal.confirm().status == "success"


def test_a_delete_counts_what_goes_with_the_row(mcp, db):
    project = Project.objects.create(slug="apollo", title="Apollo")
    Ticket.objects.bulk_create(Ticket(project=project, title=str(number)) for number in range(3))
    assert mcp.call("counting_destroy", {"id": project.pk}).data["preview"]["cascade"] == {"tickets": 3}


@pytest.mark.parametrize("on_delete", [models.PROTECT, models.RESTRICT])
def test_a_row_that_others_protect_is_refused_at_the_proposal(mcp, db, monkeypatch, on_delete):
    monkeypatch.setattr(Ticket._meta.get_field("project").remote_field, "on_delete", on_delete)
    project = Project.objects.create(slug="apollo", title="Apollo")
    Ticket.objects.create(project=project, title="one")
    refused = mcp.call("counting_destroy", {"id": project.pk})
    assert refused.code == "conflict"
    assert "still referenced by 1 tickets" in refused.error


@pytest.mark.parametrize("on_delete", [models.PROTECT, models.RESTRICT])
def test_a_row_that_is_protected_when_the_call_runs_is_a_conflict(mcp, db, monkeypatch, on_delete):
    project = Project.objects.create(slug="apollo", title="Apollo")
    monkeypatch.setattr(Counting, "perform_destroy", lambda _view, instance: instance.delete())
    proposal = mcp.call("counting_destroy", {"id": project.pk})
    monkeypatch.setattr(Ticket._meta.get_field("project").remote_field, "on_delete", on_delete)
    monkeypatch.setattr(Counting.serializer_class, "get_tickets", lambda _self, _project: 0)
    Ticket.objects.create(project=project, title="one")
    answer = proposal.confirm()
    assert answer.code == "conflict"
    assert Project.objects.exists()


def test_what_a_create_writes_besides_and_otherwise_is_shown(mcp):
    proposal = mcp.call("invoice_create", {"kind": "bug", "amount": "3"})
    assert proposal.data["args"] == {"kind": "bug", "amount": "3", "currency": "EUR"}
    assert proposal.data["preview"]["sets"] == [
        {"field": "kind", "to": "bug", "label": "A bug"},
        {"field": "amount", "to": "3.00"},
        {"field": "stamp", "to": "set when it runs"},
        {"field": "booked_as", "to": "travel"},
    ]


def test_a_related_row_is_named_where_its_own_resource_shows_the_name(mcp, monkeypatch):
    for other in (Counting, Clock):
        monkeypatch.setattr(other, "permission_classes", [IsAdminUser])
        monkeypatch.setattr(other, "queryset", None)
    seen = Project.objects.create(slug="apollo", title="Apollo")
    unseen = Project.objects.create(slug="zeus", title="Zeus", tenant="globex")
    shown = mcp.call("ticket_create", {"project": seen.pk, "title": "x"}).data["preview"]["sets"]
    assert {"field": "project", "to": seen.pk, "label": '"Apollo"'} in shown
    hidden = mcp.call("ticket_create", {"project": unseen.pk, "title": "x", "kind": "wish"})
    assert "Zeus" not in str(hidden.raw)
    assert hidden.data["preview"]["sets"] == [{"field": "kind", "to": "wish", "label": "A wish"}]


def test_the_arguments_that_are_shown_are_the_same_call_when_sent_back(mcp):
    proposal = mcp.call("invoice_create", {"kind": "bug", "amount": "3.10"})
    again = mcp.call("invoice_create", proposal.data["args"])
    hashes = Confirmation.objects.values_list("args_hash", flat=True)
    assert again.data["args"] == proposal.data["args"]
    assert len(set(hashes)) == 1


def test_an_update_that_changes_nothing_says_so_and_one_of_nothing_is_refused(mcp, mine):
    proposal = mcp.call("item_partial_update", {"id": mine.pk, "name": "Sam's"})
    assert proposal.data["preview"] == {"changes": []}
    assert "No value that is shown would change." in proposal.data["warnings"]
    assert mcp.call("item_partial_update", {"id": mine.pk}).code == "validation_error"


def test_a_spent_token_of_another_call_is_not_told_what_the_first_one_did(mcp, mine):
    proposal = mcp.call("item_partial_update", {"id": mine.pk, "name": "New"})
    proposal.confirm()
    token = proposal.token
    answers = [
        mcp.tool("api_call", {"name": "item_destroy", "args": {"id": mine.pk}, "confirmationToken": token}),
        mcp.tool("api_call", {"name": "item_partial_update", "args": {"id": mine.pk, "name": "Other"},
                              "confirmationToken": token}),
    ]  # fmt: skip
    assert [answer.code for answer in answers] == ["confirmation_wrong_operation", "arguments_changed"]
    assert not any("outcome" in answer.data for answer in answers)
