"""Whether `DJANGO_MCP` can be understood: its keys, the kinds of their values, and what the values name."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error
from django.utils.functional import Promise
from django.utils.module_loading import import_string
from rest_framework.authentication import SessionAuthentication

from django_mcp.access.server_config import PublishAs
from django_mcp.conf import (
    KEYS,
    SETTINGS,
    BooleanSetting,
    ChoiceSetting,
    DictSetting,
    ListSetting,
    NumberSetting,
    PathListSetting,
    TextSetting,
    conf,
)
from django_mcp.text import nearest
from django_mcp.types import ApprovalMode

LIST_TYPES = (list, tuple, set, frozenset)
NEVER_FORWARDED = ("authorization", "proxy-authorization", "cookie", "forwarded")


def readable() -> bool:
    """Tell whether every value can be read as its type. No other check has anything to say before."""
    return _is_mapping() and not any(_kinds())


def _is_mapping() -> bool:
    configured: object = conf.raw
    return isinstance(configured, Mapping)


def check_settings(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Check the keys of `DJANGO_MCP` and their values."""
    if not _is_mapping():
        return [Error("DJANGO_MCP must be a dict.", id="django_mcp.E001")]
    unknown, mistyped = list(_unknown_keys()), list(_kinds())
    if mistyped:
        return [*unknown, *mistyped]
    checks = (_choices, _limits, _publishing, _dotted_paths, _forwarded_headers, _aliases)
    return [*unknown, *(message for check in checks for message in check())]


def _unknown_keys() -> Iterable[CheckMessage]:
    for key in conf.raw:
        if key not in KEYS:
            near = nearest(str(key), KEYS)
            hint = f"Did you mean {near}?" if near else f"The keys are {', '.join(sorted(KEYS))}."
            yield Error(f"DJANGO_MCP has no key {key!r}.", hint=hint, id="django_mcp.E002")


def _keys(kind: type[Any]) -> list[str]:
    return [setting.name for setting in SETTINGS if isinstance(setting, kind)]


def _kinds() -> Iterable[CheckMessage]:
    for check in (_lists, _dicts, _numbers, _texts, _booleans):
        yield from check()


def _lists() -> Iterable[CheckMessage]:
    for key in _keys(ListSetting):
        value = conf.raw.get(key, ())
        if not isinstance(value, LIST_TYPES):
            # A secret is not for a terminal.
            hint = "Write a list." if key == "SIGNING_SECRET_FALLBACKS" else f"Write [{value!r}]."
            yield Error(f"DJANGO_MCP[{key!r}] must be a list.", hint=hint, id="django_mcp.E003")


def _dicts() -> Iterable[CheckMessage]:
    for key in _keys(DictSetting):
        if not isinstance(conf.raw.get(key, {}), Mapping):
            hint = "Write {'group': 'both'}."
            yield Error(f"DJANGO_MCP[{key!r}] must be a dict.", hint=hint, id="django_mcp.E003")


def _numbers() -> Iterable[CheckMessage]:
    for key in _keys(NumberSetting):
        try:
            value = getattr(conf, key)
        except (TypeError, ValueError, OverflowError):
            value = 0
        if value is not None and value < 1:
            yield Error(f"DJANGO_MCP[{key!r}] must be a positive number or duration.", id="django_mcp.E004")


def _texts() -> Iterable[CheckMessage]:
    for key in _keys(TextSetting):
        if not isinstance(conf.raw.get(key) or "", str | Promise):
            yield Error(f"DJANGO_MCP[{key!r}] must be a text.", hint="Write a str.", id="django_mcp.E012")
    fallbacks = conf.raw.get("SIGNING_SECRET_FALLBACKS", ())
    if isinstance(fallbacks, LIST_TYPES) and not all(isinstance(secret or "", str) for secret in fallbacks):
        text = "DJANGO_MCP['SIGNING_SECRET_FALLBACKS'] must hold texts."
        yield Error(text, hint="Write each as a str.", id="django_mcp.E012")


def _booleans() -> Iterable[CheckMessage]:
    for key in _keys(BooleanSetting):
        value = conf.raw.get(key, False)
        if not isinstance(value, bool):
            hint = 'Convert what comes from the environment: "False" is a text, and counts as true.'
            yield Error(f"DJANGO_MCP[{key!r}] must be True or False.", hint=hint, id="django_mcp.E013")


def _choices() -> Iterable[CheckMessage]:
    for setting in SETTINGS:
        value = getattr(conf, setting.name)
        if isinstance(setting, ChoiceSetting) and value not in setting.choices:
            unavailable = ": it is not available in this version, every write would be refused"
            reason = unavailable if value == ApprovalMode.REVIEW else ""
            hint = f"One of {', '.join(setting.choices)}."
            yield Error(f"DJANGO_MCP[{setting.name!r}] cannot be {value!r}{reason}.", hint=hint, id="django_mcp.E005")


def _limits() -> Iterable[CheckMessage]:
    if conf.DEFAULT_LIMIT > conf.MAX_LIMIT:
        yield Error(
            f"DJANGO_MCP['DEFAULT_LIMIT'] is {conf.DEFAULT_LIMIT}, more than 'MAX_LIMIT', which is {conf.MAX_LIMIT}.",
            hint="Set both: who names no size would get more rows than anyone may ask for.",
            id="django_mcp.E014",
        )


def _publishing() -> Iterable[CheckMessage]:
    for group, publish_as in conf.PUBLISH_AS.items():
        if publish_as not in PublishAs.values:
            hint = f"One of {', '.join(PublishAs.values)}."
            text = f"DJANGO_MCP['PUBLISH_AS'][{group!r}] cannot be {publish_as!r}."
            yield Error(text, hint=hint, id="django_mcp.E011")


def _dotted_paths() -> Iterable[CheckMessage]:
    for key in _keys(PathListSetting):
        for path in getattr(conf, key):
            if not isinstance(path, str):
                continue
            try:
                imported = import_string(path)
            except ImportError as error:
                yield Error(f"DJANGO_MCP[{key!r}] names {path!r}: {error}", id="django_mcp.E006")
                continue
            if isinstance(imported, type) and issubclass(imported, SessionAuthentication):
                yield Error(
                    f"DJANGO_MCP[{key!r}] must not hold session authentication ({path}).",
                    hint="A web page could call the endpoint with its visitor's cookie. Use API keys or tokens.",
                    id="django_mcp.E007",
                )


def _forwarded_headers() -> Iterable[CheckMessage]:
    for name in conf.FORWARD_HEADERS:
        header = str(name).lower().replace("_", "-")
        if header in NEVER_FORWARDED or header.startswith("x-forwarded"):
            yield Error(
                f"DJANGO_MCP['FORWARD_HEADERS'] must not hold {name!r}.",
                hint="Credentials and the caller's own word on where it is must not reach the API's views.",
                id="django_mcp.E008",
            )


def _aliases() -> Iterable[CheckMessage]:
    for key, configured, check_id in (("CACHE", "CACHES", "E009"), ("RESOURCE_STORAGE", "STORAGES", "E010")):
        alias, aliases = getattr(conf, key), getattr(settings, configured)
        if alias not in aliases:
            hint = f"{configured} has {', '.join(aliases)}."
            yield Error(f"DJANGO_MCP[{key!r}] names {alias!r}.", hint=hint, id=f"django_mcp.{check_id}")
