"""What the host says about an operation: texts, tags and an id, without looking at any serializer."""

import inspect
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.apps import apps
from drf_spectacular.plumbing import get_doc

from django_mcp.host.handlers import STANDARD_ACTIONS, handler_function
from django_mcp.host.views import mock_view, versioned
from django_mcp.schema.inspector import inspector_for, quietly
from django_mcp.schema.per_user import is_customised
from django_mcp.types import Operation

_LONGEST_SUMMARY = 160
# Docstrings of which the host makes pages of HTML; what only looks like a tag, such as <uuid>, stays.
_MARKUP = re.compile(
    r"<!--.*?-->|</?(?:a|b|br|code|div|em|h\d|i|li|ol|p|pre|span|strong|table|td|tr|ul)\b[^<>]*>", re.DOTALL
)
_SENTENCE = re.compile(r"(?<=[.!?])\s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Presentation:
    """How an operation is presented: `group` is never empty, `operation_id` only where the host gave one."""

    excluded: bool
    operation_id: str
    group: str
    tags: tuple[str, ...]
    summary: str
    description: str


def present(operation: Operation, action: str | None) -> Presentation:
    """Return how an operation that has no texts yet is presented, in the active language.

    `action` is what its method does, None where only the view knows. Raises what the host's view raises.
    """
    view_class, hints = operation.view_class, operation.hints
    handler = getattr(view_class, operation.handler, None)
    excluded, operation_id, summary, description = False, "", "", ""
    tags: tuple[str, ...] = ()
    if is_customised(view_class, operation.callback, handler):
        with quietly():
            view = versioned(mock_view(operation), operation.namespace)
            inspector = inspector_for(view, operation.callback, handler, operation.method)
            inspector.path, inspector.path_regex, inspector.path_prefix = operation.route, operation.path_regex, ""
            description = str(inspector.get_description() or "")
            excluded = bool(inspector.is_excluded())
            operation_id = str(inspector.get_operation_id() or "")
            tags = tuple(str(tag) for tag in inspector.get_tags() or ())
            summary = str(inspector.get_summary() or "")
    of_handler, of_view = _docstrings(view_class, operation.handler)
    about_view = not of_handler and description in {"", of_view}
    description = description or of_handler or of_view
    declared = summary or hints.description
    line = one_line(declared or description)
    # What describes the view as a whole follows what the action does to it.
    if action is not None and not declared and (about_view or not line):
        label = _label(operation, action)
        line = f"{label}: {line}" if line else label
    return Presentation(
        excluded=excluded,
        operation_id=operation_id,
        group=hints.group or next(iter(tags), "") or _app_label(view_class.__module__),
        tags=tags,
        summary=line,
        description=hints.description or description,
    )


def one_line(text: str) -> str:
    """Return the first sentence of a text without its markup, on one line of at most 160 characters."""
    paragraph = " ".join(_MARKUP.sub("", text).strip().partition("\n\n")[0].split())
    sentence = _SENTENCE.split(paragraph, maxsplit=1)[0]
    if len(sentence) <= _LONGEST_SUMMARY:
        return sentence
    return sentence[: _LONGEST_SUMMARY - 1].rsplit(" ", 1)[0] + "…"


def _label(operation: Operation, action: str) -> str:
    """Return what an action does, with the name of the model for a standard action of a view that has one."""
    standard = STANDARD_ACTIONS.get(action)
    label = standard.title if standard else action.replace("_", " ").capitalize()
    model: Any = getattr(getattr(operation.view_class, "queryset", None), "model", None)
    if model is None or operation.handler not in STANDARD_ACTIONS:
        return label
    options = model._meta  # noqa: SLF001 - Django documents it
    noun = options.verbose_name_plural if operation.handler == "list" else options.verbose_name
    return f"{label} {noun}" if noun else label


@lru_cache(maxsize=1024)
def _docstrings(view_class: type, handler: str) -> tuple[str, str]:
    function = handler_function(view_class, handler)
    # A function's own docstring only: the mixins' methods are looked up in the library otherwise.
    own = inspect.cleandoc(function.__doc__) if function is not None and function.__doc__ else ""
    return own.strip(), str(get_doc(view_class)).strip()


@lru_cache(maxsize=1024)
def _app_label(module: str) -> str:
    """Return the label of the app that a module is in, or its top-level package where it is in none."""
    config = apps.get_containing_app_config(module)
    return config.label if config is not None else module.partition(".")[0]


def forget() -> None:
    """Drop what was read of classes and modules, for changed settings."""
    _docstrings.cache_clear()
    _app_label.cache_clear()
