"""Confirmation tokens as an attacker sees and makes them."""

import base64
import json
from typing import Any

import jwt

from tests.e2e.server import SIGNING_SECRET

PREFIX = "mcp_cf_"


def claims(token: str) -> dict[str, Any]:
    return json.loads(_decoded(token.removeprefix(PREFIX).split(".")[1]))


def header(token: str) -> dict[str, Any]:
    return json.loads(_decoded(token.removeprefix(PREFIX).split(".")[0]))


def jti(token: str) -> str:
    return claims(token)["jti"]


def signed(payload: dict[str, Any], *, typ: str | None = "MCP+CONFIRM", alg: str = "HS256", key: Any = None) -> str:
    """Return a token that whoever knows the key could make; by default the right key, algorithm and type."""
    headers = {"typ": typ}
    return PREFIX + jwt.encode(payload, SIGNING_SECRET if key is None else key, algorithm=alg, headers=headers)


def unsigned(payload: dict[str, Any], *, alg: str = "none") -> str:
    return f"{PREFIX}{_encoded({'alg': alg, 'typ': 'MCP+CONFIRM'})}.{_encoded(payload)}."


def with_claims(token: str, **changes: Any) -> str:
    """Return the token with other claims under the old signature."""
    head, _payload, signature = token.removeprefix(PREFIX).split(".")
    return f"{PREFIX}{head}.{_encoded({**claims(token), **changes})}.{signature}"


def with_signature(token: str, signature: str) -> str:
    return token.rpartition(".")[0] + "." + signature


def _decoded(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def _encoded(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()
