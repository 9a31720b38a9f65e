"""The context of a call: the tenant, host and headers under which it was proposed, and must be confirmed.

A human approves an effect in one place. The same arguments sent to another host name, or under another tenant that
middleware chose, would have another, so the confirmation is bound to the context, and refused in a different one.
"""

import datetime
import hmac
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.db.models import Model
from django.utils import timezone, translation
from django.utils.functional import LazyObject, Promise

from django_mcp.approval.signing import Purpose, keys_for
from django_mcp.conf import conf
from django_mcp.host.requests import Context, attributes_of, forwarded_headers
from django_mcp.models import Confirmation
from django_mcp.text import clean_text

# What multi-tenancy packages and hosts call what they put on a request.
ATTRIBUTES = frozenset(
    {
        "tenant", "tenant_id", "organization", "organization_id", "site", "schema_name", "space", "event", "urlconf",
    }
)  # fmt: skip
UNAVAILABLE = "unavailable"
MAX_VALUE = 200

_Scalar = str | int | float | bool | UUID | datetime.date | None


def context_of(context: Context) -> dict[str, dict[str, Any]]:
    """Return what a confirmation is bound to, as JSON: host name, mount, URL arguments, headers and attributes.

    Values of forwarded headers may be credentials, so there are only digests of them.
    """
    outer = context.outer
    match = getattr(outer, "resolver_match", None)
    headers = {name.lower(): value for name, value in forwarded_headers(outer).items()}
    return {
        "server": {"host": context.caller.host, "mount": outer.path.rstrip("/")},
        "url": {name: _scalar(value) for name, value in (match.kwargs if match else {}).items()},
        "headers": {name: _digest(value, keys_for(Purpose.DIGEST)[0]) for name, value in headers.items()},
        "attributes": dict(_attributes(outer)),
    }


def differences(recorded: Mapping[str, Any], context: Context) -> list[str]:
    """Return what differs between the recorded context and this one, such as "host" and "attribute tenant"."""
    now = context_of(context)
    headers = {name.lower(): value for name, value in forwarded_headers(context.outer).items()}
    names = []
    for part, label in (("server", ""), ("url", "URL argument "), ("headers", "header "), ("attributes", "attribute ")):
        before: Mapping[str, Any] = recorded.get(part, {})
        for name in sorted({*before, *now[part]}):
            same = name in before and name in now[part] and before[name] == now[part][name]
            if part == "headers" and not same and name in before and name in headers:
                # It may have been digested under a key that is now old.
                digests = (_digest(headers[name], key) for key in keys_for(Purpose.DIGEST))
                same = any(hmac.compare_digest(before[name], digest) for digest in digests)
            if not same:
                names.append(f"{label}{name}")
    return names


def locale_of(context: Context) -> tuple[str, str, str]:
    """Return the language, time zone and Accept-Language that a call is proposed in; they are restored when it runs."""
    accept = str(context.outer.META.get("HTTP_ACCEPT_LANGUAGE", ""))
    return translation.get_language() or "", timezone.get_current_timezone_name(), accept[:MAX_VALUE]


def as_proposed(context: Context, row: Confirmation) -> Context:
    """Return the context with the language and time zone of a proposal, for its run."""
    return replace(context, language=row.language, time_zone=row.time_zone, accept_language=row.accept_language)


def _attributes(outer: Any) -> Iterator[tuple[str, Any]]:
    compared, ignored = ATTRIBUTES | {*conf.CONTEXT_ATTRIBUTES}, {*conf.CONTEXT_IGNORED}
    for name, value in attributes_of(outer).items():
        if name in compared:
            yield name, _value(value)
        elif isinstance(value, Model) and not isinstance(value, LazyObject) and name not in ignored:
            yield name, _row(value)


def _value(value: Any) -> Any:
    try:
        if isinstance(value, LazyObject | Promise):
            # Either is evaluated by what only its object can answer.
            value = value._wrapped if isinstance(value, LazyObject) and bool(value) else str(value)  # noqa: SLF001 - Django's own way in
        if isinstance(value, Model):
            return _row(value)
        return _scalar(value) if isinstance(value, _Scalar) else f"{type(value).__name__} {value}"[:MAX_VALUE]
    except Exception:  # noqa: BLE001 - the host's code; what cannot be evaluated is the same wherever it cannot
        return UNAVAILABLE


def _row(row: Model) -> str:
    return f"{row._meta.label_lower}:{row.pk}"  # noqa: SLF001 - Django documents it


def _scalar(value: Any) -> Any:
    if value is None or isinstance(value, bool | int):
        return value
    return clean_text(str(value))[:MAX_VALUE]


def _digest(value: str, key: bytes) -> str:
    return hmac.digest(key, value.encode("utf-8", "surrogatepass"), "sha256").hex()[:32]
