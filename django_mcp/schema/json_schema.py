"""From an OpenAPI schema with components to one plain JSON Schema: no references, one direction, no wrappers."""

from collections.abc import Mapping
from typing import Any, Literal

from django_mcp.schema.fields import LENIENT
from django_mcp.schema.keywords import Schema, facts, plain, say, shorten

FREE_FORM: Schema = {"type": "object", "properties": {}, "additionalProperties": True}
# More than these make an answer's schema too large. What a request takes is described as long as it can be read.
MAX_KINDS = 12
MAX_VALUES = {"request": 200, "response": 25}
RECURSION = "The same kind of object again; its fields are as above."


class NormalForm:
    """Converts the schemas of one operation in one direction.

    It gathers `sensitive`, the dotted paths of fields that must not be shown, in which lists do not count; `lenient`,
    the paths of what the host reads in its own way; `read_only`, the top-level fields of a request that are the host's
    to set; `recursive`, whether a recursion was cut.
    """

    def __init__(
        self, components: Mapping[str, Any], direction: Literal["request", "response"], *, partial: bool = False
    ) -> None:
        self.components = components
        self.direction = direction
        self.partial = partial
        self.sensitive: set[str] = set()
        self.lenient: set[str] = set()
        self.read_only: set[str] = set()
        self.recursive = False

    def convert(self, schema: Any, path: tuple[str, ...] = (), inside: frozenset[str] = frozenset()) -> Schema:
        """Return the plain form of a schema. `path` are the names of the fields around it, `inside` the components."""
        if not isinstance(schema, Mapping):
            return {}
        source, inside = self._resolved(schema, inside)
        if source is not None:
            source, inside = self._unwrapped(source, inside)
        if source is None:
            self.recursive = True
            return {**FREE_FORM, "properties": {}, "description": RECURSION}
        result = facts(source)
        if "properties" in source or "additionalProperties" in source or "object" in result.get("type", ()):
            self._object(result, source, path, inside)
        if "items" in source or "array" in result.get("type", ()):
            result.setdefault("type", ["array"])
            result["items"] = self.convert(source.get("items", {}), path, inside)
        if "anyOf" in source:
            self._variants(result, source, path, inside)
        self._reduce(result)
        self.lenient |= {".".join(path)} if LENIENT in source else set()
        types = result.get("type")
        if isinstance(types, list) and len(types) == 1:
            result["type"] = types[0]
        return result

    def parameter(self, parameter: Mapping[str, Any]) -> Schema:
        """Return the plain form of a path or query parameter, marked as lenient where the host reads it in its own way."""
        schema = self.convert(parameter.get("schema", {}))
        if self.lenient:
            schema[LENIENT] = True
        if parameter.get("description"):
            say(schema, str(parameter["description"]))
        if parameter.get("explode") is False and "items" in schema:
            # Written as one value, which the host splits at commas.
            values = ", ".join(map(str, schema["items"].get("enum", ())))
            schema = {"type": "string", "description": schema.get("description", "")}
            say(schema, f"Comma-separated list{f' of: {values}' if values else ''}.")
        return schema

    def _reduce(self, result: Schema) -> None:
        """Drop the keywords that tell nothing in this direction, and the values that are too many for it."""
        shorten(result, MAX_VALUES[self.direction])
        if self.direction == "response":
            for key in ("default", "minLength", "pattern"):
                result.pop(key, None)

    def _resolved(self, schema: Mapping[str, Any], inside: frozenset[str]) -> tuple[Schema | None, frozenset[str]]:
        """Follow references and merge `allOf`; the siblings of a reference win over its target. None ends a recursion."""
        if "$ref" in schema:
            name = str(schema["$ref"]).rpartition("/")[2]
            if name in inside or name not in self.components:
                return None, inside
            target, inside = self._resolved(self.components[name] or {}, inside | {name})
            siblings = {key: value for key, value in schema.items() if key != "$ref"}
            return (None if target is None else {**target, **siblings}), inside
        if "allOf" not in schema:
            return dict(schema), inside
        merged: Schema = {}
        for part in schema["allOf"]:
            flat, inside = self._resolved(part, inside)
            if flat is None:
                return None, inside
            merged = _merged(merged, flat)
        return _merged(merged, {key: value for key, value in schema.items() if key != "allOf"}), inside

    def _unwrapped(self, source: Schema, inside: frozenset[str]) -> tuple[Schema | None, frozenset[str]]:
        """Turn "this or null" and "this or an empty text" into a nullable, blankable this; the rest into `anyOf`."""
        variants = [*source.pop("oneOf", ()), *source.pop("anyOf", ())]
        if not variants:
            return source, inside
        resolved = [self._resolved(item, inside)[0] if isinstance(item, Mapping) else {} for item in variants]
        values = [
            item for item, schema in zip(variants, resolved, strict=True) if not (_is_null(schema) or _is_blank(schema))
        ]
        if any(map(_is_null, resolved)):
            source["nullable"] = True
        if not values:
            return source, inside
        if len(values) > 1:
            return {**source, "anyOf": values}, inside
        value, inside = self._resolved(values[0], inside) if isinstance(values[0], Mapping) else ({}, inside)
        if value is None:
            return None, inside
        merged, inside = self._unwrapped({**value, **source}, inside)
        return (_blankable(merged) if any(map(_is_blank, resolved)) and merged is not None else merged), inside

    def _object(self, result: Schema, source: Schema, path: tuple[str, ...], inside: frozenset[str]) -> None:
        if not result.get("type"):
            result["type"] = ["object", "null"] if source.get("nullable") else ["object"]
        properties: dict[str, Any] = {}
        for name, schema in source.get("properties", {}).items():
            if self._belongs(str(name), schema, path, inside):
                properties[str(name)] = self.convert(schema, (*path, str(name)), inside)
        result["properties"] = properties
        required = [name for name in dict.fromkeys(plain(source.get("required") or ())) if name in properties]
        if required and not self.partial:
            result["required"] = required
        more = source.get("additionalProperties")
        if isinstance(more, Mapping):
            result["additionalProperties"] = self.convert(more, path, inside) or True
        elif isinstance(more, bool) and (more or (self.direction == "request" and LENIENT not in source)):
            result["additionalProperties"] = more
        elif not properties and not source.get("properties"):
            result["additionalProperties"] = True

    def _belongs(self, name: str, schema: Any, path: tuple[str, ...], inside: frozenset[str]) -> bool:
        """Tell whether a field belongs to this direction; one that is read-only or sensitive is noted."""
        resolved = self._resolved(schema, inside)[0] if isinstance(schema, Mapping) else None
        flags = {**(resolved or {}), **(schema if isinstance(schema, Mapping) else {})}
        if self.direction == "response":
            return not flags.get("writeOnly")
        if flags.get("readOnly"):
            if not path:
                self.read_only.add(name)
            return False
        wrapped = [part for part in flags.get("oneOf", ()) if isinstance(part, Mapping)]
        if flags.get("writeOnly") or any(part.get("x-mcp-sensitive") for part in (flags, *wrapped)):
            self.sensitive.add(".".join((*path, name)))
        return True

    def _variants(self, result: Schema, source: Schema, path: tuple[str, ...], inside: frozenset[str]) -> None:
        discriminator = source.get("discriminator") or {}
        names: dict[str, list[str]] = {}
        for value, ref in (discriminator.get("mapping") or {}).items():
            names.setdefault(str(ref), []).append(str(value))
        variants = []
        for variant in source["anyOf"]:
            converted = self.convert(variant, path, inside)
            values = names.get(str(variant.get("$ref"))) if isinstance(variant, Mapping) else None
            if values and "properties" in converted:
                _discriminate(converted, discriminator["propertyName"], values)
            variants.append(converted)
        if not all(variants):  # one of them is "anything"
            return
        if self.direction == "response" and len(variants) > MAX_KINDS:
            result |= _in_common(variants, nullable=bool(source.get("nullable")))
            say(result, f"One of {len(variants)} kinds; what is described is what they have in common.")
            return
        if source.get("nullable"):
            variants.append({"type": "null"})
        result["anyOf"] = variants


def _discriminate(variant: Schema, name: str, values: list[str]) -> None:
    """Require the property that tells this variant from others, with the values by which it does."""
    discriminator: Schema = {"type": "string", "enum": values}
    if "description" in variant["properties"].get(name, {}):
        discriminator["description"] = variant["properties"][name]["description"]
    variant["properties"] = {**variant["properties"], name: discriminator}
    variant["required"] = list(dict.fromkeys([*variant.get("required", ()), name]))


def _in_common(variants: list[Schema], *, nullable: bool) -> Schema:
    """Return an object with the properties that each of many variants has."""
    if not all("properties" in variant for variant in variants):
        return {}
    first, *others = (variant["properties"] for variant in variants)
    properties = {
        name: field if all(other[name] == field for other in others) else {}
        for name, field in first.items()
        if all(name in other for other in others)
    }
    return {"type": ["object", "null"] if nullable else ["object"], "properties": properties}


def _merged(first: Schema, second: Schema) -> Schema:
    merged = {**first, **second}
    if "properties" in first and "properties" in second:
        merged["properties"] = {**first["properties"], **second["properties"]}
        if first.get("additionalProperties") is False and second.get("additionalProperties") is False:
            merged["additionalProperties"] = False
    if "required" in first and "required" in second:
        merged["required"] = [*first["required"], *second["required"]]
    return merged


def _is_null(schema: Schema | None) -> bool:
    return schema is not None and (schema.get("type") == "null" or _is_only(schema.get("enum"), None))


def _is_blank(schema: Schema | None) -> bool:
    if schema is None or schema.get("type", "string") != "string":
        return False
    return schema.get("maxLength") == 0 or _is_only(schema.get("enum"), "")


def _is_only(values: Any, value: Any) -> bool:
    return bool(values) and all(item == value for item in values)


def _blankable(schema: Schema) -> Schema:
    rest = {key: value for key, value in schema.items() if key not in {"minLength", "pattern", "format"}}
    if "enum" in rest:
        rest["enum"] = [*rest["enum"], ""]
        return rest
    rest["description"] = str(rest.get("description", ""))
    name = schema.get("format")
    say(rest, f"Format: {name}. May be empty." if isinstance(name, str) else "May be empty.")
    return rest


def one_object(schema: Schema, *, every: bool = False) -> Schema:
    """Merge the variants of a schema into one object with the fields of all, required where all require them.

    With `every`, only where every variant is an object; else the schema without its variants is returned.
    """
    variants = [variant for variant in schema.get("anyOf", ()) if "properties" in variant]
    merged: Schema = {key: value for key, value in schema.items() if key != "anyOf"}
    if not variants or (every and len(variants) < len(schema["anyOf"])):
        return merged
    properties: dict[str, Any] = dict(schema.get("properties", {}))
    for variant in variants:
        for name, field in variant["properties"].items():
            properties[name] = _either(properties[name], field) if name in properties else field
    required = set.intersection(*(set(variant.get("required", ())) for variant in variants))
    merged |= {"type": "object", "properties": properties}
    if required & properties.keys():
        merged["required"] = [name for name in properties if name in required]
    if any(variant.get("additionalProperties") is True for variant in variants):
        merged["additionalProperties"] = True
    return merged


def _either(first: Schema, second: Schema) -> Schema:
    if first == second:
        return first
    if "enum" in first and "enum" in second:
        return {**first, "enum": list(dict.fromkeys([*first["enum"], *second["enum"]]))}
    return {"anyOf": [first, second]}
