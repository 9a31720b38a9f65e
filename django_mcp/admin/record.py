"""The base of pages that only show: nothing is added, changed or removed there, and no list counts a whole table."""

import uuid
from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.core.paginator import Paginator
from django.db import models
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.functional import Promise, cached_property

from django_mcp.admin.lookups import FilterLookups

# How many rows a list pages through: its count stops here, so that its cost does not grow with the table.
MAX_COUNTED = 10_000


class BoundedPaginator(Paginator):  # type: ignore[type-arg]
    """Counts at most `MAX_COUNTED` rows; older ones are reached by filters."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        # Without the annotations of the list: nothing of the rows is needed.
        return int(rows.order_by().values("pk")[:MAX_COUNTED].count())


class LeanChangeList(ChangeList):
    """A list that leaves the `large_fields` of its admin in the database."""

    def get_queryset(self, request: HttpRequest, exclude_parameters: Any = None) -> QuerySet[models.Model]:
        rows = super().get_queryset(request, exclude_parameters)
        return rows.defer(*getattr(self.model_admin, "large_fields", ()))


class RecordAdmin(FilterLookups, admin.ModelAdmin):  # type: ignore[type-arg]
    """A read-only page over a table that may be large.

    `about` is a sentence above the list, `large_fields` are the columns that a list leaves in the database.
    `exact_search` names indexed columns that the search compares whole, `id_search` the column of a UUID.
    """

    paginator = BoundedPaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    list_max_show_all = 0
    list_per_page = 50
    actions = None
    change_list_template = "admin/django_mcp/record_list.html"
    about: str | Promise = ""
    change_form_template = "admin/django_mcp/record_form.html"
    large_fields: tuple[str, ...] = ()
    exact_search: tuple[str, ...] = ()
    id_search = ""

    class Media:
        css = {"all": ["django_mcp/admin.css"]}

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return LeanChangeList

    def get_search_fields(self, request: HttpRequest) -> tuple[str, ...]:
        return (*self.exact_search, self.id_search)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[models.Model], search_term: str
    ) -> tuple[QuerySet[models.Model], bool]:
        # Whole values of indexed columns: a search for a part of one would read the whole table.
        term = search_term.strip()
        if not term:
            return queryset, False
        identifier = uuid_of(term)
        if identifier is not None:
            return queryset.filter(**{self.id_search: identifier}), False
        any_column = Q.create([(column, term) for column in self.exact_search], connector=Q.OR)
        return queryset.filter(any_column), False

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        return super().changelist_view(request, {"counted": MAX_COUNTED, "about": self.about, **(extra_context or {})})


def uuid_of(text: str) -> uuid.UUID | None:
    """Return a text as a UUID, None where it is none."""
    try:
        return uuid.UUID(text)
    except ValueError:
        return None
