"""What an endpoint says about itself: texts, tags and an id of its own, without looking at any serializer."""

import inspect
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.apps import apps
from drf_spectacular.plumbing import get_doc
from rest_framework.settings import api_settings
from rest_framework.views import APIView

from django_mcp.catalog.endpoints import Endpoint
from django_mcp.host.handlers import handler_function
from django_mcp.host.views import versioned, view_of
from django_mcp.schema.inspector import inspector_for, quietly
from django_mcp.schema.per_user import is_customised
from django_mcp.types import Hints

_LONGEST_SUMMARY = 160
_ACTIONS = {"retrieve": "Get one", "update": "Replace", "partial_update": "Change", "destroy": "Delete"}
# Docstrings of which the host makes pages of HTML; what only looks like a tag, such as <uuid>, stays.
_MARKUP = re.compile(
    r"<!--.*?-->|</?(?:a|b|br|code|div|em|h\d|i|li|ol|p|pre|span|strong|table|td|tr|ul)\b[^<>]*>", re.DOTALL
)
_SENTENCE = re.compile(r"(?<=[.!?])\s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Presentation:
    """The texts of one method of an endpoint; empty where it does not say."""

    excluded: bool = False
    operation_id: str = ""
    tags: tuple[str, ...] = ()
    summary: str = ""
    description: str = ""
    about_view: bool = False
    noun: str = ""

    def summary_with(self, hints: Hints, action: str | None) -> str:
        """Return one line: what was written as a summary, else how the description begins.

        A description of the view as a whole follows what the action does to it.
        """
        line = one_line(self.summary or hints.description or self.description)
        if action is None or self.summary or hints.description or (line and not self.about_view):
            return line
        label = _ACTIONS.get(action, action.replace("_", " ").capitalize())
        if self.noun:
            label = f"{label} {self.noun}"
        return f"{label}: {line}" if line else label


def one_line(text: str) -> str:
    """Return the first sentence of a text without its markup, on one line of at most 160 characters."""
    paragraph = " ".join(_MARKUP.sub("", text).strip().partition("\n\n")[0].split())
    sentence = _SENTENCE.split(paragraph, maxsplit=1)[0]
    if len(sentence) <= _LONGEST_SUMMARY:
        return sentence
    return sentence[: _LONGEST_SUMMARY - 1].rsplit(" ", 1)[0] + "…"


def present(endpoint: Endpoint, method: str, route: str, handler: str) -> Presentation:
    """Read what one method of an endpoint says about itself, in the active language."""
    callback: Any = endpoint.callback
    view_class: type = callback.cls
    function = getattr(view_class, handler, None)
    own, about_view = _docstrings(view_class, handler)
    noun = _noun(view_class, handler)
    if not is_customised(view_class, callback, function):
        return Presentation(description=own or about_view, about_view=not own, noun=noun)
    with quietly():
        view = versioned(view_of(callback, view_class, method, route), endpoint.namespace)
        inspector = inspector_for(view, callback, function, method)
        inspector.path, inspector.path_regex, inspector.path_prefix = route, endpoint.path_regex, ""
        description = str(inspector.get_description() or "")
        return Presentation(
            excluded=bool(inspector.is_excluded()),
            operation_id=str(inspector.get_operation_id() or ""),
            tags=tuple(str(tag) for tag in inspector.get_tags() or ()),
            summary=str(inspector.get_summary() or ""),
            description=description or own or about_view,
            about_view=not own and description in {"", about_view},
            noun=noun,
        )


def _noun(view_class: Any, handler: str) -> str:
    """Return what a standard action is about, by the model of its view; "" where that is not known."""
    model = getattr(getattr(view_class, "queryset", None), "model", None)
    if model is None or handler not in {"list", "create", *_ACTIONS}:
        return ""
    options = model._meta  # noqa: SLF001 - Django documents it
    return str(options.verbose_name_plural if handler == "list" else options.verbose_name)


@lru_cache(maxsize=1024)
def _docstrings(view_class: type, handler: str) -> tuple[str, str]:
    function = handler_function(view_class, handler)
    # A function's own docstring only: the mixins' methods are looked up in the library otherwise.
    own = inspect.cleandoc(function.__doc__) if function is not None and function.__doc__ else ""
    return own.strip(), str(get_doc(view_class)).strip()


@lru_cache(maxsize=1024)
def _label_of(module: str) -> str:
    config = apps.get_containing_app_config(module)
    return config.label if config is not None else module.partition(".")[0]


def forget() -> None:
    """Drop what was read of classes and modules, for changed settings."""
    _docstrings.cache_clear()
    _label_of.cache_clear()


def app_label(view_class: type) -> str:
    """Return the label of the app that a view is in, or its top-level package where it is in none."""
    return _label_of(view_class.__module__)


def has_own_authentication(view_class: type, callback: Any) -> bool:
    """Tell whether a view relies on authentication other than the project's default, or on none at all."""
    if getattr(view_class, "get_authenticators", None) is not APIView.get_authenticators:
        return True
    classes = callback.initkwargs.get("authentication_classes", getattr(view_class, "authentication_classes", ()))
    if not isinstance(classes, list | tuple | set):
        # A property: only the view itself, on a request, knows.
        return True
    default = set(api_settings.DEFAULT_AUTHENTICATION_CLASSES)
    return bool(set(classes) - default) or (not classes and bool(default))
