"""Whether `DJANGO_MCP` can be understood: its keys, the kinds of their values, and what the values name."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import (
    CheckMessage,
    Error,
    Warning,  # noqa: A004 - as Django names it
)
from django.utils.functional import Promise
from django.utils.module_loading import import_string
from rest_framework.authentication import SessionAuthentication

from django_mcp.access.server_config import PublishAs
from django_mcp.choices import ApprovalMode
from django_mcp.conf import (
    KEYS,
    SETTINGS,
    BooleanSetting,
    ChoiceSetting,
    Conf,
    CountSetting,
    DictSetting,
    ListSetting,
    NumberSetting,
    PathListSetting,
    SecretSetting,
    Setting,
    TextSetting,
    conf,
)
from django_mcp.text import nearest

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
    checks = (_choices, _limits, _publishing, _dotted_paths, _keys_taken, _forwarded_headers, _aliases)
    return [*unknown, *(message for check in checks for message in check())]


def _unknown_keys() -> Iterable[CheckMessage]:
    for key in conf.raw:
        if key not in KEYS:
            near = nearest(str(key), KEYS)
            hint = f"Did you mean {near}?" if near else f"The keys are {', '.join(sorted(KEYS))}."
            yield Error(f"DJANGO_MCP has no key {key!r}.", hint=hint, id="django_mcp.E002")


def _kinds() -> Iterable[CheckMessage]:
    for setting in (setting for setting in SETTINGS if setting.name in conf.raw):
        for demand, hint, code in _unmet(setting, conf.raw[setting.name]):
            yield Error(f"DJANGO_MCP[{setting.name!r}] must {demand}.", hint=hint, id=f"django_mcp.{code}")


def _unmet(setting: Setting[Any], value: Any) -> Iterable[tuple[str, str | None, str]]:
    """Yield the demand of the setting's kind that the value does not meet, with a hint and the check's id."""
    secret = setting.name == "SIGNING_SECRET_FALLBACKS"
    match setting:
        case ListSetting() if not isinstance(value, list | tuple | set | frozenset):
            # A secret is not for a terminal.
            yield "be a list", "Write a list." if secret else f"Write [{value!r}].", "E003"
        case ListSetting() if not all(_is_item(setting, item) for item in value):
            yield "hold texts", f"Write each as a str{'' if secret else ' that is not blank'}.", "E012"
        case DictSetting() if not isinstance(value, Mapping):
            yield "be a dict", "Write {'group': 'both'}.", "E003"
        case CountSetting() if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            yield "be a whole number, 0 for no limit", None, "E004"
        case NumberSetting() if not isinstance(setting, CountSetting) and not _is_positive(setting, value):
            yield "be a positive number or duration", None, "E004"
        case TextSetting() | SecretSetting() if not isinstance(value or "", str | Promise):
            yield "be a text", "Write a str.", "E012"
        case BooleanSetting() if not isinstance(value, bool):
            hint = 'Convert what comes from the environment: "False" is a text, and counts as true.'
            yield "be True or False", hint, "E013"


def _is_item(setting: Setting[Any], item: Any) -> bool:
    if setting.name == "SIGNING_SECRET_FALLBACKS":
        return isinstance(item or "", str)
    # What a path leads to has a check of its own.
    return isinstance(setting, PathListSetting) or (isinstance(item, str) and bool(item.strip()))


def _is_positive(setting: NumberSetting[Any], value: Any) -> bool:
    try:
        number = setting.read(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return number is None or number >= 1


def _choices() -> Iterable[CheckMessage]:
    for setting in SETTINGS:
        value = getattr(conf, setting.name)
        if isinstance(setting, ChoiceSetting) and value not in setting.choices:
            unavailable = ": it is not available in this version, every write would be refused"
            reason = unavailable if value == ApprovalMode.REVIEW else ""
            near = nearest(str(value), setting.choices)
            hint = f"{f'Did you mean {near}? ' if near else ''}One of {', '.join(setting.choices)}."
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
    names = [setting.name for setting in SETTINGS if isinstance(setting, PathListSetting)]
    for key, path in [(name, path) for name in names for path in getattr(conf, name) if isinstance(path, str)]:
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


def _keys_taken() -> Iterable[CheckMessage]:
    """Warn where callers authenticate, and none of the classes takes the keys that are issued here."""
    own = Conf.AUTHENTICATION_CLASSES.default[0]
    classes = []
    for path in conf.AUTHENTICATION_CLASSES:
        # What cannot be imported is another message's subject.
        with suppress(ImportError):
            classes.append(import_string(path) if isinstance(path, str) else path)
    takes_keys = any(isinstance(item, type) and issubclass(item, import_string(own)) for item in classes)
    if classes and not takes_keys:
        yield Warning(
            "None of DJANGO_MCP['AUTHENTICATION_CLASSES'] takes API keys: every key is answered 401.",
            hint=f"Add {own!r}, before or after the others. Silence this where no keys are to be used.",
            id="django_mcp.W004",
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
