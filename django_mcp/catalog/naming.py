"""The names of operations: the host's own, else by its URL names, stable when other routes come and go."""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from django_mcp.catalog.problems import Problem
from django_mcp.host.handlers import HOLE

MAX_NAME = 100

_NOT_NAME = re.compile(r"[^A-Za-z0-9_.-]+")
_NOT_WORD = re.compile(r"\W+", re.ASCII)
_CONVENTIONAL = re.compile(r"_(list|detail)$")
_SAYS_LITTLE = re.compile(r"api|v\d+", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Candidate:
    """An operation that has no name yet: `explicit` is the name that the host gives it, `derived` that of its URL."""

    explicit: str
    derived: str
    method: str
    route: str

    @property
    def key(self) -> str:
        """Return what two candidates with the same derived name have in common."""
        return self.derived.casefold()


def words(text: str) -> str:
    """Return the words of a text or route joined by underscores."""
    return _NOT_WORD.sub("_", text).strip("_")


def tidy(name: str) -> str:
    """Return a name as clients take it: letters of ASCII, digits, `_`, `-` and `.`, at most 100 of them; "" for none."""
    if _NOT_NAME.search(name):
        name = _NOT_NAME.sub("_", name).strip("_")
    return _shortened(name)


def _shortened(name: str) -> str:
    if len(name) <= MAX_NAME:
        return name
    return f"{name[: MAX_NAME - 9]}_{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def untidy(subject: str, kind: str, declared: str, used: str) -> Problem:
    """Return that a name or an alias is not used as it was declared. `kind` is "name" or "alias"."""
    instead = f"it goes by {used!r}" if used else "it is not used"
    return Problem(
        subject,
        f"Its {kind} {declared[:MAX_NAME]!r} is not one that clients take; {instead}.",
        f"Use letters, digits, '_', '-' and '.' only, at most {MAX_NAME} of them.",
    )


def derive(*, url_name: str, namespace: str, route: str, action: str | None, suffix: str = "") -> str:
    """Derive a name from the URL name, or from the words of the route where it has none.

    The action follows where the name does not end in it, and replaces a router's `-list` or `-detail`. `suffix` is
    the method where several methods share one action or function.
    """
    base = words(url_name) or words(route) or "root"
    if action is not None and base != action and not base.endswith(f"_{action}"):
        base = f"{_CONVENTIONAL.sub('', base)}_{action}"
    return _shortened("_".join(part for part in (words(namespace), base, suffix.lower()) if part))


def assign(candidates: Collection[Candidate]) -> tuple[dict[Candidate, str], list[Problem]]:
    """Give every candidate a name of its own, case-blind, and report each collision.

    An explicit name never gets a suffix: the first candidate keeps it and the others get their derived names.
    Derived names that collide all get words of their routes, so that the order of routes does not matter: those that
    the name lacks, where that tells them all apart, else all.
    """
    names, problems = _explicit_names(candidates)
    owners = {name.casefold(): candidate for candidate, name in names.items()}
    derived = [candidate for candidate in candidates if candidate not in names]
    count = Counter(candidate.key for candidate in derived)
    names |= {one: one.derived for one in derived if count[one.key] == 1 and one.key not in owners}
    collided = [candidate for candidate in derived if candidate not in names]
    taken = {name.casefold() for name in names.values()}
    for words_of in (_distinctive_words, _lacking_words):
        names |= _extended([candidate for candidate in collided if candidate not in names], words_of, taken)
        taken |= {name.casefold() for name in names.values()}
    for candidate in collided:
        if candidate not in names:
            names[candidate] = _suffixed(candidate, taken)
            taken.add(names[candidate].casefold())
        problems.append(_collision(candidate, names[candidate], owners.get(candidate.key)))
    return names, problems


def _explicit_names(candidates: Iterable[Candidate]) -> tuple[dict[Candidate, str], list[Problem]]:
    names: dict[Candidate, str] = {}
    problems: list[Problem] = []
    owners: dict[str, Candidate] = {}
    for candidate in candidates:
        endpoint = f"{candidate.method} {candidate.route}"
        name = tidy(candidate.explicit)
        if name != candidate.explicit:
            problems.append(untidy(endpoint, "name", candidate.explicit, name))
        if not name:
            continue
        owner = owners.setdefault(name.casefold(), candidate)
        if owner is candidate:
            names[candidate] = name
        else:
            text = (
                f"Its name {name!r} is already that of {owner.method} {owner.route}; it goes by the "
                f"name of its URL instead."
            )
            cure = "Give each operation a name of its own with mcp_operation(name=…), per method with actions=[…]."
            problems.append(Problem(endpoint, text, cure))
    return names, problems


def _fixed_words(candidate: Candidate) -> list[str]:
    """Return the words of a route without its holes."""
    return words(HOLE.sub("", candidate.route)).split("_")


def _lacking_words(candidate: Candidate) -> list[str]:
    """Return the words of the fixed parts of a route that the derived name does not have."""
    known = {word.casefold() for word in candidate.derived.split("_")}
    fixed = _fixed_words(candidate)
    return [word for word in fixed if known.isdisjoint({word.casefold(), word.casefold().removesuffix("s")})]


def _distinctive_words(candidate: Candidate) -> list[str]:
    """Return the lacking words without versions and the word "api"; where there are none, those that it has."""
    lacking = [word for word in _lacking_words(candidate) if not _SAYS_LITTLE.fullmatch(word)]
    # A name without further words would be what was another's name before.
    return lacking or [word for word in _fixed_words(candidate) if word and not _SAYS_LITTLE.fullmatch(word)]


def _extended(
    candidates: Iterable[Candidate], words_of: Callable[[Candidate], list[str]], taken: Collection[str]
) -> dict[Candidate, str]:
    """Name the candidates by words of their routes, of each derived name either all or none."""
    additions = {candidate: words_of(candidate) for candidate in candidates}
    names = {one: _shortened("_".join((one.derived, *addition))) for one, addition in additions.items()}
    count = Counter(name.casefold() for name in names.values())
    unfit = {
        one.key
        for one, name in names.items()
        if not additions[one] or count[name.casefold()] > 1 or name.casefold() in taken
    }
    return {one: name for one, name in names.items() if one.key not in unfit}


def _suffixed(candidate: Candidate, taken: set[str]) -> str:
    name = _shortened(f"{candidate.derived}_{words(candidate.route) or 'root'}")
    if name.casefold() in taken:
        # Different routes may have the same words: /a-b/ and /a/b/.
        name += "_" + hashlib.sha256(f"{candidate.method} {candidate.route}".encode()).hexdigest()[:8]
    serial, unique = 1, name
    while unique.casefold() in taken:
        serial += 1
        unique = f"{name}_{serial}"
    return unique


def _collision(candidate: Candidate, name: str, owner: Candidate | None) -> Problem:
    if owner is not None:
        return Problem(
            f"{owner.method} {owner.route}",
            f"Its name {owner.explicit!r} is the one that {candidate.method} {candidate.route} has by its URL, which is "
            f"now listed as {name!r}. Settings, rules and keys that name {candidate.derived!r} now mean another operation.",
            "Choose a name that no other operation has, or name both with mcp_operation(name=…).",
        )
    return Problem(
        name,
        "Another operation would have the same name by its URL, so words of the route were added.",
        "Name it with mcp_operation(name=…), or give its route a name, basename or namespace of its own.",
    )
