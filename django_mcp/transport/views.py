"""The endpoint: every gate in its order, and every answer as JSON."""

import json
from typing import Any

from django.db import connections, transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.generic import View

from django_mcp import error_reports
from django_mcp.access import server_config
from django_mcp.access.server_config import Server
from django_mcp.dispatch import dispatch
from django_mcp.errors import ProtocolError
from django_mcp.host.requests import Context
from django_mcp.protocol import jsonrpc, metadata
from django_mcp.protocol.revisions import is_modern
from django_mcp.text import one_line
from django_mcp.transport import authentication, headers, throttling

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
    """MCP over Streamable HTTP, without streams and sessions: a POST holds one message and is answered at once."""

    request_id: jsonrpc.RequestId | None = None

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            response = self._answer(request)
        except ProtocolError as error:
            response = self._failure(error)
        except Exception as error:  # noqa: BLE001 - whatever broke, the client gets JSON and the log the reason
            response = self._failure(_internal(error))
        return headers.finish(request, response)

    def _answer(self, request: HttpRequest) -> HttpResponse:
        authentication.require_exposure(server_config.cached(), again=True)
        if request.method == "OPTIONS":
            return headers.preflight(request)
        headers.require_post(request)
        headers.require_json(request)
        body = headers.read(request)
        headers.require_origin(request)
        value = jsonrpc.parse(body)
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
        wrong_params = 400 if is_modern(metadata.named_in(request.headers)) else 200
        return self._handle(jsonrpc.envelope(value, wrong_params=wrong_params), context, server)

    def _handle(self, message: jsonrpc.Message | None, context: Context, server: Server) -> HttpResponse:
        said = metadata.of(message, context.outer.headers)
        if message is None or message.is_notification:
            return _accepted()
        if message.method == "tools/call":
            throttling.check(context, tool=str(message.params.get("name")))
        result = dispatch(message, context, server, said)
        return HttpResponse(jsonrpc.encode(jsonrpc.success(message.id, result)), content_type=JSON)

    def _failure(self, error: ProtocolError) -> HttpResponse:
        body = jsonrpc.encode(jsonrpc.failure(error, self.request_id))
        return HttpResponse(body, status=error.http_status, content_type=JSON, headers=error.headers)


class NoOAuthView(JsonView):
    """Tells clients that look for OAuth metadata that there is none, in the JSON that they expect."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        said = {"error": "not_found", "error_description": f"OAuth is not offered. {authentication.NO_KEY}"}
        return headers.finish(request, HttpResponse(json.dumps(said), status=404, content_type=JSON))


def _accepted() -> HttpResponse:
    response = HttpResponse(status=202)
    del response["Content-Type"]
    response["Content-Length"] = "0"
    return response


def _internal(error: Exception) -> ProtocolError:
    error_id = error_reports.report("Answering an MCP request failed.", error)
    return ProtocolError(ProtocolError.INTERNAL, f"Internal error. Error id {error_id}; the server's log has more.")
