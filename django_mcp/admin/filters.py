"""The filters of lists."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from django_mcp.choices import State
from django_mcp.models import APIKey


def titled(kind: type[admin.FieldListFilter], title: str | Promise) -> type[admin.FieldListFilter]:
    """Return a filter of that kind under a title of its own: a column's name reads badly after "By"."""

    class Titled(kind):  # type: ignore[misc, valid-type]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.title = title

    return Titled


class KeyStateFilter(admin.SimpleListFilter):
    title = _("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return list(APIKey.State.choices)

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        chosen = self.value()
        return queryset.in_state(APIKey.State(chosen)) if chosen in APIKey.State.values else queryset


class ConfirmationStateFilter(admin.SimpleListFilter):
    """Filters by the states that people see.

    An execution that was never settled and one that broke are one state to them: nobody knows what it did.
    """

    title = _("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [(value, label) for value, label in State.choices if value != State.EXECUTING]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        chosen = self.value()
        return queryset.shown_as(State(chosen), timezone.now()) if chosen in State.values else queryset
