"""The host's settings under `DJANGO_MCP`: one typed property each, its default beside it, read anew on every access."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from importlib.metadata import PackageNotFoundError, version
from typing import Any, cast

from django.conf import settings

INSTRUCTIONS = (
    "Use API Tools (api_search, api_describe, api_call) to interact with the application. Read-only APIs execute "
    "immediately. When calling Write or Destructive APIs via api_call, the server returns a 'requires_confirmation' "
    "status with a confirmationToken. You MUST present the summary and arguments to the user to obtain explicit "
    "confirmation. Once confirmed, re-invoke api_call passing the exact same arguments along with the provided "
    "confirmationToken."
)

# For callers to whom no API tool is listed.
INSTRUCTIONS_WITHOUT_API_TOOLS = (
    "Use the listed tools to interact with the application. Tools that only read execute immediately. A tool that "
    "writes or destroys returns a 'requires_confirmation' status with a confirmationToken first. You MUST present the "
    "summary and arguments to the user to obtain explicit confirmation. Once confirmed, call the same tool again, "
    "passing the exact same arguments along with the provided confirmationToken."
)

_NOTHING_SAID: Mapping[str, Any] = {}

REDACT_FIELDS = ("password", "secret", "token", "api_key", "authorization", "card", "cvv", "ssn")


def _package_version() -> str:
    try:
        return version("django-mcp-confirm")
    except PackageNotFoundError:
        return "0"


def _seconds(value: Any) -> int:
    return int(value.total_seconds() if isinstance(value, timedelta) else value)


class Conf:
    """Typed access to `DJANGO_MCP`. Durations are whole seconds, sizes bytes."""

    @property
    def raw(self) -> Mapping[str, Any]:
        return cast("Mapping[str, Any]", getattr(settings, "DJANGO_MCP", _NOTHING_SAID))

    def _names(self, key: str, default: Sequence[str] = ()) -> tuple[str, ...]:
        return tuple(self.raw.get(key, default))

    @property
    def SERVER_NAME(self) -> str:
        return str(self.raw.get("SERVER_NAME") or settings.ROOT_URLCONF.partition(".")[0])

    @property
    def SERVER_VERSION(self) -> str:
        return str(self.raw.get("SERVER_VERSION") or _package_version())

    @property
    def INSTRUCTIONS(self) -> str:
        return str(self.raw.get("INSTRUCTIONS") or INSTRUCTIONS)

    @property
    def TOOL_GROUPS(self) -> tuple[str, ...]:
        return self._names("TOOL_GROUPS")

    @property
    def TOOLS(self) -> tuple[str, ...]:
        return self._names("TOOLS")

    @property
    def EXCLUDE_OPERATIONS(self) -> tuple[str, ...]:
        return self._names("EXCLUDE_OPERATIONS")

    @property
    def USER_GROUPS(self) -> tuple[str, ...]:
        return self._names("USER_GROUPS")

    @property
    def APPROVAL_MODE(self) -> str:
        return str(self.raw.get("APPROVAL_MODE", "confirmation_token"))

    @property
    def CONFIRMATION_TOKEN_EXPIRY(self) -> int:
        return _seconds(self.raw.get("CONFIRMATION_TOKEN_EXPIRY", 5 * 60))

    @property
    def SIGNING_SECRET(self) -> str | None:
        return cast("str | None", self.raw.get("SIGNING_SECRET"))

    @property
    def SIGNING_SECRET_FALLBACKS(self) -> tuple[str, ...]:
        return self._names("SIGNING_SECRET_FALLBACKS")

    @property
    def CACHE(self) -> str:
        return str(self.raw.get("CACHE", "default"))

    @property
    def AUTHENTICATION_CLASSES(self) -> tuple[str, ...]:
        return self._names("AUTHENTICATION_CLASSES", ("django_mcp.transport.authentication.APIKeyAuthentication",))

    @property
    def THROTTLE_CLASSES(self) -> tuple[str, ...]:
        return self._names("THROTTLE_CLASSES")

    @property
    def REQUIRE_AUTH(self) -> bool:
        return bool(self.raw.get("REQUIRE_AUTH", True))

    @property
    def ALLOWED_ORIGINS(self) -> tuple[str, ...]:
        return self._names("ALLOWED_ORIGINS")

    @property
    def FORWARD_HEADERS(self) -> tuple[str, ...]:
        return self._names("FORWARD_HEADERS")

    @property
    def EXECUTION_CONTEXT(self) -> tuple[Any, ...]:
        return tuple(self.raw.get("EXECUTION_CONTEXT", ()))

    @property
    def READ_GUARD(self) -> str:
        return str(self.raw.get("READ_GUARD", "warn"))

    @property
    def DEFAULT_LIMIT(self) -> int:
        return int(self.raw.get("DEFAULT_LIMIT", 25))

    @property
    def MAX_LIMIT(self) -> int:
        return int(self.raw.get("MAX_LIMIT", 100))

    @property
    def MAX_REQUEST_BYTES(self) -> int:
        return int(self.raw.get("MAX_REQUEST_BYTES", 1024 * 1024))

    @property
    def MAX_RESULT_LENGTH(self) -> int:
        return int(self.raw.get("MAX_RESULT_LENGTH", 32 * 1024))

    @property
    def MAX_INLINE_RESOURCE_BYTES(self) -> int:
        return int(self.raw.get("MAX_INLINE_RESOURCE_BYTES", 4 * 1024 * 1024))

    @property
    def MAX_STORED_RESOURCE_BYTES(self) -> int:
        return int(self.raw.get("MAX_STORED_RESOURCE_BYTES", 100 * 1024 * 1024))

    @property
    def RESOURCE_STORAGE(self) -> str:
        return str(self.raw.get("RESOURCE_STORAGE", "default"))

    @property
    def RESOURCE_LINK_EXPIRY(self) -> int:
        return _seconds(self.raw.get("RESOURCE_LINK_EXPIRY", 60 * 60))

    @property
    def PUBLISH_AS(self) -> Mapping[str, str]:
        return cast("Mapping[str, str]", self.raw.get("PUBLISH_AS", {}))

    @property
    def REDACT_FIELDS(self) -> tuple[str, ...]:
        return self._names("REDACT_FIELDS", REDACT_FIELDS)

    @property
    def KEY_AS_REQUEST_AUTH(self) -> bool:
        return bool(self.raw.get("KEY_AS_REQUEST_AUTH", True))

    @property
    def AUDIT_READS(self) -> bool:
        return bool(self.raw.get("AUDIT_READS", False))

    @property
    def AUDIT_RETENTION(self) -> int | None:
        value = self.raw.get("AUDIT_RETENTION")
        return None if value is None else _seconds(value)


conf = Conf()

KEYS = frozenset(name for name in vars(Conf) if name.isupper())
