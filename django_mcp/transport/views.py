"""The endpoint: every gate in its order, and every answer as JSON."""

import json
from typing import Any

from django.db import connections, transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.generic import View

from django_mcp import error_reports
from django_mcp.access import server_config
from django_mcp.dispatch import dispatch
from django_mcp.errors import ProtocolError
from django_mcp.host.requests import Context
from django_mcp.protocol import jsonrpc, metadata
from django_mcp.protocol.revisions import MODERN
from django_mcp.text import one_line
from django_mcp.transport import authentication, headers, throttling
from django_mcp.transport.credentials import NO_KEY

JSON = "application/json"


class JsonView(View):
    """A view that no middleware of the host redirects, and that no transaction of the host encloses."""

    @classmethod
    def as_view(cls, **initkwargs: Any) -> Any:
        view: Any = super().as_view(**initkwargs)
        view.csrf_exempt = True
        view.login_required = False
        # The record of a call must outlive what the operation rolls back, whichever database either is in.
        for alias in connections:
            view = transaction.non_atomic_requests(using=alias)(view)
        return view


class McpView(JsonView):
    """MCP over Streamable HTTP, without streams and sessions: a POST holds one message and is answered at once.

    `request_id` is the message's id as soon as the body is parsed, so that every later refusal carries it.
    """

    request_id: jsonrpc.RequestId | None = None

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            response = self._answer(request)
        except ProtocolError as error:
            response = self._failure(error)
        except Exception as error:  # noqa: BLE001 - whatever broke, the client gets JSON and the log the reason
            text = internal_error("Answering an MCP request failed.", error)
            response = self._failure(ProtocolError(ProtocolError.INTERNAL, text))
        return headers.finish(request, response)

    def _answer(self, request: HttpRequest) -> HttpResponse:
        authentication.require_exposure(server_config.cached(), again=True)
        if request.method == "OPTIONS":
            return headers.preflight(request)
        headers.require_post(request)
        headers.require_json(request)
        body = headers.read_body(request)
        headers.require_origin(request)
        try:
            value = jsonrpc.parse(body)
        except ProtocolError:
            self.request_id = jsonrpc.id_in(body)
            raise
        self.request_id = jsonrpc.id_of(value)
        client = one_line(metadata.client_name(value, request.headers.get("User-Agent", "")))
        caller = authentication.authenticate(request, client=client)
        server = authentication.server_for(caller)
        authentication.require_exposure(server)
        if caller.user is not None:
            # As REST framework does it: middleware that records who did something looks here.
            request.user = caller.user
        context = Context(outer=request, caller=caller)
        throttling.check(context)
        revision = metadata.header_revision(request.headers)
        message = jsonrpc.envelope(value, self.request_id, wrong_params=400 if revision in MODERN else 200)
        request_metadata = metadata.request_metadata(message, revision, request.headers)
        if message is None or message.is_notification:
            accepted = HttpResponse(status=202, headers={"Content-Length": "0"})
            del accepted["Content-Type"]
            return accepted
        if message.method == "tools/call":
            throttling.check(context, tool=str(message.params.get("name")))
        result = dispatch(message, context, server, request_metadata)
        return HttpResponse(jsonrpc.encode(jsonrpc.success(message.id, result)), content_type=JSON)

    def _failure(self, error: ProtocolError) -> HttpResponse:
        body = jsonrpc.encode(jsonrpc.failure(error, self.request_id))
        return HttpResponse(body, status=error.http_status, content_type=JSON, headers=error.headers)


class NoOAuthView(JsonView):
    """Tells clients that look for OAuth metadata that there is none, in the JSON that they expect."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        refusal = {"error": "not_found", "error_description": f"OAuth is not offered. {NO_KEY}"}
        return headers.finish(request, HttpResponse(json.dumps(refusal), status=404, content_type=JSON))


def internal_error(title: str, error: Exception) -> str:
    """Log an exception and return the text for the client, which has the log entry's id and nothing of the cause."""
    error_id = error_reports.report(title, error)
    return f"Internal error. Error id {error_id}; the server's log has more."
