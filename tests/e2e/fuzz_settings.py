"""The settings of the tests, and a header on each answer that the endpoint's view gave."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from tests.e2e.settings import *  # noqa: F403
from tests.e2e.settings import MIDDLEWARE as SHOP

MIDDLEWARE = [*SHOP, "tests.e2e.fuzz_settings.MarkMiddleware"]


class MarkMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._get_response(request)
        # Not before: whoever imports a view needs settings that are complete.
        from django_mcp.transport.views import McpView

        match = request.resolver_match
        if match is not None and getattr(match.func, "view_class", None) is McpView:
            response["X-Reached"] = "view"
        return response
