"""The row that a call would change, and what of it is compared between proposal and execution."""

from typing import Any

from django.db import models, router

from django_mcp.execution.written import written_sources
from django_mcp.types import OperationCall, Target


def target_of(call: OperationCall, instance: Any, serializer: Any, *, found_by: str = "") -> Target | None:
    """Return what to compare of a row: for PUT and PATCH the columns behind the fields written, else all of them.

    Columns that change by themselves (`auto_now`, `volatile_fields`) are left out; the one that the row was found by
    belongs to it, else the same call could find another. Where a written field is no column of the row, such as one
    with source="*", the row as a whole stands for it. None where there is no row.
    """
    if not isinstance(instance, models.Model) or instance.pk is None:
        return None
    options = instance._meta  # noqa: SLF001 - Django documents it
    volatile = set(call.operation.hints.volatile_fields)
    lasting = [
        field
        for field in options.concrete_fields
        if not getattr(field, "auto_now", False) and not {field.name, field.attname} & volatile
    ]
    sources = written_sources(call, serializer) if call.operation.method in {"PUT", "PATCH"} else frozenset()
    columns = {name for field in options.concrete_fields for name in (field.name, field.attname)}
    relations = {field.name for field in options.many_to_many}
    compared = lasting
    if sources and sources <= columns | relations:
        compared = [field for field in lasting if {field.name, field.attname} & sources]
        compared += [field for field in lasting if field.name == found_by and field not in compared]
    return Target(
        model=type(instance),
        pk=instance.pk,
        using=router.db_for_write(type(instance), instance=instance),
        # Where only related rows are set, the row as a whole stands for them.
        fields=tuple(field.attname for field in compared or lasting),
        relations=tuple(sorted(relations & sources)),
    )
