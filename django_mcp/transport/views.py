"""The endpoint: every gate in its order, and every answer as JSON."""

import json
from typing import Any

from django.db import connections, transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.generic import View

from django_mcp import exposure, incidents
from django_mcp import server as servers
from django_mcp.dispatch import dispatch
from django_mcp.errors import ProtocolError
from django_mcp.models import APIKey
from django_mcp.protocol import jsonrpc
from django_mcp.redaction import one_line
from django_mcp.requests import Context
from django_mcp.server import Server
from django_mcp.transport import authentication, bodies, headers, throttling
from django_mcp.vocabulary import Caller

JSON = "application/json"
NOTHING_EXPOSED = "Nothing is exposed here. Name tool groups in the settings or in the admin."


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
        _require_exposure(servers.remembered(), again=True)
        if request.method == "OPTIONS":
            return headers.preflight(request)
        headers.require_post(request)
        headers.require_json(request)
        body = bodies.read(request)
        headers.require_origin(request)
        value = jsonrpc.parse(body)
        self.request_id = jsonrpc.id_of(value)
        caller = _authenticate(request, client=_client(request, value))
        server = _server_for(caller)
        _require_exposure(server)
        context = Context(outer=request, caller=caller)
        throttling.check(context)
        return self._handle(jsonrpc.envelope(value), context, server)

    def _handle(self, message: jsonrpc.Message | None, context: Context, server: Server) -> HttpResponse:
        # The handshake is what settles the revision, so its header cannot be wrong yet.
        starting = message is not None and message.method == "initialize"
        revision = None if starting else headers.revision(context.outer)
        if message is None or message.is_notification:
            return _accepted()
        if message.method == "tools/call":
            throttling.check(context, tool=str(message.params.get("name")))
        result = dispatch(message, context, server, revision)
        return HttpResponse(jsonrpc.encode(jsonrpc.success(message.id, result or {})), content_type=JSON)

    def _failure(self, error: ProtocolError) -> HttpResponse:
        body = jsonrpc.encode(jsonrpc.failure(error, self.request_id))
        return HttpResponse(body, status=error.http_status, content_type=JSON, headers=error.headers)


class NoOAuthView(JsonView):
    """Tells clients that look for OAuth metadata that there is none, in the JSON that they expect."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        said = {"error": "not_found", "error_description": f"OAuth is not offered. {authentication.NO_KEY}"}
        return headers.finish(request, HttpResponse(json.dumps(said), status=404, content_type=JSON))


def _require_exposure(server: Server, *, again: bool = False) -> None:
    """Answer 404 where nothing is exposed. `again`: what is remembered may be old, so look before saying no."""
    if exposure.exposes_anything(server):
        return
    if again and exposure.exposes_anything(servers.current()):
        return
    raise headers.refuse(404, NOTHING_EXPOSED)


def _authenticate(request: HttpRequest, *, client: str) -> Caller:
    try:
        return authentication.authenticate(request, client=client)
    except ProtocolError:
        # What let the request come this far may be old, and strangers bring no stamp along.
        _require_exposure(servers.current())
        raise


def _server_for(caller: Caller) -> Server:
    # A key's own query has brought the stamp along.
    if isinstance(caller.auth, APIKey):
        return servers.load(getattr(caller.auth, "server_stamp", None))
    return servers.current()


def _client(request: HttpRequest, value: Any) -> str:
    """Return what the client's software calls itself, for the record."""
    params = value.get("params") if isinstance(value, dict) else None
    info = params.get("clientInfo") if isinstance(params, dict) else None
    said = " ".join(str(info[key]) for key in ("name", "version") if key in info) if isinstance(info, dict) else ""
    return one_line(request.headers.get("User-Agent") or said)


def _accepted() -> HttpResponse:
    response = HttpResponse(status=202)
    del response["Content-Type"]
    response["Content-Length"] = "0"
    return response


def _internal(error: Exception) -> ProtocolError:
    error_id = incidents.report("Answering an MCP request failed.", error)
    return ProtocolError(ProtocolError.INTERNAL, f"Internal error. Error id {error_id}; the server's log has more.")
