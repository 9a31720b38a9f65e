"""Where in the arguments a value is, and what is said about it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from django_mcp.errors import ValidationFailed
from django_mcp.text import nearest, one_line

MAX_NAME = 60
MAX_PATH = 300
MAX_ERRORS = 20
MAX_WARNED = 100
# Comparing a name with all that there are takes milliseconds.
MAX_SUGGESTED = 5
MAX_COMPARED = 300


@dataclass(slots=True)
class Place:
    """A step into the arguments: a name, or a number in a list. Paths are spelled only when something is said."""

    parent: "Place | None" = None
    step: str | int = ""

    def at(self, step: str | int) -> "Place":
        return Place(self, step)

    @property
    def is_root(self) -> bool:
        return self.parent is None

    @property
    def depth(self) -> int:
        return 0 if self.parent is None else self.parent.depth + 1

    def named(self) -> "Place":
        """Return the place of the list that this is an item of, however deep; else this."""
        return self if self.parent is None or isinstance(self.step, str) else self.parent.named()

    def path(self) -> str:
        """Return the path as it is shown, lists counted; the end of it, where it is very long."""
        spelled = "".join(
            f"[{step}]" if isinstance(step, int) else f".{one_line(step, MAX_NAME)}" for step in self.steps()
        )
        spelled = spelled.removeprefix(".") or "args"
        return spelled if len(spelled) <= MAX_PATH else "…" + spelled[1 - MAX_PATH :]

    def names(self) -> tuple[str, ...]:
        """Return the names on the way, lists not counted, each as far as it is shown."""
        return tuple(step[:MAX_NAME] for step in self.steps() if isinstance(step, str))

    def steps(self) -> list[str | int]:
        return [] if self.parent is None else [*self.parent.steps(), self.step]

    def is_one_of(self, known: Mapping[str, tuple[tuple[str, ...], ...]]) -> bool:
        """Tell whether this is one of the dotted paths that `by_last_name` has put in order."""
        # Spelling a path costs what its names are long, which a caller chooses, so they are compared one by one.
        return isinstance(self.step, str) and any(self._ends(names) for names in known.get(self.step, ()))

    def _ends(self, names: tuple[str, ...]) -> bool:
        place: Place | None = self
        left = list(names)
        while place is not None and place.parent is not None:
            if isinstance(place.step, str) and (not left or left.pop() != place.step):
                return False
            place = place.parent
        return not left


def by_last_name(paths: frozenset[str]) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Return dotted paths as tuples of names, by their last name."""
    found: dict[str, tuple[tuple[str, ...], ...]] = {}
    for path in paths:
        names = tuple(path.split("."))
        found[names[-1]] = (*found.get(names[-1], ()), names)
    return found


class Refusal(NamedTuple):
    """What is wrong with a value. `known` are the arguments that there are, where its name is not among them."""

    place: Place
    text: str
    known: Mapping[str, Any] | None = None


def failure(refusals: list[Refusal]) -> ValidationFailed:
    """Return the error that says what is wrong, with the texts by path for the first twenty paths in `errors`."""
    noted: dict[str, Refusal] = {}
    for refusal in refusals:
        # A value is refused once; names that begin alike may be shown alike.
        noted.setdefault(refusal.place.path(), refusal)
    paths = sorted(noted)
    errors = {
        path: [_text(noted[path], suggest=number < MAX_SUGGESTED)] for number, path in enumerate(paths[:MAX_ERRORS])
    }
    said = [f"{path}: {errors[path][0]}" for path in paths[:3]]
    if len(paths) > len(said):
        said.append("There is more in errors.")
    return ValidationFailed(f"The arguments do not fit. {' '.join(said)}", errors=errors)


def _text(refusal: Refusal, *, suggest: bool) -> str:
    if refusal.known is None or not suggest:
        return refusal.text
    return f"{refusal.text} {_suggested(str(refusal.place.step), refusal.known)}"


def spelled(warnings: Mapping[tuple[tuple[str, ...], str], None]) -> tuple[str, ...]:
    """Return warnings about names on the way to a value as sentences."""
    said = sorted({f'"{one_line(".".join(names))}" {text}' for names, text in warnings})
    return (*said, "There are more like these.") if len(warnings) >= MAX_WARNED else tuple(said)


def _suggested(name: str, properties: Mapping[str, Any]) -> str:
    if not properties:
        return "There are none here."
    known = sorted(properties)
    near = nearest(name[:MAX_NAME], known[:MAX_COMPARED])
    if near:
        return f'Did you mean "{near}"?'
    more = f" and {len(known) - 12} more" if len(known) > 12 else ""
    return f"Known are {', '.join(known[:12])}{more}."
