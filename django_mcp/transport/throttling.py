"""How often a caller may call: DRF throttle classes, per caller or per caller and tool."""

import hashlib
import math
from collections.abc import Mapping
from typing import Any, ClassVar, cast

from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string
from rest_framework.request import Request
from rest_framework.settings import api_settings
from rest_framework.throttling import BaseThrottle, SimpleRateThrottle
from rest_framework.views import APIView

from django_mcp.conf import conf
from django_mcp.host.requests import Context
from django_mcp.transport.authentication import cookieless
from django_mcp.transport.headers import refuse
from django_mcp.types import Caller


class ThrottledView(APIView):
    """What throttle classes get as the view: the caller, the tool where one is called, and the scope `mcp`."""

    throttle_scope = "mcp"
    caller: Caller
    tool: str | None = None


class CallerRateThrottle(SimpleRateThrottle):
    """Limits each caller to the rate that REST_FRAMEWORK's DEFAULT_THROTTLE_RATES names `mcp`."""

    scope = "mcp"

    def get_rate(self) -> str | None:
        # DRF reads the rates when the module is imported, which is too early for settings that change.
        rates: Mapping[str, Any] = api_settings.DEFAULT_THROTTLE_RATES
        if self.scope not in rates:
            msg = f"No default throttle rate set for '{self.scope}' scope."
            raise ImproperlyConfigured(msg)
        return cast("str | None", rates[self.scope])

    def get_cache_key(self, request: Request, view: APIView) -> str | None:
        caller = view.caller if isinstance(view, ThrottledView) else None
        if caller is None:
            return None
        parts = [caller.subject]
        if caller.user is None or not caller.user.is_authenticated:
            parts.append(caller.address)
        return self.cache_format % {"scope": self.scope, "ident": _digest(*parts)}


class ToolRateThrottle(CallerRateThrottle):
    """Limits each caller to the rate named `mcp_tool` for every single tool."""

    per_tool: ClassVar[bool] = True
    scope = "mcp_tool"

    def get_cache_key(self, request: Request, view: APIView) -> str | None:
        key = super().get_cache_key(request, view)
        return None if key is None else f"{key}_{_digest(getattr(view, 'tool', None) or '')}"


def check(context: Context, *, tool: str | None = None) -> None:
    """Charge a call to the configured throttles: those with `per_tool` where a tool is named, else the others.

    Raises ProtocolError with HTTP status 429 and Retry-After, the longest wait of all in seconds.
    """
    configured: list[BaseThrottle] = [import_string(path)() for path in conf.THROTTLE_CLASSES]
    throttles = [throttle for throttle in configured if getattr(throttle, "per_tool", False) is (tool is not None)]
    if not throttles:
        return
    request = Request(cookieless(context.outer))
    request.user, request.auth = context.caller.user, context.caller.auth
    view = ThrottledView()
    view.caller, view.tool, view.request = context.caller, tool, request
    refusing = [throttle for throttle in throttles if not throttle.allow_request(request, view)]
    if not refusing:
        return
    seconds = max(1, *(math.ceil(throttle.wait() or 0) for throttle in refusing))
    raise refuse(429, f"Too many requests. Wait {seconds} seconds.", Retry_After=str(seconds))


def _digest(*parts: str) -> str:
    # Subjects and tool names are not made for cache keys, and a name may be of any length.
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()
