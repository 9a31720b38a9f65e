"""Filters of lists under titles of our own."""

from typing import Any

from django.contrib import admin
from django.utils.functional import Promise


def titled(kind: type[admin.FieldListFilter], title: str | Promise) -> type[admin.FieldListFilter]:
    """Return a filter of that kind under a title of its own: a column's name reads badly after "By"."""

    class Titled(kind):  # type: ignore[misc, valid-type]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.title = title

    return Titled
