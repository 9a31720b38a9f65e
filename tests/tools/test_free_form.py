"""An operation whose body nobody described takes whatever is sent; this module is also its URLconf."""

import pytest
from django.contrib.auth.models import User
from django.urls import include, path
from rest_framework.response import Response
from rest_framework.views import APIView

from django_mcp.testing import McpClient, exposing

DECISION = {"approved": False, "confirm": "no", "id": 5}


class Decide(APIView):
    """Decide on a request: approved is true unless the request says that it is false."""

    def post(self, request):
        return Response({"approved": True, **request.data})


class Report(APIView):
    """Report on the days that are named."""

    def get(self, request):
        return Response(request.query_params)


urlpatterns = [
    path("decide/", Decide.as_view(), name="decide"),
    path("report/", Report.as_view(), name="report"),
    path("", include("django_mcp.urls")),
]


@pytest.fixture
def mcp(db, settings):
    settings.ROOT_URLCONF = __name__
    settings.DJANGO_MCP = {"PUBLISH_AS": {"tests": "both"}}
    with exposing("tests"):
        yield McpClient(user=User.objects.create_superuser("boss"))


def test_words_of_consent_are_arguments_of_an_operation_that_takes_any(mcp):
    answer = mcp.call("decide", DECISION).confirm()
    assert answer.response == DECISION


def test_so_they_are_in_a_tool_of_its_own(mcp):
    answer = mcp.tool("decide", DECISION).confirm()
    assert answer.response == DECISION


def test_an_argument_without_a_name_does_not_become_the_whole_body(mcp):
    """Else the operation would run with other arguments than those of the proposal."""
    sent = {"approved": False, "": {"approved": True}}
    assert mcp.call("decide", sent).confirm().response == sent


def test_what_nobody_described_goes_to_the_query_of_a_method_without_a_body(mcp):
    assert mcp.call("report", {"days": 3}).response == {"days": "3"}
