"""The settings of the tests, and a record of what each client sends and is answered with, a line of JSON each."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from tests.e2e.settings import *  # noqa: F403
from tests.e2e.settings import MIDDLEWARE as SHOP

MIDDLEWARE = ["tests.e2e.clients.settings.RecordMiddleware", *SHOP]


class RecordMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response
        self._file = Path(os.environ["CLIENTS_RECORD"])

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        message = parsed(request.body)
        response = self._get_response(request)
        answer = parsed(getattr(response, "content", b""))
        params, result = _dict(message, "params"), _dict(answer, "result")
        line = {
            "http": f"{request.method} {request.path} {response.status_code}",
            "method": message.get("method"),
            "tool": params.get("name"),
            "header": request.headers.get("MCP-Protocol-Version"),
            "negotiated": result.get("protocolVersion"),
            "error": _dict(answer, "error").get("message"),
        }
        with self._file.open("a") as record:
            record.write(json.dumps(line) + "\n")
        return response


def parsed(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _dict(message: dict[str, Any], name: str) -> dict[str, Any]:
    value = message.get(name)
    return value if isinstance(value, dict) else {}
