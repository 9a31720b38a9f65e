"""Arguments as they were meant: converted by an operation's input schema, losslessly or not at all.

Models and clients spell the same value in many ways. Whatever is hashed, shown and dispatched is the one spelling
that comes out of here, so that a harmless respelling of a confirmed call is still the same call.
"""

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django_mcp.arguments.converters import container_in, is_blank, json_type
from django_mcp.arguments.fits import Fit
from django_mcp.arguments.paths import Path
from django_mcp.arguments.plans import NOUNS, Plan
from django_mcp.errors import ValidationFailed

# About a second of work.
MAX_STEPS = 200_000
_TOO_MUCH = "There is too much in the arguments to be checked at once. Send it in several smaller calls."
_LEFT_OUT = object()


def normalise(plan: Plan, sent: Any, *, partial: bool = False) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the effective arguments and warnings for the model.

    `plan` is an `argument_plan`, `sent` a decoded JSON object, or its text. Each argument of the route must be there;
    one that does not convert goes on as text, for the route and the view to judge. A `partial` update is not filled
    with defaults, and nothing is left out of it: an empty value may be meant to clear.

    Enumerations, ranges, lengths and required fields of the body are left to the view. The result is stable:
    normalising it again changes nothing.

    Raises ValidationFailed; its details carry `errors`, a list of texts by path.
    """
    walk, root, fit = _Walk(partial), Path(), Fit()
    if isinstance(sent, str):
        container = walk.container_in(sent, root)
        sent = sent if container is None else container
    effective: dict[str, Any] = {}
    if isinstance(sent, Mapping):
        effective = walk.object(plan, sent, root, fit)
        for name in sorted(plan.route - sent.keys()):
            fit.refuse(root.at(name), "Missing. It is part of the route and must be sent.")
    else:
        fit.refuse(root, plan.expected(sent))
    if fit.errors:
        raise fit.failure()
    return effective, fit.sentences()


@dataclass(slots=True)
class _Walk:
    """One pass over the arguments of one call.

    Each method converts the value at a path by its plan, adds to the fit how well it fits, and returns the result.
    """

    partial: bool
    steps: int = 0
    # Each of several alternatives would read the same text again.
    containers: dict[tuple[str, int], Any] = field(default_factory=dict)

    def convert(self, plan: Plan, value: Any, path: Path, fit: Fit) -> Any:
        """Return the value as the plan spells it, and count the work that it took.

        Raises ValidationFailed where the work on all values together is too much.
        """
        if type(value) in plan.exact:
            return value
        if plan.branches:
            result = self.alternative(plan, value, path, fit)
        elif isinstance(value, Mapping) and "object" in plan.types:
            result = self.object(plan, value, path, fit)
        elif isinstance(value, list) and "array" in plan.types:
            result = self.array(plan, value, path, fit)
        else:
            result = self.scalar(plan, value, path, fit) if plan.types else value
        # The work on a single value is bounded by the length of a message, so it is soon enough to count it now. That
        # on alternatives has been counted with each of them.
        self.steps += 1 if plan.branches else _steps(value, result)
        if self.steps > MAX_STEPS:
            raise ValidationFailed(_TOO_MUCH, errors={"args": [_TOO_MUCH]})
        return result

    def alternative(self, plan: Plan, value: Any, path: Path, fit: Fit) -> Any:
        """Take the first branch that needs no change, else the first that converts, else report the nearest miss."""
        best = Fit(strict=path)
        result = self.convert(plan.branches[0], value, path, best)
        for branch in plan.branches[1:]:
            if not any(best.rank):
                break
            trial = Fit(strict=path, limit=len(best.errors) + 1)
            other = self.convert(branch, value, path, trial)
            if trial.rank < best.rank:
                best, result = trial, other
        is_lenient = plan.lenient and path is not fit.strict
        if is_lenient and best.errors and all(misfit.path is path for misfit in best.errors):
            return value
        fit.add(best)
        return result

    def object(self, plan: Plan, value: Mapping[str, Any], path: Path, fit: Fit) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for name, item in value.items():
            part = plan.properties.get(name)
            if part is None:
                converted = self.rest(plan, name, item, path, fit)
            elif name in plan.route:
                converted = self.route_argument(part, item, path.at(name), fit)
            elif type(item) in part.exact:
                converted = item
            elif item is None or is_blank(item):
                converted = self.empty(part, item, path.at(name), fit)
            else:
                converted = self.convert(part, item, path.at(name), fit)
            if fit.is_hopeless:
                return result
            if converted is not _LEFT_OUT:
                result[name] = converted
        self.fill(plan, result, path, fit)
        return result

    def array(self, plan: Plan, value: list[Any], path: Path, fit: Fit) -> list[Any]:
        result, exact = [], plan.items.exact
        for index, item in enumerate(value):
            if type(item) in exact:
                result.append(item)
                continue
            result.append(self.convert(plan.items, item, path.at(index), fit))
            if fit.is_hopeless:
                break
        return result

    def scalar(self, plan: Plan, value: Any, path: Path, fit: Fit) -> Any:
        for converter in plan.text_converters if isinstance(value, str) else plan.converters:
            try:
                result = converter(value)
            except (ValueError, ArithmeticError):
                continue
            fit.is_changed |= type(result) is not type(value) or result != value
            fit.is_outside_enum |= plan.enum is not None and result not in plan.enum
            return result
        if isinstance(value, str) and plan.types & {"object", "array"}:
            container = self.container_in(value, path)
            if container is not None and json_type(container) in plan.types:
                fit.is_changed = True
                return self.convert(plan, container, path, fit)
        is_lenient = plan.lenient and path is not fit.strict
        if not is_lenient:
            fit.refuse(path, plan.expected(value))
        return value

    def container_in(self, text: str, path: Path) -> Any:
        key = text, len(path.steps())
        if key not in self.containers:
            self.containers[key] = container_in(text, depth=key[1])
        return self.containers[key]

    def empty(self, plan: Plan, value: Any, path: Path, fit: Fit) -> Any:
        """Convert null or blank text, which stands for "not given" where it cannot be the value of a property."""
        if value is not None and "null" in plan.types and "string" not in plan.types:
            # As in a form: an empty text clears what has no text.
            fit.is_changed = True
            return None
        unset = not plan.takes("null" if value is None else "string")
        if unset and self.partial:
            # It may be meant to clear the field. Left out, it would change another thing than was sent.
            return value
        if plan.required or not unset:
            return self.convert(plan, value, path, fit)
        fit.warn(path, "was empty and was left out.")
        return _LEFT_OUT

    def rest(self, plan: Plan, name: str, value: Any, path: Path, fit: Fit) -> Any:
        """Convert a value of an object at `path` whose name is not among the properties."""
        part, here = plan.marked_rest.get(name, plan.rest), path.at(name)
        if part.read_only:
            fit.warn(here, "is read-only and was ignored.")
        elif part.lenient and path.parent is None:
            fit.warn(here, "is described as read-only. It was passed on: the operation's own code may read it.")
            return value
        elif plan.is_closed:
            fit.refuse(here, "Unknown argument.", plan.properties)
        else:
            return self.convert(part, value, here, fit)
        return _LEFT_OUT

    def route_argument(self, plan: Plan, value: Any, path: Path, fit: Fit) -> Any:
        if value is None or is_blank(value):
            fit.refuse(path, "Missing. It is part of the route and cannot be empty.")
            return value
        if isinstance(value, Mapping | list):
            fit.refuse(path, f"Expected text or a number, got {NOUNS[json_type(value)]}.")
            return value
        trial = Fit(strict=path)
        result = self.convert(plan, value, path, trial)
        if trial.errors:
            return value if isinstance(value, str) else json.dumps(value)
        fit.add(trial)
        return result

    def fill(self, plan: Plan, result: dict[str, Any], path: Path, fit: Fit) -> None:
        """Fill in a copy of each default that is missing, but not into a partial update."""
        if self.partial:
            return
        if plan.defaults is None:
            plan.defaults = _defaults(plan, path)
        for name, value in plan.defaults.items():
            if name not in result:
                fit.is_changed = True
                result[name] = copy.deepcopy(value)


def _defaults(plan: Plan, path: Path) -> dict[str, Any]:
    """Return the defaults of an object, converted like sent values; those that do not convert are left to the view."""
    defaults = {}
    for name, part in plan.properties.items():
        if "default" in part.schema:
            here = path.at(name)
            fit = Fit(strict=here)
            value = _Walk(partial=False).convert(part, part.schema["default"], here, fit)
            if not fit.errors:
                defaults[name] = value
    return defaults


def _steps(value: Any, result: Any) -> int:
    """Return the work on a value in steps of a few microseconds: for its length, and for what its result is longer."""
    steps = 1 + len(value) // 128 if isinstance(value, str) else 1
    if result is value:
        return steps
    if isinstance(value, Mapping):
        return steps + len(value) // 4 + max(0, len(result) - len(value))
    if isinstance(value, list):
        return steps + len(value) // 16
    if isinstance(result, str):
        # An exponent of a few characters may be spelled in hundreds.
        return steps + len(result) // 16
    return steps + result.bit_length() // 64 if isinstance(result, int) else steps
