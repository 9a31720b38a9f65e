"""Plans: a schema of arguments, compiled once for all calls that it checks."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from django_mcp.arguments.converters import CONVERTERS, decimal, json_type
from django_mcp.arguments.paths import Marks

NOUNS = {
    "object": "an object",
    "array": "a list",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "string": "text",
    "null": "null",
}
# Floats are left out: one may be no number at all, or be whole where an integer is meant.
_EXACT: dict[str, type] = {"integer": int, "number": int, "boolean": bool, "string": str, "null": type(None)}
_UNMARKED = Marks()


def argument_plan(
    schema: Mapping[str, Any],
    *,
    read_only: frozenset[str] = frozenset(),
    route: frozenset[str] = frozenset(),
    lenient: frozenset[str] = frozenset(),
) -> "Plan":
    """Return the plan of a whole set of arguments, described by a plain JSON Schema object.

    `route` names the arguments that fill the route. `read_only` and `lenient` are dotted paths in which lists do not
    count. A read-only field is dropped with a warning. At a lenient path a value of another type goes on as it is, and
    so does, with a warning, an argument that nothing describes.

    The plan holds on to the schema, which must not change; the owner of the schema keeps the plan.
    """
    # A body may have a read-only field of the name that fills the route.
    marks = Marks.of(read_only=read_only - route, lenient=lenient)
    return Plan({"additionalProperties": False, **schema, "type": "object"}, marks, route=route)


class Plan:
    """How the value at one path is read: its part of the schema, with all that a call asks of it worked out once.

    A part is worked out when a call first comes to it, so that no call pays for parts that nobody sends.
    """

    def __init__(
        self, schema: Any, marks: Marks = _UNMARKED, *, required: bool = False, route: frozenset[str] = frozenset()
    ) -> None:
        # A schema that is no object, like true, says nothing of the value.
        self.schema: Mapping[str, Any] = _mapping(schema)
        self.read_only, self.lenient = marks.read_only, marks.lenient
        # An object has no values but those that `properties` names.
        self.is_closed = self.schema.get("additionalProperties") is False
        self.required = required
        self.route = route
        # The values to fill in, converted like sent ones; None until an object first lacks some.
        self.defaults: dict[str, Any] | None = None
        self._marks = marks

    @cached_property
    def branches(self) -> tuple["Plan", ...]:
        """The alternatives of anyOf and oneOf, in order."""
        # Beside properties or items a combinator only narrows, which is for the view to check.
        if "properties" in self.schema or "items" in self.schema:
            return ()
        branches = (*self.schema.get("anyOf", ()), *self.schema.get("oneOf", ()))
        return tuple(Plan(branch, self._marks) for branch in branches)

    @cached_property
    def types(self) -> frozenset[str]:
        """The JSON types of the values that are taken; empty for any."""
        schema = self.schema
        declared = schema.get("type")
        if isinstance(declared, str):
            return frozenset({declared})
        if isinstance(declared, list | tuple):
            return frozenset(declared)
        if "enum" in schema:
            return frozenset(json_type(value) for value in schema["enum"])
        if "properties" in schema or "additionalProperties" in schema:
            return frozenset({"object"})
        return frozenset({"array"}) if "items" in schema else frozenset()

    @cached_property
    def is_decimal(self) -> bool:
        """Whether an exact decimal is meant, which text and numbers can both spell. Without the format, text is text."""
        return self.schema.get("format") == "decimal"

    @cached_property
    def exact(self) -> frozenset[type]:
        """The Python types of the values that are right as they are."""
        if self.branches:
            return frozenset()
        types = self.types & {"null"} if self.is_decimal or "enum" in self.schema else self.types
        return frozenset(_EXACT[name] for name in types if name in _EXACT)

    @cached_property
    def enum(self) -> frozenset[Any] | None:
        """The scalars of an enumeration; None where any value will do."""
        if "enum" not in self.schema:
            return None
        return frozenset(value for value in self.schema["enum"] if not isinstance(value, Mapping | list))

    @cached_property
    def converters(self) -> tuple[Callable[[Any], Any], ...]:
        """The conversions to try on a scalar, in order."""
        if self.is_decimal:
            return (decimal,)
        return tuple(convert for name, convert in CONVERTERS.items() if name in self.types)

    @cached_property
    def text_converters(self) -> tuple[Callable[[Any], Any], ...]:
        """The conversions to try on text. Where text is taken, it is left alone."""
        return (str,) if "string" in self.types and not self.is_decimal else self.converters

    @cached_property
    def properties(self) -> dict[str, "Plan"]:
        """The plans of the named values of an object."""
        required = frozenset(self.schema.get("required", ()))
        return {
            name: Plan(schema, self._marks.below.get(name, _UNMARKED), required=name in required)
            for name, schema in _mapping(self.schema.get("properties")).items()
        }

    @cached_property
    def rest(self) -> "Plan":
        """The plan of the values of an object that `properties` does not name."""
        return Plan(self.schema.get("additionalProperties"))

    @cached_property
    def marked_rest(self) -> dict[str, "Plan"]:
        """The plans of those among the rest that a dotted path leads to."""
        schema, known = self.schema.get("additionalProperties"), self.properties
        return {name: Plan(schema, marks) for name, marks in self._marks.below.items() if name not in known}

    @cached_property
    def items(self) -> "Plan":
        """The plan of a list's items."""
        return Plan(self.schema.get("items"), self._marks)

    def takes(self, kind: str) -> bool:
        """Tell whether null or any text is a value here; `kind` is the JSON type of the one or the other."""
        if self.branches:
            return any(branch.takes(kind) for branch in self.branches)
        return not self.types or (kind in self.types and not (kind == "string" and self.is_decimal))

    def expected(self, value: Any) -> str:
        """Say what would have been accepted. The value itself is not quoted: it may be a secret."""
        if self.is_decimal:
            return "Expected a decimal number such as 12.50."
        nouns = " or ".join(noun for name, noun in NOUNS.items() if name in self.types and name != "null")
        if value is None:
            return f"Expected {nouns}; null is not accepted."
        if isinstance(value, str) and value.lstrip()[:1] in ("{", "[") and self.types & {"object", "array"}:
            return f"Expected {nouns}. Send it as JSON itself, without quotes around it."
        return f"Expected {nouns}, got {NOUNS[json_type(value)]}."


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
