"""Two trees of errors: of messages that are no valid request, and of calls that fail. One place translates each."""

from typing import Any, ClassVar


class ProtocolError(Exception):
    """The message is no valid request of the protocol. Raised by the codec, the transport and the dispatcher.

    The client sees a JSON-RPC error with `code`, `message` and `data` under the HTTP status `http_status`. Nothing is
    logged.
    """

    PARSE = -32700
    REQUEST = -32600
    METHOD = -32601
    PARAMS = -32602
    INTERNAL = -32603
    # MCP's own, since 2026-07-28, which wants them under HTTP status 400.
    HEADERS = -32020
    CAPABILITY = -32021
    VERSION = -32022
    _BAD_REQUESTS: ClassVar[frozenset[int]] = frozenset({HEADERS, CAPABILITY, VERSION})

    def __init__(
        self,
        code: int,
        message: str,
        *,
        http_status: int | None = None,
        data: Any = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.http_status = http_status or (400 if code in self._BAD_REQUESTS else 200)
        self.data = data
        self.headers = headers or {}


class ToolError(Exception):
    """The call was understood and cannot be done. Raised by every stage of a call, and by host tools.

    The model sees an error result with `code`, the text and `details`; nothing is logged.
    """

    code: ClassVar[str] = "operation_failed"

    def __init__(self, text: str, **details: Any) -> None:
        super().__init__(text)
        self.text = text
        self.details = details


class ValidationFailed(ToolError):
    """The arguments are wrong; `details` may carry `errors` by field."""

    code = "validation_error"


class PermissionRefused(ToolError):
    """The caller's user may not do this."""

    code = "permission_denied"


class NotFound(ToolError):
    """Hidden, forbidden and non-existent look alike."""

    code = "not_found"

    def __init__(self, text: str = "Not found or not available to you.", **details: Any) -> None:
        super().__init__(text, **details)


class Throttled(ToolError):
    """Too many calls; `details` carries `retryAfter` in seconds where it is known."""

    code = "throttled"


class Conflict(ToolError):
    """The host answered 409 or 412."""

    code = "conflict"


class OperationFailed(ToolError):
    """The host answered with another 4xx."""


class InternalError(ToolError):
    """Something broke, and no write remains of the call; `details` carries `errorId`, which the log has too."""

    code = "internal_error"


class ApprovalError(ToolError):
    """Approval stood in the way, not the host's code: the text is ours, and quotes no value of the arguments."""


class ApprovalRequired(ApprovalError):
    """The operation may not run without an approval that cannot be given here."""

    code = "approval_required"


class ConfirmationMalformed(ApprovalError):
    """The text is not a confirmation token at all."""

    code = "confirmation_malformed"


class ConfirmationInvalid(ApprovalError):
    """The signature is wrong, the token is unknown, or it is another caller's: one text for all three."""

    code = "confirmation_invalid"


class ConfirmationExpired(ApprovalError):
    """The token's time is over and it was never used."""

    code = "confirmation_expired"


class WrongOperation(ApprovalError):
    """The token was issued for another tool or operation."""

    code = "confirmation_wrong_operation"


class ArgumentsChanged(ApprovalError):
    """The arguments differ from those that were shown; `details` carries `changed`, a list of paths."""

    code = "arguments_changed"


class TargetChanged(ApprovalError):
    """What the call would change is no longer what it was when it was shown."""

    code = "target_changed"


class ConfirmationUsed(ApprovalError):
    """The token was spent; `details` carries `outcome`."""

    code = "confirmation_used"


class Declined(ApprovalError):
    """Someone said no."""

    code = "declined"


class PendingReview(ApprovalError):
    """A human has not decided yet."""

    code = "pending_review"


class Unavailable(ApprovalError):
    """Writes are switched off, or a store that single use depends on does not answer. Nothing ran."""

    code = "unavailable"


class OutcomeUnknown(ToolError):
    """The operation was started and may have been applied; `details` carries `errorId`."""

    code = "outcome_unknown"
