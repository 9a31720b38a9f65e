"""Paths into the arguments: the way to one value, and the marks that dotted paths put on values."""

from dataclasses import dataclass, field

from django_mcp.text import one_line

MAX_NAME = 60
MAX_PATH = 300


@dataclass(slots=True)
class Path:
    """The way to a value: a name, or an index in a list, below a parent's path. It is spelled only for a message."""

    parent: "Path | None" = None
    step: str | int = ""

    def at(self, step: str | int) -> "Path":
        return Path(self, step)

    def steps(self) -> list[str | int]:
        """Return the names and indexes from the root to here."""
        steps: list[str | int] = []
        path = self
        while path.parent is not None:
            steps.append(path.step)
            path = path.parent
        return steps[::-1]

    def names(self) -> tuple[str, ...]:
        """Return the names on the way, lists not counted, each cut to the length that is shown."""
        return tuple(step[:MAX_NAME] for step in self.steps() if isinstance(step, str))

    def __str__(self) -> str:
        """Spell the path with the indexes of lists; of a very long path the end."""
        steps = (f"[{step}]" if isinstance(step, int) else f".{one_line(step, MAX_NAME)}" for step in self.steps())
        text = "".join(steps).removeprefix(".") or "args"
        return text if len(text) <= MAX_PATH else "…" + text[1 - MAX_PATH :]


@dataclass(slots=True)
class Marks:
    """The marks of one value, and by name those of the values below it; lists do not count."""

    read_only: bool = False
    lenient: bool = False
    below: dict[str, "Marks"] = field(default_factory=dict)

    @classmethod
    def of(cls, *, read_only: frozenset[str], lenient: frozenset[str]) -> "Marks":
        """Return the marks that two sets of dotted paths put on the arguments."""
        root = cls()
        for path in read_only | lenient:
            marks = root
            for name in path.split("."):
                marks = marks.below.setdefault(name, cls())
            marks.read_only, marks.lenient = path in read_only, path in lenient
        return root
