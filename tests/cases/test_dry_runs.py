"""An operation that says `dry_run=True` is run and undone for its proposal. Also its URLconf."""

import pytest
from asgiref.sync import markcoroutinefunction
from django.contrib.auth.models import User
from django.core import mail
from django.db import transaction
from django.urls import include, path
from rest_framework import generics, serializers
from rest_framework.exceptions import APIException
from rest_framework.response import Response
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView

from django_mcp import mcp_operation
from django_mcp.catalog.discovery import forget
from django_mcp.checks.catalog import check_dry_runs
from django_mcp.testing import McpClient, exposing
from tests.host.models import Item

done = []


class SoldOut(APIException):
    status_code = 409
    default_detail = "Sold out."


class TwoAMinute(SimpleRateThrottle):
    rate = "2/min"

    def get_cache_key(self, request, view):
        return f"two-a-minute-{request.user.pk}"


class ItemSerializer(serializers.ModelSerializer):
    class Meta:
        model = Item
        fields = ["id", "name", "views", "changed_at"]


@mcp_operation(dry_run=True)
class Orders(generics.CreateAPIView):
    queryset = Item.objects.all()
    serializer_class = ItemSerializer
    throttle_classes = [TwoAMinute]

    def perform_create(self, serializer):
        if serializer.validated_data["name"] == "gone":
            raise SoldOut
        item = serializer.save(views=Item.objects.count() + 7)
        mail.send_mail("Order", "made", "shop@example.com", ["sam@example.com"])
        transaction.on_commit(lambda: done.append(item.name))


@mcp_operation(dry_run=True)
class Own(APIView):
    """Checks everything by itself."""

    def post(self, request):
        if "amount" not in request.data:
            return Response({"amount": ["Say how much."]}, status=422)
        Item.objects.create(name="booked")
        return Response({"booked": request.data["amount"]}, status=201)


@mcp_operation(dry_run=True)
class Async(APIView):
    async def post(self, request):
        return Response({})

    async def dispatch(self, request, *args, **kwargs):
        return Response({})


urlpatterns = [
    path("", include("django_mcp.urls")),
    path("orders/", Orders.as_view(), name="order"),
    path("own/", Own.as_view(), name="own"),
]


@pytest.fixture
def mcp(db, settings):
    done.clear()
    settings.ROOT_URLCONF = __name__
    with exposing("tests"):
        yield McpClient(user=User.objects.create_user("sam"))


def test_the_answer_of_the_view_is_shown_and_nothing_remains(mcp, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        proposal = mcp.call("order_create", {"name": "mug"})
    assert proposal.data["preview"]["dryRun"] == {"name": "mug", "views": 7}
    assert not Item.objects.exists()
    assert (mail.outbox, done) == ([], [])


def test_the_confirmed_call_does_what_was_tried(mcp, django_capture_on_commit_callbacks):
    proposal = mcp.call("order_create", {"name": "mug"})
    with django_capture_on_commit_callbacks(execute=True):
        answer = proposal.confirm()
    assert answer.response["views"] == 7
    assert (len(mail.outbox), Item.objects.count()) == (1, 1)


@pytest.mark.parametrize(
    ("operation", "args", "code"), [("order_create", {"name": "gone"}, "conflict"), ("own", {}, "operation_failed")]
)
def test_the_refusal_of_the_view_is_the_proposals(mcp, operation, args, code):
    assert mcp.call(operation, args).code == code


def test_what_the_hosts_own_handler_answers_is_shown_without_the_warning_that_it_is_unchecked(mcp):
    proposal = mcp.call("own", {"amount": 5})
    assert proposal.data["preview"]["dryRun"] == {"booked": 5}
    assert "warnings" not in proposal.data
    assert not Item.objects.exists()


def test_a_tried_proposal_counts_once_for_the_throttles(mcp):
    first, second = (mcp.call("order_create", {"name": "mug"}) for _ in range(2))
    assert second.status == "requires_confirmation"
    assert mcp.call("order_create", {"name": "mug"}).code == "throttled"
    assert first.confirm().status == "success"


def test_mail_of_other_code_is_not_discarded(mcp):
    mcp.call("order_create", {"name": "mug"})
    mail.send_mail("Else", "where", "shop@example.com", ["sam@example.com"])
    assert [message.subject for message in mail.outbox] == ["Else"]


def test_writes_that_are_switched_off_are_not_tried(mcp):
    from django_mcp.models import ServerSettings

    ServerSettings.load()
    ServerSettings.objects.update(writes_enabled=False)
    assert mcp.call("own", {"amount": 5}).code == "unavailable"


def test_an_async_view_cannot_be_tried(mcp, settings, monkeypatch):
    view = Async.as_view()
    markcoroutinefunction(view)
    monkeypatch.setattr(f"{__name__}.urlpatterns", [*urlpatterns, path("async/", view, name="async")])
    forget()
    (message,) = check_dry_runs(None)
    assert (message.id, message.obj) == ("django_mcp.E016", "async")
    forget()
