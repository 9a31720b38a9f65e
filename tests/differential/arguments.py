"""Argument sets for an operation, made from its input schema by a seeded generator: fitting ones, and spoilt ones."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.host.rows import BIG

PIXEL = "data:image/png;name=dot.png;base64,iVBORw0KGgo="

# Values that name rows of the host, and some that name none.
NAMES: dict[str, list[Any]] = {
    "id": [1, 2, 3, 4, 8, "5", 999, 0, -1, "x", " 3 "],
    "slug": ["apollo", "closed", "other", "nothing", "A B", "brand-new"],
    "project_slug": ["apollo", "apollo", "other", "closed", "nothing", "a/b", "../projects"],
    "email": ["a+b@x.cz", "ž ü@x.cz", "50%@x.cz", "q?#&@x.cz", "nobody@x.cz", "a/b", "..", "new@x.cz"],
    "number": [5, BIG, str(BIG), 1, 77, "x", 2**53],
    "master": [5, BIG, str(BIG), 404, None],
    "parent": [1, 3, 404, "2", None],
    "people": [[1], [1, 2], [404], []],
    "version": ["v1", "v2", "1.0", "2.0", "9"],
    "kind": ["bug", "wish", "circle", "box", "png"],
    "left": [1, 12, "a", "b-c"],
    "right": ["1f", "2", "x", "a/b", "c-d"],
    "title": ["A title", "taken", "locked", "x" * 31, "Ž\u2028"],
    "cursor": ["", "cD0y", "!!"],
    "page": [1, 2, 3, 99, "last", "x", 0],
    "limit": [1, 2, 5, 30],
    "page_size": [1, 2, 5, 30],
    "offset": [0, 1, 5, 1000],
    "ordering": ["title", "-weight", "nonsense", "weight,title"],
    "search": ["item", "ticket", "LOCKED", "no such thing", "ticket 1"],
    "tenant": ["acme"],
    "tags": [[], [], ["a"], ["a", "b"]],
    "meta": [None, "text", [1, 2], {"a": [1]}, 5],
}
# The answers of the view that gives an answer of each kind, by the argument of its URL.
ANSWERS = (
    "png", "stream", "binary", "page", "empty", "moved", "big_integers", "types", "missing", "busy", "busy_until",
    "debug_page", "broken_json", "odd_charset", "unclosable", "nothing", "odd_numbers", "nonsense",
)  # fmt: skip
# What chance seldom makes.
BY_HAND: dict[str, list[dict[str, Any]]] = {
    "upload": [{"title": "T", "tags": []}, {"title": "T", "meta": [1, 2]}, {"title": "T", "tags": ["a", "b"]}],
    "url_encoded": [{"title": "T", "document": None}],
    "item_list": [{"limit": 5000}],
    "kinds_kind": [{"kind": "odd_numbers"}, {"kind": "png"}, {"kind": "big_integers"}],
    "project_ticket_create": [{"project_slug": "apollo", "title": "T", "kind": "wish", "cost": "1.00"}],
    "project_ticket_list": [{"project_slug": "apollo", "search": "ticket", "ordering": "-weight", "limit": 2}],
    "reading_create": [{"meter": "m2", "value": 2.5}, {"meter": "m2", "value": -1}],
    "scan_create": [{"title": "T", "page": PIXEL}, {"title": "T", "public": False}],
    "shape_create": [{"kind": "circle", "radius": 2}, {"kind": "circle", "radius": 0}, {"kind": "box", "width": 1}],
    "account_create": [{"number": str(BIG + 2), "label": "new", "master": str(BIG)}],
    "note_put": [{"number": 77, "email": "new@x.cz"}, {"number": 1, "email": "other@x.cz"}],
    "all_sorts_post": [{"name": "T", "others": [{"street": "S", "number": 0}], "scores": {"a": "x"}}],
}
TEXTS = ["x", "Some text", "Žluťoučký kůň", " padded ", "", "a\u0000b", "y" * 500, "null", "[1]", "5", "\u202e"]
WRONG: list[Any] = [True, 3.5, "no number", [], {}, [[1]], {"a": 1}, -(10**30), "1e400", "NaN", ""]


@dataclass(frozen=True)
class Case:
    """`kind` is how the arguments were made, `spoilt` the argument that was made to be refused, if one was."""

    operation: Any
    schema: Any
    arguments: Mapping[str, Any]
    kind: str
    user: str
    spoilt: str = ""

    @property
    def name(self) -> str:
        """The operation's name, without the language that its route may begin with."""
        return str(self.operation.name).removeprefix("en_")

    def __str__(self) -> str:
        return f"{self.operation.name} as {self.user}, {self.kind} {self.spoilt}: {self.arguments!r}"


def cases(operation: Any, schema: Any, number: int) -> Iterator[Case]:
    """Yield `number` generated argument sets, the same ones on each run, after those that are given by hand."""
    for arguments in BY_HAND.get(operation.name.removeprefix("en_"), ()):
        yield Case(operation, schema, arguments, "by hand", "alice")
    kinds = ("all", "required", "some", "spoilt", "null", "missing", "unknown", "text", "blank")
    for index in range(number):
        seed = f"{operation.name} {index}"
        chance = random.Random(seed)
        kind = kinds[index] if index < 3 else chance.choice(kinds[2:])
        arguments, spoilt = _made(chance, schema, operation, kind)
        user = "alice" if chance.random() < 0.7 else "bob"
        yield Case(operation, schema, arguments, kind, user, spoilt)


def _made(chance: random.Random, schema: Any, operation: Any, kind: str) -> tuple[dict[str, Any], str]:
    properties, required = schema.input["properties"], set(schema.input.get("required", ()))
    chosen = [name for name in properties if name in required or _wanted(chance, kind)]
    arguments = {name: _value(chance, name, properties[name], operation) for name in chosen}
    path = {name for name in properties if schema.placement[name].location == "path"}
    free = sorted(set(properties) - path)
    if kind == "unknown":
        name = chance.choice(["nonsense", "nmae", "tittle"])
        return {**arguments, name: 1}, name
    if not free or kind in {"all", "required", "some"}:
        return arguments, ""
    name = chance.choice(free)
    if kind == "missing":
        arguments.pop(name, None)
    elif kind == "null":
        arguments[name] = None
    elif kind == "blank":
        arguments[name] = ""
    elif kind == "text":
        arguments[name] = str(_value(chance, name, properties[name], operation))
    else:
        arguments[name] = chance.choice(WRONG)
    return arguments, name


def _wanted(chance: random.Random, kind: str) -> bool:
    return {"all": 0.9, "required": 0.0}.get(kind, 0.4) > chance.random()


def _value(chance: random.Random, name: str, schema: Mapping[str, Any], operation: Any) -> Any:
    if operation.route.endswith("/kinds/{kind}/"):
        return chance.choice(ANSWERS)
    if "data:" in str(schema.get("description", "")):
        return PIXEL
    if name in NAMES:
        return chance.choice(NAMES[name])
    return _of_schema(chance, schema)


def _of_schema(chance: random.Random, schema: Mapping[str, Any]) -> Any:
    if "enum" in schema:
        return chance.choice([*schema["enum"], schema["enum"][0], "neither"])
    alternatives = schema.get("anyOf") or schema.get("oneOf")
    if alternatives:
        return _of_schema(chance, chance.choice(alternatives))
    kind = schema.get("type", "anything")
    kind = chance.choice(kind) if isinstance(kind, list) else kind
    return _MAKERS[kind](chance, schema)


def _text(chance: random.Random, schema: Mapping[str, Any]) -> Any:
    return {
        "date": chance.choice(["2026-02-28", "2026-02-30", "28.2.2026"]),
        "date-time": chance.choice(["2026-02-28T10:00:00Z", "2026-02-28T10:00:00+02:00", "yesterday"]),
        "uuid": chance.choice(["00000000-0000-0000-0000-000000000001", "1"]),
        "email": chance.choice(["a@example.com", "a@"]),
        "decimal": chance.choice(["10.00", 10, 10.5, "0.001", "-1", "abc"]),
    }.get(schema.get("format", ""), chance.choice(TEXTS))


def _integer(chance: random.Random, schema: Mapping[str, Any]) -> Any:
    low, high = schema.get("minimum", -5), schema.get("maximum", 50)
    return chance.choice([low, high, low - 1, high + 1, (low + high) // 2, str(low), float(high), 1])


def _list(chance: random.Random, schema: Mapping[str, Any]) -> Any:
    return [_of_schema(chance, schema.get("items", {})) for _ in range(chance.randrange(4))]


def _object(chance: random.Random, schema: Mapping[str, Any]) -> Any:
    fields = schema.get("properties", {})
    if fields:
        needed = set(schema.get("required", ()))
        return {name: _of_schema(chance, fields[name]) for name in fields if name in needed or chance.random() < 0.7}
    values = schema.get("additionalProperties")
    return {"k": _of_schema(chance, values if isinstance(values, Mapping) else {}), "l": 1}


_MAKERS = {
    "string": _text,
    "integer": _integer,
    "number": lambda chance, _schema: chance.choice([0, 1.5, -2, "3.25", 10**20, 1e300]),
    "boolean": lambda chance, _schema: chance.choice([True, False, "true", "no"]),
    "array": _list,
    "object": _object,
    "null": lambda _chance, _schema: None,
    "anything": lambda chance, _schema: chance.choice([1, "text", [1, "[2]"], {"a": None}, None, False, 2**60]),
}
