"""Whether `DJANGO_MCP` says what can be understood."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error
from django.utils.functional import Promise
from django.utils.module_loading import import_string
from rest_framework.authentication import SessionAuthentication

from django_mcp.access.config_changes import OFFERED_MODES
from django_mcp.access.server_config import PublishAs
from django_mcp.conf import KEYS, conf
from django_mcp.text import nearest
from django_mcp.types import ApprovalMode

CHOICES = {"APPROVAL_MODE": OFFERED_MODES, "READ_GUARD": ("off", "warn", "enforce")}
LISTS = (
    "TOOL_GROUPS", "TOOLS", "EXCLUDE_OPERATIONS", "USER_GROUPS", "SIGNING_SECRET_FALLBACKS", "AUTHENTICATION_CLASSES",
    "THROTTLE_CLASSES", "ALLOWED_ORIGINS", "FORWARD_HEADERS", "EXECUTION_CONTEXT", "REDACT_FIELDS",
)  # fmt: skip
LIST_TYPES = (list, tuple, set, frozenset)
NUMBERS = (
    "CONFIRMATION_TOKEN_EXPIRY", "DEFAULT_LIMIT", "MAX_LIMIT", "MAX_REQUEST_BYTES",
    "MAX_RESULT_LENGTH", "MAX_INLINE_RESOURCE_BYTES", "MAX_STORED_RESOURCE_BYTES", "RESOURCE_LINK_EXPIRY",
    "AUDIT_RETENTION",
)  # fmt: skip
BOOLEANS = ("REQUIRE_AUTH", "KEY_AS_REQUEST_AUTH", "AUDIT_READS")
TEXTS = ("SERVER_NAME", "SERVER_VERSION", "INSTRUCTIONS", "SIGNING_SECRET", "CACHE", "RESOURCE_STORAGE")
MAPPINGS = ("PUBLISH_AS",)
NOT_YET = "it is not available in this version, every write would be refused."
NEVER_FORWARDED = ("authorization", "proxy-authorization", "cookie", "forwarded")


def readable() -> bool:
    """Tell whether the values have the types that they are read as: other checks have nothing to say before."""
    return _is_mapping() and not any(_kinds())


def _is_mapping() -> bool:
    said: object = conf.raw
    return isinstance(said, Mapping)


def check_settings(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Check that `DJANGO_MCP` says what can be understood."""
    if not _is_mapping():
        return [Error("DJANGO_MCP must be a dict.", id="django_mcp.E001")]
    checks: tuple[Callable[[], Iterable[CheckMessage]], ...] = (
        _unknown_keys, _choices, _limits, _publishing, _dotted_paths, _forwarded_headers, _cache_alias, _storage_alias,
    )  # fmt: skip
    kinds = list(_kinds())
    # The rest reads the values: it can only speak of lists that are lists.
    return [*_unknown_keys(), *kinds] if kinds else [message for check in checks for message in check()]


def _unknown_keys() -> Iterable[CheckMessage]:
    for key in conf.raw:
        if key not in KEYS:
            near = nearest(str(key), KEYS)
            hint = f"Did you mean {near}?" if near else f"The keys are {', '.join(sorted(KEYS))}."
            yield Error(f"DJANGO_MCP has no key {key!r}.", hint=hint, id="django_mcp.E002")


def _kinds() -> Iterable[CheckMessage]:
    for check in (_lists, _mappings, _numbers, _texts, _booleans):
        yield from check()


def _lists() -> Iterable[CheckMessage]:
    for key in LISTS:
        value = conf.raw.get(key, ())
        if not isinstance(value, LIST_TYPES):
            # A secret is not for a terminal.
            hint = "Write a list." if key == "SIGNING_SECRET_FALLBACKS" else f"Write [{value!r}]."
            yield Error(f"DJANGO_MCP[{key!r}] must be a list.", hint=hint, id="django_mcp.E003")


def _mappings() -> Iterable[CheckMessage]:
    for key in MAPPINGS:
        if not isinstance(conf.raw.get(key, {}), Mapping):
            hint = "Write {'group': 'both'}."
            yield Error(f"DJANGO_MCP[{key!r}] must be a dict.", hint=hint, id="django_mcp.E003")


def _numbers() -> Iterable[CheckMessage]:
    for key in NUMBERS:
        try:
            value = getattr(conf, key)
        except (TypeError, ValueError, OverflowError):
            value = 0
        if value is not None and value < 1:
            yield Error(f"DJANGO_MCP[{key!r}] must be a positive number or duration.", id="django_mcp.E004")


def _texts() -> Iterable[CheckMessage]:
    for key in TEXTS:
        if not isinstance(conf.raw.get(key) or "", str | Promise):
            yield Error(f"DJANGO_MCP[{key!r}] must be a text.", hint="Write a str.", id="django_mcp.E012")
    fallbacks = conf.raw.get("SIGNING_SECRET_FALLBACKS", ())
    if isinstance(fallbacks, LIST_TYPES) and not all(isinstance(secret or "", str) for secret in fallbacks):
        text = "DJANGO_MCP['SIGNING_SECRET_FALLBACKS'] must hold texts."
        yield Error(text, hint="Write each as a str.", id="django_mcp.E012")


def _booleans() -> Iterable[CheckMessage]:
    for key in BOOLEANS:
        value = conf.raw.get(key, False)
        if not isinstance(value, bool):
            hint = 'Convert what comes from the environment: "False" is a text, and counts as true.'
            yield Error(f"DJANGO_MCP[{key!r}] must be True or False.", hint=hint, id="django_mcp.E013")


def _limits() -> Iterable[CheckMessage]:
    if conf.DEFAULT_LIMIT > conf.MAX_LIMIT:
        yield Error(
            f"DJANGO_MCP['DEFAULT_LIMIT'] is {conf.DEFAULT_LIMIT}, more than 'MAX_LIMIT', which is {conf.MAX_LIMIT}.",
            hint="Set both: who names no size would get more rows than anyone may ask for.",
            id="django_mcp.E014",
        )


def _choices() -> Iterable[CheckMessage]:
    for key, allowed in CHOICES.items():
        value = getattr(conf, key)
        if value not in allowed:
            reason = f": {NOT_YET}" if value == ApprovalMode.REVIEW else "."
            hint = f"One of {', '.join(allowed)}."
            yield Error(f"DJANGO_MCP[{key!r}] cannot be {value!r}{reason}", hint=hint, id="django_mcp.E005")


def _publishing() -> Iterable[CheckMessage]:
    for group, way in conf.PUBLISH_AS.items():
        if way not in PublishAs.values:
            hint = f"One of {', '.join(PublishAs.values)}."
            yield Error(f"DJANGO_MCP['PUBLISH_AS'][{group!r}] cannot be {way!r}.", hint=hint, id="django_mcp.E011")


def _dotted_paths() -> Iterable[CheckMessage]:
    for key in ("AUTHENTICATION_CLASSES", "THROTTLE_CLASSES", "EXECUTION_CONTEXT"):
        for path in getattr(conf, key):
            if not isinstance(path, str):
                continue
            try:
                found = import_string(path)
            except ImportError as error:
                yield Error(f"DJANGO_MCP[{key!r}] names {path!r}: {error}", id="django_mcp.E006")
                continue
            if isinstance(found, type) and issubclass(found, SessionAuthentication):
                yield Error(
                    f"DJANGO_MCP[{key!r}] must not hold session authentication ({path}).",
                    hint="A web page could call the endpoint with its visitor's cookie. Use API keys or tokens.",
                    id="django_mcp.E007",
                )


def _forwarded_headers() -> Iterable[CheckMessage]:
    for name in conf.FORWARD_HEADERS:
        plain = str(name).lower().replace("_", "-")
        if plain in NEVER_FORWARDED or plain.startswith("x-forwarded"):
            yield Error(
                f"DJANGO_MCP['FORWARD_HEADERS'] must not hold {name!r}.",
                hint="Credentials and the caller's own word on where it is must not reach the API's views.",
                id="django_mcp.E008",
            )


def _cache_alias() -> Iterable[CheckMessage]:
    if conf.CACHE not in settings.CACHES:
        hint = f"CACHES has {', '.join(settings.CACHES)}."
        yield Error(f"DJANGO_MCP['CACHE'] names {conf.CACHE!r}.", hint=hint, id="django_mcp.E009")


def _storage_alias() -> Iterable[CheckMessage]:
    if conf.RESOURCE_STORAGE not in settings.STORAGES:
        hint = f"STORAGES has {', '.join(settings.STORAGES)}."
        yield Error(f"DJANGO_MCP['RESOURCE_STORAGE'] names {conf.RESOURCE_STORAGE!r}.", hint=hint, id="django_mcp.E010")
