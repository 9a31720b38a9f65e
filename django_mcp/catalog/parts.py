"""What an operation takes, while it is put together."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from django_mcp.catalog.fields import LENIENT
from django_mcp.catalog.placement import FreePlacement
from django_mcp.catalog.plain_values import Schema
from django_mcp.vocabulary import Argument, Operation


@dataclass
class Parts:
    """An operation's schema while it is put together."""

    operation: Operation
    fields: dict[str, Schema] = field(default_factory=dict)
    placement: dict[str, Argument] = field(default_factory=dict)
    required: list[str] = field(default_factory=list)
    renamed: dict[str, str] = field(default_factory=dict)
    read_only: set[str] = field(default_factory=set)
    sensitive: set[str] = field(default_factory=set)
    lenient: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    more: Any = False
    has_body: bool = False

    def placed(self) -> Mapping[str, Argument]:
        if self.more is False:
            return self.placement
        return FreePlacement(self.placement, "body" if self.has_body else "query")

    def add(self, name: str, location: Literal["path", "query"], schema: Schema, *, required: bool) -> None:
        """Add a path or query argument under a name that is still free."""
        argument = name
        while argument in self.fields:
            argument = f"{location}_{argument}"
        self.fields[argument] = schema
        self.placement[argument] = Argument(location=location, wire=name)
        if schema.pop(LENIENT, False):
            self.lenient.add(argument)
        if location == "path":
            self.renamed[name] = argument
        if required:
            self.required.append(argument)
