"""The known differences between a call over MCP and the same call over REST, each with its reason.

A difference is only looked for where the two outcomes differ, and each one has to be seen in a full run: what is no
longer needed here has to go.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tests.differential.arguments import Case
from tests.differential.outcomes import Outcome

Arguments = Mapping[str, Any]


@dataclass(frozen=True)
class Difference:
    """`applies` tells by case, MCP's outcome and REST's whether this one explains them.

    `said` gives the arguments with which REST must come to the same; `outcome` is what REST's outcome counts as.
    """

    name: str
    why: str
    applies: Callable[[Case, Outcome, Outcome], bool]
    said: Callable[[Case, Arguments], Arguments] | None = None
    outcome: Callable[[Outcome, Outcome], Outcome] | None = None


def _schema(case: Case, name: str) -> Mapping[str, Any]:
    return case.schema.input["properties"].get(name, {})


def _types(schema: Mapping[str, Any]) -> set[str]:
    found = schema.get("type", [])
    alternatives = [*schema.get("anyOf", []), *schema.get("oneOf", [])]
    return {*([found] if isinstance(found, str) else found)}.union(*map(_types, alternatives))


def _is_unset(case: Case, name: str, value: Any) -> bool:
    schema = _schema(case, name)
    types = _types(schema)
    if not types or name in case.schema.input.get("required", ()) or case.operation.method == "PATCH":
        return False
    if value is None:
        return "null" not in types
    return value == "" and ("string" not in types or schema.get("format") == "decimal")


def _without_unset(case: Case, arguments: Arguments) -> Arguments:
    return {name: value for name, value in arguments.items() if not _is_unset(case, name, value)}


def _as_meant(case: Case, name: str, value: Any) -> Any:
    """Read what is said of a number or structure in the form of text."""
    types = _types(_schema(case, name))
    if "boolean" in types and value in {"yes", "no"}:
        return value == "yes"
    if isinstance(value, str) and types and "string" not in types:
        try:
            return json.loads(value)
        except ValueError:
            return value
    return int(value) if isinstance(value, float) and value.is_integer() and "integer" in types else value


def _in_meaning(case: Case, arguments: Arguments) -> Arguments:
    return {name: _as_meant(case, name, value) for name, value in arguments.items()}


def _with_defaults(case: Case, arguments: Arguments) -> Arguments:
    properties = case.schema.input["properties"]
    return {**{name: item["default"] for name, item in properties.items() if "default" in item}, **arguments}


def _size_argument(case: Case) -> str:
    return next((name for name in ("limit", "page_size") if name in case.schema.input["properties"]), "")


def _with_page_size(case: Case, arguments: Arguments) -> Arguments:
    name = _size_argument(case)
    try:
        size = int(arguments.get(name, 0))
    except (TypeError, ValueError):
        size = 0
    return {**arguments, name: min(size, 100) if size > 0 else 25}


def _nothing_happened(seen: Outcome, told: Outcome) -> Outcome:
    """Count REST's outcome as a refusal; that nothing changed is compared by whoever calls."""
    return replace(seen, status=told.status, data=told.data, rows=told.rows, hooks=told.hooks)


def _without(*names: str) -> Callable[[Outcome, Outcome], Outcome]:
    def outcome(seen: Outcome, told: Outcome) -> Outcome:
        return replace(seen, data={**seen.data, **{name: told.data[name] for name in names}})

    return outcome


def _of(*names: str) -> Callable[[Case, Outcome, Outcome], bool]:
    return lambda case, _told, _seen: case.name in names


_TAKES_ANYTHING = ("own_", "shelf_list", "upload", "url_encoded", "scan_", "choosing", "project_cover")
_FORMS = {"upload", "upload_or_json", "url_encoded", "choosing"}
_PAGING = {"limit", "offset", "page_size"}

DIFFERENCES = (
    Difference(
        "unknown argument",
        "REST ignores a field that it does not know, and a model believes that it was written. Refused with the "
        "nearest name, before anything runs.",
        lambda _case, told, _seen: told.early and "Unknown argument" in told.text,
        outcome=_nothing_happened,
    ),
    Difference(
        "nothing to change",
        "A PATCH without a field changes nothing over REST, and a human would be asked to approve nothing.",
        lambda _case, told, _seen: told.early and told.text.startswith("Nothing to change was sent"),
        outcome=_nothing_happened,
    ),
    Difference(
        "refused early",
        "Arguments that do not fit are refused before the look-up and the permission of the object, so the status is "
        "400 where REST, asked in its own order, refuses for another reason.",
        lambda _case, told, seen: told.early and told.status == 400 and seen.status >= 400,
        outcome=_nothing_happened,
    ),
    Difference(
        "no empty list in a form",
        "A form cannot hold an empty list; REST clients lose it without a word.",
        lambda _case, told, _seen: "an empty list cannot be sent in a form" in told.text,
        outcome=_nothing_happened,
    ),
    Difference(
        "the schema binds",
        "A view that takes any type of value where its own schema names one, as forms, pagination and unchecked bodies "
        "do, does not get another type: the schema is what was described, shown and confirmed.",
        lambda case, told, _seen: (
            told.early
            and told.status == 400
            and (case.name.startswith(_TAKES_ANYTHING) or _PAGING & set(case.arguments))
        ),
        outcome=_nothing_happened,
    ),
    Difference(
        "unset option",
        "Models write null, or an empty text where no text fits, for an option that they leave out. It counts as left "
        "out where it is optional and nothing that it could stand for is accepted.",
        lambda case, _told, _seen: _without_unset(case, case.arguments) != case.arguments,
        said=_without_unset,
    ),
    Difference(
        "another spelling",
        "Models write numbers and structures as text. They are read where the schema takes no text, losslessly.",
        lambda case, _told, _seen: repr(_in_meaning(case, case.arguments)) != repr(case.arguments),
        said=_in_meaning,
    ),
    Difference(
        "defaults are said",
        "Constant defaults of the schema are part of what is shown and confirmed, so the view is sent them. Only a view "
        "that looks at which fields were sent can tell.",
        _of("upload", "upload_or_json", "url_encoded", "dialect", "choosing"),
        said=_with_defaults,
    ),
    Difference(
        "page size",
        "A list is as long as an agent can use: DEFAULT_LIMIT where none was asked for, MAX_LIMIT at most.",
        lambda case, _told, _seen: bool(_size_argument(case)) and case.operation.method == "GET",
        said=_with_page_size,
    ),
    Difference(
        "out of reach",
        "What a view forbids to the caller whatever the arguments, or what authenticates in its own way and was not "
        "exposed by name, does not exist for it.",
        lambda _case, told, seen: told.early and told.status == 404 and seen.status == 403,
        outcome=_nothing_happened,
    ),
    Difference(
        "values stay in their holes",
        "An argument that would be read as part of its neighbour means another row than the one that was confirmed.",
        lambda case, told, _seen: case.name.startswith("dash_") and told.early and told.status == 404,
        outcome=_nothing_happened,
    ),
    Difference(
        "no pages for people",
        "A view that renders only DRF's browsable pages answers its data.",
        _of("browsable"),
        outcome=lambda seen, _told: replace(seen, data={"a": 1, "ž": 2}),
    ),
    Difference(
        "numbers that JSON has not",
        "Over REST the answer breaks when it is rendered, after the work is done. Here they are null, with a warning.",
        lambda case, told, seen: case.arguments == {"kind": "odd_numbers"} and (told.status, seen.status) == (200, 500),
        outcome=lambda seen, _told: replace(seen, status=200, data={"nan": None, "inf": [None], "ok": 1.5}),
    ),
    Difference(
        "other credentials",
        "The view sees the key, and opaque credentials in place of the browser's: those were meant for another door.",
        _of("sees"),
        outcome=_without("auth", "authorization", "cookie"),
    ),
    Difference(
        "null in a form",
        "A form has no null. An empty text is what DRF reads as null in one; REST clients leave the field out.",
        lambda case, told, seen: (
            case.name in _FORMS and None in case.arguments.values() and told.status == seen.status == 200
        ),
        outcome=_without("keys"),
    ),
    Difference(
        "lists in the rows of a form",
        "A form spells what is in a row by field and index, and only the field knows that it wants a list as one text.",
        lambda case, told, seen: case.name in _FORMS and "rows" in case.arguments and told.status == seen.status == 200,
        outcome=_without("rows", "keys"),
    ),
)
