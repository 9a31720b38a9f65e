"""What the address of a list may ask for."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

# What the filters of columns put behind a column's name.
_ENDINGS = ("", "__exact", "__in", "__gte", "__gt", "__lte", "__lt", "__isnull")


class FilterLookups:
    """Admits the parameters of the list's own filters.

    Django admits every column of the model, and so answers whether a hidden one begins with a text that was guessed.
    """

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        filters: Any = self.get_list_filter(request)  # type: ignore[attr-defined]
        return any(lookup in _parameters(item) for item in filters)


def _parameters(item: Any) -> tuple[str, ...]:
    if isinstance(item, type) and issubclass(item, admin.SimpleListFilter):
        return (str(item.parameter_name),)
    column = item[0] if isinstance(item, tuple) else item
    return tuple(f"{column}{ending}" for ending in _ENDINGS)
