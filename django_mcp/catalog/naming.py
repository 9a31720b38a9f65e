"""The names of operations: what the host says, else what its URL names say, stable when other routes come and go."""

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django_mcp.catalog.problems import Problem

_NOT_WORD = re.compile(r"\W+", re.ASCII)
_CONVENTIONAL = re.compile(r"_(list|detail)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An operation that wants a name: `explicit` is what the host said, `derived` what its URL name says."""

    explicit: str
    derived: str
    method: str
    route: str


def words(text: str) -> str:
    """Return the words of a text or route joined by underscores."""
    return _NOT_WORD.sub("_", text).strip("_")


def derive(*, url_name: str, namespace: str, route: str, action: str | None, suffix: str = "") -> str:
    """Derive a name from the URL name, or from the words of the route where it has none.

    The action follows where the name does not end in it, and replaces a router's `-list` or `-detail`. `suffix` is
    the method where several methods share one action or function.
    """
    base = words(url_name) or words(route) or "root"
    if action is not None and base != action and not base.endswith(f"_{action}"):
        base = f"{_CONVENTIONAL.sub('', base)}_{action}"
    return "_".join(part for part in (words(namespace), base, suffix.lower()) if part)


def assign(candidates: Sequence[Candidate]) -> tuple[list[str], list[Problem]]:
    """Give every candidate a name of its own, case-blind, and report each collision.

    An explicit name never gets a suffix: the first candidate keeps it and the others get their derived names.
    Derived names that collide all get the words of their routes, so that the order of routes does not matter.
    """
    problems: list[Problem] = []
    explicit, taken = _explicit_names(candidates, problems)
    rest = [index for index in range(len(candidates)) if index not in explicit]
    count = Counter(candidates[index].derived.casefold() for index in rest)
    names = dict(explicit)
    for index in rest:
        candidate = candidates[index]
        key = candidate.derived.casefold()
        if count[key] == 1 and key not in taken:
            names[index] = candidate.derived
    taken |= {name.casefold() for name in names.values()}
    for index in rest:
        if index not in names:
            names[index] = _suffixed(candidates[index], taken)
            taken.add(names[index].casefold())
            problems.append(_collision(candidates[index], names[index]))
    return [names[index] for index in range(len(candidates))], problems


def _explicit_names(candidates: Sequence[Candidate], problems: list[Problem]) -> tuple[dict[int, str], set[str]]:
    names: dict[int, str] = {}
    owners: dict[str, Candidate] = {}
    for index, candidate in enumerate(candidates):
        if not candidate.explicit:
            continue
        owner = owners.setdefault(candidate.explicit.casefold(), candidate)
        if owner is candidate:
            names[index] = candidate.explicit
            continue
        problems.append(
            Problem(
                f"{candidate.method} {candidate.route}",
                f"Its name {candidate.explicit!r} is already that of {owner.method} {owner.route}; it goes by the "
                f"name of its URL instead.",
                "Give each operation a name of its own with mcp_operation(name=…), per method with actions=[…].",
            )
        )
    return names, set(owners)


def _suffixed(candidate: Candidate, taken: set[str]) -> str:
    name = f"{candidate.derived}_{words(candidate.route) or 'root'}"
    if name.casefold() in taken:
        # Different routes may have the same words: /a-b/ and /a/b/.
        name += "_" + hashlib.sha256(f"{candidate.method} {candidate.route}".encode()).hexdigest()[:8]
    serial, unique = 1, name
    while unique.casefold() in taken:
        serial += 1
        unique = f"{name}_{serial}"
    return unique


def _collision(candidate: Candidate, name: str) -> Problem:
    return Problem(
        f"{candidate.method} {candidate.route}",
        f"Another operation is called {candidate.derived!r} too; this one is listed as {name!r}.",
        "Name it with mcp_operation(name=…), or give its route a name, basename or namespace of its own.",
    )
