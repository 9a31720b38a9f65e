"""How often a caller may call, and a tool may be called."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import RequestFactory
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle, UserRateThrottle
from rest_framework.views import APIView

from django_mcp.access import keys
from django_mcp.errors import ProtocolError
from django_mcp.host.requests import Context
from django_mcp.transport import throttling
from django_mcp.types import Caller

CALLER = "django_mcp.transport.throttling.CallerRateThrottle"
TOOL = "django_mcp.transport.throttling.ToolRateThrottle"


class TwoAMinute(UserRateThrottle):
    rate = "2/min"


class Never(BaseThrottle):
    def allow_request(self, request, view):
        return False


class Later(Never):
    def wait(self):
        return 7.2


@pytest.fixture
def rates(settings):
    """Return a function that configures throttle classes and rates."""

    def configure(*paths, **rates):
        settings.DJANGO_MCP = {"THROTTLE_CLASSES": list(paths)}
        settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "DEFAULT_THROTTLE_RATES": rates}

    return configure


def context(subject="key:1", user=None, address="10.0.0.1", **meta):
    request = RequestFactory().post("/mcp", REMOTE_ADDR=address, **meta)
    return Context(outer=request, caller=Caller(subject=subject, user=user or AnonymousUser(), address=address))


def refused(*args, **kwargs):
    with pytest.raises(ProtocolError) as caught:
        throttling.check(*args, **kwargs)
    return caught.value


def test_without_classes_nothing_is_throttled(settings):
    for _ in range(50):
        throttling.check(context())


def test_too_many_calls_of_one_key_are_429_with_the_time_to_wait(rates, post, stranger, person):
    rates(CALLER, mcp="2/min")
    assert [post().status_code for _ in range(3)] == [200, 200, 429]
    response = post()
    assert 1 <= int(response["Retry-After"]) <= 60
    assert response["Cache-Control"] == "no-store"
    assert response.json()["error"]["code"] == -32600
    assert response.json()["id"] == 1
    other = keys.issue(name="other", user=person, all_groups=True)[1]
    assert stranger(HTTP_AUTHORIZATION=f"Bearer {other}").status_code == 200


def test_malformed_messages_are_charged_too(rates, post):
    rates(CALLER, mcp="1/min")
    assert [post([]).status_code for _ in range(2)] == [400, 429]


def test_a_forwarded_address_opens_no_new_bucket(rates, post):
    rates(CALLER, mcp="1/min")
    assert [post(HTTP_X_FORWARDED_FOR=f"1.1.1.{n}").status_code for n in range(2)] == [200, 429]


def test_anonymous_callers_are_told_apart_by_address(rates):
    rates(CALLER, mcp="1/min")
    throttling.check(context("anonymous"))
    throttling.check(context("anonymous", address="10.0.0.2"))
    assert refused(context("anonymous", HTTP_X_FORWARDED_FOR="9.9.9.9")).http_status == 429


def test_drfs_own_throttles_see_the_callers_user(rates, post, person):
    rates("tests.transport.test_throttling.TwoAMinute")
    assert [post().status_code for _ in range(3)] == [200, 200, 429]


def test_drfs_own_throttles_do_not_believe_a_forwarded_address(rates):
    rates("tests.transport.test_throttling.TwoAMinute")
    for number in range(2):
        throttling.check(context("anonymous", HTTP_X_FORWARDED_FOR=f"1.1.1.{number}"))
    assert refused(context("anonymous", HTTP_X_FORWARDED_FOR="1.1.1.9")).http_status == 429


def test_the_longest_wait_counts_and_is_rounded_up(rates):
    rates("tests.transport.test_throttling.Never", "tests.transport.test_throttling.Later")
    assert refused(context()).headers == {"Retry-After": "8"}


def test_an_unknown_wait_is_a_second(rates):
    rates("tests.transport.test_throttling.Never")
    assert refused(context()).headers == {"Retry-After": "1"}


def test_a_rate_that_is_not_set_lets_nobody_through(rates, post, caplog):
    rates(CALLER)
    assert post().json()["error"]["code"] == -32603
    assert "mcp" in caplog.text


def test_outside_of_mcp_there_is_no_caller_to_limit(rates):
    rates(CALLER, mcp="1/min")
    throttle = throttling.CallerRateThrottle()
    request = Request(RequestFactory().get("/"))
    assert [throttle.allow_request(request, APIView()) for _ in range(3)] == [True] * 3


def test_tools_have_rates_of_their_own(rates):
    rates(TOOL, mcp_tool="1/min")
    throttling.check(context())
    throttling.check(context(), tool="a" * 5000)
    throttling.check(context(), tool="b")
    throttling.check(context("key:2"), tool="b")
    assert refused(context(), tool="b").http_status == 429


def test_a_call_of_a_tool_is_not_charged_twice(rates):
    rates(CALLER, mcp="1/min")
    throttling.check(context())
    throttling.check(context(), tool="a")


def test_a_throttled_tool_is_429_with_the_id(rates, post):
    rates("tests.transport.test_throttling.EveryTool")
    assert post().status_code == 200
    response = post({"jsonrpc": "2.0", "id": "q", "method": "tools/call", "params": {"name": "x"}})
    assert (response.status_code, response.json()["id"]) == (429, "q")


class EveryTool(Never):
    per_tool = True
