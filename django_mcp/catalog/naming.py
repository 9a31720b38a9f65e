"""The names of operations: what the host says, else what its URL names say, stable when other routes come and go."""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from django_mcp.catalog.problems import Problem

MAX_NAME = 100

_NOT_NAME = re.compile(r"[^A-Za-z0-9_.-]+")
_NOT_WORD = re.compile(r"\W+", re.ASCII)
_CONVENTIONAL = re.compile(r"_(list|detail)$")
_HOLE = re.compile(r"\{[^{}]*\}")
_SAYS_LITTLE = re.compile(r"api|v\d+", re.IGNORECASE)


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


def tidy(name: str) -> str:
    """Return a name as clients take it: letters of ASCII, digits, `_`, `-` and `.`, at most 100 of them; "" for none."""
    if _NOT_NAME.search(name):
        name = _NOT_NAME.sub("_", name).strip("_")
    return _shortened(name)


def _shortened(name: str) -> str:
    if len(name) <= MAX_NAME:
        return name
    return f"{name[: MAX_NAME - 9]}_{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def untidy(subject: str, kind: str, said: str, used: str) -> Problem:
    """Report a name or an alias that is not used as it was said."""
    instead = f"it goes by {used!r}" if used else "it is not used"
    return Problem(
        subject,
        f"Its {kind} {said[:MAX_NAME]!r} is not one that clients take; {instead}.",
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


def assign(candidates: Sequence[Candidate]) -> tuple[list[str], list[Problem]]:
    """Give every candidate a name of its own, case-blind, and report each collision.

    An explicit name never gets a suffix: the first candidate keeps it and the others get their derived names.
    Derived names that collide all get words of their routes, so that the order of routes does not matter: those that
    the name lacks, where that tells them all apart, else all.
    """
    problems: list[Problem] = []
    explicit, owners = _explicit_names(candidates, problems)
    taken = set(owners)
    rest = [index for index in range(len(candidates)) if index not in explicit]
    count = Counter(candidates[index].derived.casefold() for index in rest)
    names = dict(explicit)
    for index in rest:
        candidate = candidates[index]
        key = candidate.derived.casefold()
        if count[key] == 1 and key not in taken:
            names[index] = candidate.derived
    taken |= {name.casefold() for name in names.values()}
    collided = [index for index in rest if index not in names]
    for place in (_telling, _lacking):
        left = {index: candidates[index] for index in collided if index not in names}
        names |= _placed(left, place, taken)
        taken |= {name.casefold() for name in names.values()}
    for index in collided:
        if index not in names:
            names[index] = _suffixed(candidates[index], taken)
            taken.add(names[index].casefold())
        owner = owners.get(candidates[index].derived.casefold())
        problems.append(_collision(candidates[index], names[index], owner))
    return [names[index] for index in range(len(candidates))], problems


def _explicit_names(
    candidates: Sequence[Candidate], problems: list[Problem]
) -> tuple[dict[int, str], dict[str, Candidate]]:
    names: dict[int, str] = {}
    owners: dict[str, Candidate] = {}
    for index, candidate in enumerate(candidates):
        name = tidy(candidate.explicit)
        if name != candidate.explicit:
            problems.append(untidy(f"{candidate.method} {candidate.route}", "name", candidate.explicit, name))
        if not name:
            continue
        owner = owners.setdefault(name.casefold(), candidate)
        if owner is candidate:
            names[index] = name
            continue
        problems.append(
            Problem(
                f"{candidate.method} {candidate.route}",
                f"Its name {name!r} is already that of {owner.method} {owner.route}; it goes by the "
                f"name of its URL instead.",
                "Give each operation a name of its own with mcp_operation(name=…), per method with actions=[…].",
            )
        )
    return names, owners


def _fixed(candidate: Candidate) -> list[str]:
    return words(_HOLE.sub("", candidate.route)).split("_")


def _lacking(candidate: Candidate) -> list[str]:
    """Return the words of the fixed parts of a route that the derived name does not have."""
    said = {word.casefold() for word in candidate.derived.split("_")}
    return [word for word in _fixed(candidate) if not {word.casefold(), word.casefold().removesuffix("s")} & said]


def _telling(candidate: Candidate) -> list[str]:
    found = [word for word in _lacking(candidate) if not _SAYS_LITTLE.fullmatch(word)]
    # One without further words would go by what was another's name before.
    return found or [word for word in _fixed(candidate) if word and not _SAYS_LITTLE.fullmatch(word)]


def _placed(
    candidates: dict[int, Candidate], place: Callable[[Candidate], list[str]], taken: Collection[str]
) -> dict[int, str]:
    """Name the candidates by words of their routes, of each derived name either all or none."""
    found = {index: place(one) for index, one in candidates.items()}
    names = {index: _shortened("_".join((candidates[index].derived, *more))) for index, more in found.items()}
    count = Counter(name.casefold() for name in names.values())
    unfit = {
        candidates[index].derived.casefold()
        for index, name in names.items()
        if not found[index] or count[name.casefold()] > 1 or name.casefold() in taken
    }
    return {index: name for index, name in names.items() if candidates[index].derived.casefold() not in unfit}


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
