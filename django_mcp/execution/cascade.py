"""What goes with a row that is deleted, and what keeps it from being deleted."""

from dataclasses import dataclass, field
from typing import Any

from django.db import router
from django.db.models import Model, ProtectedError, RestrictedError
from django.db.models.deletion import Collector
from rest_framework.mixins import DestroyModelMixin

from django_mcp.host.refusals import counted


@dataclass(frozen=True, slots=True)
class Cascade:
    """Numbers of rows by the plural name of their model: those that are deleted too, and those that forbid it."""

    taken: dict[str, int] = field(default_factory=dict)
    protecting: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, view: Any, row: Any) -> "Cascade":
        """Return what a delete by this view would take; nothing where the host deletes in a way of its own."""
        own = getattr(type(view), "perform_destroy", None) is DestroyModelMixin.perform_destroy
        if not own or not isinstance(row, Model) or type(row).delete is not Model.delete:
            return cls()
        collector = Collector(using=router.db_for_write(type(row), instance=row), origin=row)
        try:
            collector.collect([row])
        except ProtectedError as error:
            return cls(protecting=counted(error.protected_objects))
        except RestrictedError as error:
            return cls(protecting=counted(error.restricted_objects))
        taken = counted(item for rows in collector.data.values() for item in rows if item != row)
        for rows in collector.fast_deletes:
            if count := rows.count():
                name = str(rows.model._meta.verbose_name_plural)  # noqa: SLF001 - Django documents it
                taken[name] = taken.get(name, 0) + count
        return cls(taken=taken)
