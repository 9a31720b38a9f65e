"""How well arguments fit their plan, and how a model is told."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from django_mcp.arguments.paths import MAX_NAME, Path
from django_mcp.errors import ValidationFailed
from django_mcp.text import nearest, one_line

# After so many errors nothing more is looked at.
MAX_NOTED = 500
MAX_ERRORS = 20
MAX_WARNED = 100
# Comparing a name with all that there are takes milliseconds.
MAX_SUGGESTED = 5
MAX_COMPARED = 300
MAX_LISTED = 12


class Misfit(NamedTuple):
    """An error: the path of a value, and why it is refused. Of an unknown name, `names` are the known ones."""

    path: Path
    reason: str
    names: Iterable[str] | None = None


@dataclass(slots=True)
class Fit:
    """How well a value fits a plan. Of several plans for a value the one with the lowest `rank` fits it best.

    `strict` is the path of a value that one of several plans is tried on: lenience does not count there, or each of
    them would seem to fit. With `limit` errors a fit is hopeless: the walk stops, and no more errors are added.
    """

    strict: Path | None = None
    limit: int = MAX_NOTED
    errors: list[Misfit] = field(default_factory=list)
    # By names, lists not counted, and text; a dictionary for its order.
    warnings: dict[tuple[tuple[str, ...], str], None] = field(default_factory=dict)
    is_changed: bool = False
    is_outside_enum: bool = False

    @property
    def is_hopeless(self) -> bool:
        return len(self.errors) >= self.limit

    @property
    def rank(self) -> tuple[int, bool, bool]:
        # What needs no change comes before what fits an enumeration, or a second pass might choose otherwise.
        return len(self.errors), self.is_changed, self.is_outside_enum

    def refuse(self, path: Path, reason: str, names: Iterable[str] | None = None) -> None:
        if not self.is_hopeless:
            self.errors.append(Misfit(path, reason, names))

    def warn(self, path: Path, text: str) -> None:
        self.is_changed = True
        if len(self.warnings) < MAX_WARNED:
            self.warnings[path.names(), text] = None

    def add(self, part: "Fit") -> None:
        """Add the fit of a part, once it is known which of the alternatives for it is taken."""
        self.errors += part.errors
        self.warnings |= part.warnings
        self.is_changed |= part.is_changed
        self.is_outside_enum |= part.is_outside_enum

    def sentences(self) -> tuple[str, ...]:
        """Return the warnings as sentences."""
        sentences = sorted({f'"{one_line(".".join(names))}" {text}' for names, text in self.warnings})
        return (*sentences, "There are more like these.") if len(self.warnings) >= MAX_WARNED else tuple(sentences)

    def failure(self) -> ValidationFailed:
        """Return the exception for the errors: its details carry `errors`, lists of texts by path, the first twenty."""
        by_path: dict[str, Misfit] = {}
        for misfit in self.errors:
            # A value is refused once; names that begin alike may be spelled alike.
            by_path.setdefault(str(misfit.path), misfit)
        paths = sorted(by_path)
        errors = {path: [by_path[path].reason] for path in paths[:MAX_ERRORS]}
        for path in paths[:MAX_SUGGESTED]:
            step, reason, names = by_path[path].path.step, by_path[path].reason, by_path[path].names
            if names is not None:
                errors[path] = [f"{reason} {_suggestion(str(step), sorted(names))}"]
        sentences = [f"{path}: {errors[path][0]}" for path in paths[:3]]
        if len(paths) > len(sentences):
            sentences.append("There is more in errors.")
        return ValidationFailed(f"The arguments do not fit. {' '.join(sentences)}", errors=errors)


def _suggestion(name: str, known: list[str]) -> str:
    if not known:
        return "There are none here."
    near = nearest(name[:MAX_NAME], known[:MAX_COMPARED])
    if near:
        return f'Did you mean "{near}"?'
    more = f" and {len(known) - MAX_LISTED} more" if len(known) > MAX_LISTED else ""
    return f"Known are {', '.join(known[:MAX_LISTED])}{more}."
