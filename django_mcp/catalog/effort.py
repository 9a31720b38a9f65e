"""What the reading of one call's arguments knows already, and what work it may still cost."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django_mcp.catalog.plans import Plan
from django_mcp.catalog.values import from_text

# About a second of work; a value takes a step, or as many as there are alternatives for it.
MAX_STEPS = 200_000


class TooMuch(Exception):
    """The arguments take more work than a call may cost."""


@dataclass(slots=True)
class Shared:
    """What all attempts within one call have in common: what was read before, and what work is left."""

    read_only: Mapping[str, tuple[tuple[str, ...], ...]]
    lenient: Mapping[str, tuple[tuple[str, ...], ...]]
    steps: int = MAX_STEPS
    plans: dict[int, Plan] = field(default_factory=dict)
    parsed: dict[tuple[str, int], Any] = field(default_factory=dict)

    def spend(self, steps: int) -> None:
        self.steps -= steps
        if self.steps < 0:
            raise TooMuch

    def plan(self, schema: Any) -> Plan:
        # Schemas outlive the call, so that their ids do not come again.
        plan = self.plans.get(id(schema))
        if plan is None:
            plan = self.plans[id(schema)] = Plan.of(schema)
        return plan

    def from_text(self, text: str, depth: int) -> Any:
        # Each alternative would read the same text again.
        key = (text, depth)
        if key not in self.parsed:
            self.spend(len(text) // 128)
            self.parsed[key] = from_text(text, depth=depth)
        return self.parsed[key]


def size(value: Any) -> int:
    """Return the steps that a scalar is worth: an exponent of a few characters may be spelled in hundreds."""
    return value.bit_length() // 64 if isinstance(value, int) else len(value) // 16 if isinstance(value, str) else 0
