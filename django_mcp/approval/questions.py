"""The state that a client carries between a question and its answer: signed, for one call, spent once.

It holds what was asked and what was answered before, so that nothing is kept between the rounds but the mark that it
was spent, and that is in the cache alone.
"""

import logging
import time
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from django.core.cache import caches

from django_mcp.approval import signing
from django_mcp.approval.signing import question_keys
from django_mcp.conf import conf
from django_mcp.errors import ProtocolError, ToolError, Unavailable
from django_mcp.protocol import elicitation

logger = logging.getLogger("django_mcp")

PREFIX = "mcp_ask_"
TYPE = "MCP+ASK"
# How long a person may take for an answer, in seconds.
LIFETIME = 10 * 60
# The mark outlives the state by this, for hosts whose clocks differ. In seconds.
MARGIN = 300
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

_SIGNER = signing.Signer(prefix=PREFIX, typ=TYPE, keys=question_keys, max_length=MAX_LENGTH)


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """The call that a question belongs to. `args_hash` is that of its effective arguments, as of a confirmation."""

    sub: str
    host: str
    tool: str
    args_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A request to the client, and the client's result for it."""

    request: Mapping[str, Any]
    result: Mapping[str, Any]


def sign(binding: Binding, asked: Mapping[str, Mapping[str, Any]], answered: Mapping[str, Exchange]) -> str:
    """Return the state of a call that asks these requests, by key, and keeps what was answered before.

    Raises ToolError where it grows too long, TypeError for a request that is no JSON.
    """
    payload = {
        **asdict(binding),
        "exp": int(time.time()) + LIFETIME,
        "jti": uuid.uuid4().hex,
        "asked": asked,
        "answered": {key: asdict(exchange) for key, exchange in answered.items()},
    }
    state = _SIGNER.sign(payload)
    if len(state) > MAX_LENGTH:
        raise ToolError(TOO_LONG)
    return state


def redeem(state: str, responses: Mapping[str, Any], binding: Binding) -> dict[str, Exchange]:
    """Spend a state and return all that its call has been answered, by key.

    A response to what was not asked is ignored. One that does not fit what was asked counts as not given, for the
    tool to ask again: a person entered it. Raises ProtocolError -32602 for a state that is not this call's, has
    expired or was spent, and, with the state still good, for a response that is no result of what was asked;
    Unavailable where the cache does not answer.
    """
    said = _verified(state)
    if not asdict(binding).items() <= said.items() or said["exp"] < time.time():
        raise invalid()
    given = {key: response for key, response in responses.items() if key in said["asked"]}
    _check(said["asked"], given)
    _spend(said["jti"], said["exp"])
    found = {key: Exchange(**exchange) for key, exchange in said["answered"].items()}
    for key, response in given.items():
        request = said["asked"][key]
        result = elicitation.entered(request, response)
        if result is not None:
            found[key] = Exchange(request=request, result=result)
    return found


def invalid() -> ProtocolError:
    """Return the error for a state that is not this call's, with its one text: nobody is told what it was."""
    return ProtocolError(ProtocolError.PARAMS, INVALID)


def _verified(state: str) -> dict[str, Any]:
    try:
        return _SIGNER.verify(state)
    except signing.Forged:
        raise invalid() from None


def _check(asked: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    wrong = [key for key, response in given.items() if not elicitation.is_answer(asked[key], response)]
    if wrong:
        problems = " ".join(f"inputResponses.{key}: Must be a result of {asked[key]['method']}." for key in wrong)
        raise ProtocolError(ProtocolError.PARAMS, f"Invalid params. {problems}")


def _spend(jti: str, expires: int) -> None:
    """Mark a state as spent. The mark is read again: a cache that keeps nothing, or hides that it failed, says yes."""
    cache, key, mine = caches[conf.CACHE], f"django_mcp:question:{jti}", uuid.uuid4().hex
    try:
        cache.add(key, mine, max(1, expires - int(time.time())) + MARGIN)
        held = cache.get(key)
    except Exception as error:  # noqa: BLE001 - each backend raises what its client library raises
        # The exception's own text may hold the cache's address and password.
        logger.warning("The cache of questions failed: %s.", type(error).__name__)
        raise Unavailable(UNAVAILABLE) from None
    if held is None:
        raise Unavailable(UNAVAILABLE)
    if held != mine:
        raise invalid()
