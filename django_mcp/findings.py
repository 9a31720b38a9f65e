"""What a preflight finds out: nouns between running an operation and having it approved."""

from dataclasses import dataclass
from typing import Any

from django_mcp.vocabulary import Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The row that a call would change: `fields` are the model's attribute names to compare, in order.

    `relations` are the many-to-many fields that it would set.
    """

    model: type
    pk: Any
    using: str
    fields: tuple[str, ...]
    relations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a preflight found: a refusal of the host's view, or the target and what to show of it.

    `preview` is plain JSON for the human; for a partial update a list of {"field", "from", "to"} under "changes".
    """

    refusal: Reply | None = None
    target: Target | None = None
    preview: Any = None
    warnings: tuple[str, ...] = ()
