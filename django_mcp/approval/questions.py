"""The state that a client carries between a question and its answer: signed, for one call, spent once.

It holds the requests that were asked and the exchanges before them, so that nothing is stored between the rounds but
the lock of a spent state, and that in the cache alone.
"""

import time
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any

from django_mcp.approval import cache_lock, refusals
from django_mcp.approval.cache_lock import Lock
from django_mcp.approval.refusals import Reason
from django_mcp.approval.signing import Forged, Purpose, Signer
from django_mcp.errors import ProtocolError, ToolError, Unavailable
from django_mcp.protocol import elicitation

PREFIX = "mcp_ask_"
TYPE = "MCP+ASK"
# How long a person may take for an answer, in seconds.
LIFETIME = 10 * 60
MAX_LENGTH = 256 * 1024

INVALID = (
    "Invalid, expired or used requestState: it is good for one repetition of the call that it was issued for. Make the "
    "call again without requestState and inputResponses."
)
UNAVAILABLE = (
    "The cache that guards against a second use of answers does not answer. Nothing was run; make the call again "
    "without requestState and inputResponses in a moment."
)
TOO_LONG = (
    "What was asked and answered in this call is too long to be carried on. Call again, and keep the answers short."
)

_SIGNER = Signer(prefix=PREFIX, typ=TYPE, purpose=Purpose.QUESTION, max_length=MAX_LENGTH)


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """The call that a question belongs to. `args_hash` is that of its effective arguments, as of a confirmation."""

    sub: str
    host: str
    tool: str
    args_hash: str


_MISMATCHES = {
    "sub": Reason.OTHER_CALLER,
    "host": Reason.OTHER_HOST,
    "tool": Reason.WRONG_TOOL,
    "args_hash": Reason.ARGUMENTS,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A request to the client, and the client's result for it."""

    request: Mapping[str, Any]
    result: Mapping[str, Any]


def sign(binding: Binding, requests: Mapping[str, Mapping[str, Any]], exchanges: Mapping[str, Exchange]) -> str:
    """Return the state of a call that asks these requests, by key, and keeps the exchanges before them.

    Raises ToolError where it grows too long, TypeError for a request that is no JSON.
    """
    payload = {
        **asdict(binding),
        "exp": int(time.time()) + LIFETIME,
        "jti": uuid.uuid4().hex,
        "asked": requests,
        "answered": {key: asdict(exchange) for key, exchange in exchanges.items()},
    }
    state = _SIGNER.sign(payload)
    if len(state) > MAX_LENGTH:
        raise ToolError(TOO_LONG)
    return state


def redeem(state: str, responses: Mapping[str, Any], binding: Binding) -> dict[str, Exchange]:
    """Spend a state and return all exchanges of its call, by key.

    A response to a request that was not asked is ignored. One that does not fit its form counts as not given, for the
    tool to ask again: a person entered it. Raises ProtocolError -32602 for a state that is not this call's, has
    expired or was spent, and, with the state still good, for a response that is no result of its request's method;
    Unavailable where the cache does not answer.
    """
    payload = _verified(state, binding)
    requests = payload["asked"]
    responses = {key: response for key, response in responses.items() if key in requests}
    wrong = [key for key, response in responses.items() if not elicitation.is_answer(requests[key], response)]
    if wrong:
        problems = " ".join(f"inputResponses.{key}: Must be a result of {requests[key]['method']}." for key in wrong)
        raise ProtocolError(ProtocolError.PARAMS, f"Invalid params. {problems}")
    lock = cache_lock.spend_state(payload["jti"], timedelta(seconds=payload["exp"] - time.time()))
    if lock is Lock.SILENT:
        raise Unavailable(UNAVAILABLE)
    if lock is Lock.HELD:
        raise invalid(Reason.USED, payload["jti"])
    exchanges = {key: Exchange(**exchange) for key, exchange in payload["answered"].items()}
    for key, response in responses.items():
        result = elicitation.entered(requests[key], response)
        if result is not None:
            exchanges[key] = Exchange(request=requests[key], result=result)
    return exchanges


def invalid(reason: Reason = Reason.WRONG_TOOL, jti: str | None = None) -> ProtocolError:
    """Log why a state is not this call's, and return the error with the one text of all those reasons."""
    refusals.log(reason, jti, kind="requestState")
    return ProtocolError(ProtocolError.PARAMS, INVALID)


def _verified(state: str, binding: Binding) -> dict[str, Any]:
    try:
        payload = _SIGNER.verify(state)
    except Forged as error:
        raise invalid(error.reason) from None
    jti = payload.get("jti")
    for name, value in asdict(binding).items():
        if payload.get(name) != value:
            raise invalid(_MISMATCHES[name], jti)
    if payload["exp"] < time.time():
        raise invalid(Reason.EXPIRED, jti)
    return payload
