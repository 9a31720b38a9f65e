"""A declaration that could not work fails when the project starts, and says what to write instead."""

from decimal import Decimal

import pytest
from django.contrib.auth.models import Group
from django.core.exceptions import ImproperlyConfigured
from referencing.exceptions import Unresolvable
from rest_framework import serializers

from django_mcp.choices import Safety
from django_mcp.decorators import TOOL_ATTRIBUTE, mcp_tool
from django_mcp.tools import raw_schemas
from django_mcp.tools.declarations import declared
from django_mcp.tools.hosted import tool_of


class Size(serializers.Serializer):
    size = serializers.CharField()


class Tokened(serializers.Serializer):
    confirmationToken = serializers.CharField()


class Modelled(serializers.ModelSerializer):
    confirmationToken = serializers.CharField(source="name")

    class Meta:
        model = Group
        fields = ["id", "confirmationToken"]


def brew(caller, data):
    """Brew."""


def object_schema(**more):
    return {"type": "object", **more}


def header(**more):
    return object_schema(properties={"region": {"type": "string", "x-mcp-header": "Region", **more}})


def declare(function=brew, **options):
    options = {"group": "kitchen", **options}
    decorated = mcp_tool(**options)(function)
    return declared(decorated, getattr(decorated, TOOL_ATTRIBUTE))


MISTAKES = {
    "name with blanks": ({"name": "brew coffee"}, "1 to 48 letters"),
    "name too long": ({"name": "b" * 49}, "1 to 48 letters"),
    "name not ASCII": ({"name": "brühen"}, "1 to 48 letters"),
    "no group": ({"group": " "}, "needs a group"),
    "the reserved group": ({"group": "api_tools"}, "reserved"),
    "unknown safety": ({"safety": "Harmless"}, "Safety.READ_ONLY"),
    "input is no serializer": ({"input": dict}, "input_schema="),
    "input is an instance": ({"input": Size()}, "serializer class"),
    "input is a list": ({"input": serializers.ListSerializer}, "wrap a list"),
    "output is no serializer": ({"output": "Size"}, "output_schema="),
    "both inputs": ({"input": Size, "input_schema": object_schema()}, "keep one"),
    "both outputs": ({"output": Size, "output_schema": object_schema()}, "keep one"),
    "schema of an array": ({"input_schema": {"type": "array"}}, '"type": "object"'),
    "schema without a type": ({"output_schema": {"properties": {}}}, '"type": "object"'),
    "schema is no dict": ({"input_schema": "{}"}, '"type": "object"'),
    "schema is no schema": ({"input_schema": object_schema(properties={"a": {"type": "text"}})}, "no JSON Schema"),
    "schema with a bad pattern": ({"input_schema": object_schema(required="a")}, "no JSON Schema"),
    "schema of unknown dialect": ({"input_schema": object_schema(**{"$schema": "https://x.example/s"})}, "$schema"),
    "schema that is no JSON": ({"input_schema": object_schema(default=Decimal(1))}, "no JSON"),
    "schema with NaN": ({"input_schema": object_schema(default=float("nan"))}, "no JSON"),
    "dangling reference": ({"input_schema": object_schema(properties={"a": {"$ref": "#/$defs/a"}})}, "$defs"),
    "reference elsewhere": (
        {"input_schema": object_schema(allOf=[{"$ref": "https://x.example/a"}])},
        "nothing is fetched",
    ),
    "reference to a file": (
        {"output_schema": object_schema(allOf=[{"$ref": "file:///etc/passwd"}])},
        "nothing is fetched",
    ),
    "header that is no word": ({"input_schema": header(**{"x-mcp-header": "a b"})}, "x-mcp-header"),
    "header on an object": ({"input_schema": header(type="object")}, "type must be one of"),
    "header in a combinator": ({"input_schema": object_schema(anyOf=[header()])}, "belongs on an entry of properties"),
    "header twice": (
        {"input_schema": object_schema(properties={n: {"type": "string", "x-mcp-header": n} for n in ("R", "r")})},
        "only once",
    ),
    "the token's name in a schema": ({"input_schema": object_schema(properties={"confirmationToken": {}})}, "rename"),
    "the token's name in a serializer": ({"input": Tokened}, "rename"),
    "permissions as text": ({"permissions": "shop.change_order"}, "list of names"),
    "permission without an app": ({"permissions": ["change_order"]}, "app_label.codename"),
    "requires_approval as text": ({"requires_approval": "no"}, "True or False"),
    "atomic as text": ({"atomic": "default"}, "ATOMIC_REQUESTS"),
    "summary as text": ({"summary": "Brew {size}"}, "callable"),
    "sensitive_fields as text": ({"sensitive_fields": "pin"}, "list of names"),
    "misspelt sensitive field": ({"input": Size, "sensitive_fields": ["syze"]}, "nothing would be masked"),
    "sensitive field without input": ({"sensitive_fields": ["size"]}, "nothing would be masked"),
    "misspelt sensitive field of a schema": (
        {"input_schema": object_schema(properties={"pim": {}}), "sensitive_fields": ["pin"]},
        "nothing would be masked",
    ),
    "the token's name in a model's serializer": ({"input": Modelled}, "rename"),
    "read-only hint by hand": ({"annotations": {"readOnlyHint": True}}, "safety="),
    "destructive hint by hand": ({"annotations": {"destructiveHint": False}}, "safety="),
    "unknown annotation": ({"annotations": {"cost": 5}}, "meta="),
    "annotation of a wrong kind": ({"annotations": {"openWorldHint": "no"}}, "True or False"),
    "annotations as a list": ({"annotations": ["title"]}, "as a dict"),
    "meta that is no JSON": ({"meta": {"since": object()}}, "no JSON"),
    "icon without src": ({"icons": [{"mimeType": "image/png"}]}, '"src"'),
    "icon as a script": ({"icons": [{"src": "javascript:alert(1)"}]}, '"src"'),
}


@pytest.mark.parametrize(("options", "cure"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_names_the_tool_and_the_cure(options, cure):
    with pytest.raises(ImproperlyConfigured) as caught:
        declare(**options)
    assert cure in str(caught.value)
    assert repr(options.get("name", "brew")) in str(caught.value)
    assert __name__ in str(caught.value)


def without_arguments():
    """Brew."""


def yielding(caller, data):
    """Brew."""
    yield {}


async def yielding_late(caller, data):
    """Brew."""
    yield {}


class Brewer:
    """Brew."""

    def __init__(self, caller, data): ...


def undescribed(caller, data): ...


@pytest.mark.parametrize(
    ("function", "cure"),
    [
        (without_arguments, "def tool(caller, data)"),
        (yielding, "not yield"),
        (yielding_late, "not yield"),
        (Brewer, "must be a function"),
        (undescribed, "write a docstring"),
    ],
)
def test_a_function_that_could_not_be_called_is_refused(function, cure):
    with pytest.raises(ImproperlyConfigured, match=cure.replace("(", r"\(").replace(")", r"\)")):
        declare(function)


def test_an_unknown_option_is_refused_by_the_decorator():
    with pytest.raises(ImproperlyConfigured, match="requires_aproval"):
        mcp_tool(group="kitchen", requires_aproval=True)


def test_the_least_declaration_is_enough():
    tool = declare()
    assert (tool.name, tool.description, tool.acts_as, tool.permissions) == ("brew", "Brew.", Safety.WRITE, None)


def test_safety_may_be_given_as_it_is_on_the_wire():
    assert declare(safety="ReadOnly").acts_as is Safety.READ_ONLY


@pytest.mark.parametrize(
    "schema",
    [
        object_schema(properties={"a": {"$ref": "#/$defs/a"}}, **{"$defs": {"a": {"type": "string"}}}),
        object_schema(properties={"a": {"$ref": "#a"}}, **{"$defs": {"x": {"$anchor": "a"}}}),
        object_schema(properties={"parent": {"$ref": "#"}}),
        object_schema(properties={"$ref": {"type": "string"}}, default={"$ref": "https://x.example"}),
        object_schema(**{"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"a": {}}}),
        header(),
    ],
)
def test_a_schema_that_stands_alone_is_taken(schema):
    assert declare(input_schema=schema).input_schema is schema


def test_what_clients_are_shown_beside_the_schemas_is_kept():
    icons = [{"src": "https://x.example/i.png", "mimeType": "image/png"}]
    decorated = mcp_tool(
        group="kitchen", title="Brew", icons=icons, meta={"x.example/a": 1}, annotations={"idempotentHint": True}
    )(brew)
    extras = tool_of(decorated, getattr(decorated, TOOL_ATTRIBUTE)).extras
    assert extras == {"icons": icons, "_meta": {"x.example/a": 1}, "annotations": {"idempotentHint": True}}


def test_a_nested_sensitive_field_is_known_by_its_first_name():
    nested = object_schema(properties={"card": {"type": "object"}})
    assert declare(input_schema=nested, sensitive_fields=["card.number"]).sensitive_fields == ("card.number",)


def test_validation_never_fetches(monkeypatch):
    fetched = []
    monkeypatch.setattr("urllib.request.urlopen", lambda *args, **kwargs: fetched.append(args))
    elsewhere = object_schema(properties={"a": {"$ref": "https://x.example/a"}})
    with pytest.raises(Unresolvable):
        raw_schemas.validator(elsewhere).is_valid({"a": 1})
    assert not fetched
