import json
from decimal import Decimal
from types import SimpleNamespace

import drf_spectacular
import pytest
from django.contrib.auth.models import User
from django.core.validators import RegexValidator
from django.utils import timezone
from drf_spectacular.settings import spectacular_settings
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    extend_schema_field,
)
from rest_framework import serializers

from tests.schema.cases import described, input_of

FIELDS = [
    (serializers.CharField(max_length=5), {"type": "string", "maxLength": 5}),
    (serializers.EmailField(), {"type": "string", "format": "email"}),
    (serializers.URLField(), {"type": "string", "format": "uri"}),
    (serializers.SlugField(), {"type": "string"}),
    (serializers.UUIDField(allow_null=True), {"type": ["string", "null"], "format": "uuid"}),
    (serializers.IPAddressField(protocol="ipv4"), {"type": "string", "format": "ipv4"}),
    (serializers.DateField(), {"type": "string", "format": "date"}),
    (serializers.BooleanField(default=True), {"type": "boolean", "default": True}),
    (serializers.IntegerField(min_value=1, max_value=9), {"type": "integer", "minimum": 1, "maximum": 9}),
    (serializers.IntegerField(min_value=-(2**63), max_value=2**63 - 1), {"type": "integer"}),
    (serializers.FloatField(min_value=0.5), {"type": "number", "minimum": 0.5}),
    (serializers.FloatField(default=float), {"type": "number"}),
    (serializers.FloatField(default=float("nan")), {"type": "number"}),
    (serializers.DateTimeField(default=timezone.now), {"type": "string", "format": "date-time"}),
    (serializers.JSONField(), {}),
    (serializers.JSONField(allow_null=True), {}),
    (serializers.RegexField(r"^a+$"), {"type": "string", "pattern": "^a+$"}),
    (
        serializers.RegexField(r"^(?P<a>x)\Z"),
        {"type": "string", "description": "Must match the Python regular expression ^(?P<a>x)$"},
    ),
    (serializers.CharField(validators=[RegexValidator("^a", flags=2)]), {"type": "string"}),
    (serializers.CharField(validators=[RegexValidator("^a", inverse_match=True)]), {"type": "string"}),
    (
        serializers.DecimalField(max_digits=6, decimal_places=2, min_value=Decimal("0.5")),
        {
            "type": ["string", "number"],
            "format": "decimal",
            "description": "Decimal number, at most 6 digits, at most 2 after the point, at least 0.5.",
        },
    ),
    (
        serializers.DecimalField(max_digits=None, decimal_places=None, allow_null=True),
        {"type": ["string", "number", "null"], "format": "decimal", "description": "Decimal number."},
    ),
    (serializers.ChoiceField(["a", "b"]), {"type": "string", "enum": ["a", "b"]}),
    (serializers.ChoiceField([1, 2], allow_null=True), {"type": ["integer", "null"], "enum": [1, 2, None]}),
    (serializers.ChoiceField([]), {}),
    (serializers.MultipleChoiceField(choices=["a"]), {"type": "array", "items": {"type": "string", "enum": ["a"]}}),
    (
        serializers.ListField(child=serializers.IntegerField(), min_length=1),
        {"type": "array", "items": {"type": "integer"}, "minItems": 1},
    ),
    (
        serializers.DictField(child=serializers.IntegerField()),
        {"type": "object", "properties": {}, "additionalProperties": {"type": "integer"}},
    ),
    (serializers.DictField(), {"type": "object", "properties": {}, "additionalProperties": True}),
]


@pytest.mark.parametrize(("field", "expected"), FIELDS, ids=lambda value: type(value).__name__)
def test_a_field_becomes_plain_json_schema(field, expected):
    schema = input_of(f=field)["properties"]["f"]
    schema.pop("minLength", None)
    if "enum" in expected:
        schema.pop("description", None)
        schema.get("items", {}).pop("description", None)
    if "array" in str(expected.get("type")):
        schema["items"].pop("description", None)
    assert schema == expected


@pytest.mark.skipif(
    drf_spectacular.__version__ < "0.30", reason="drf-spectacular before 0.30 does not tell that a text may be empty"
)
@pytest.mark.parametrize(
    ("field", "description"),
    [
        (serializers.CharField(allow_blank=True, min_length=2), "May be empty."),
        (serializers.EmailField(allow_blank=True), "Format: email. May be empty."),
    ],
)
def test_a_text_that_may_be_empty_says_so(field, description):
    assert input_of(f=field)["properties"]["f"] == {"type": "string", "description": description}


@pytest.mark.parametrize("split", [True, False])
@pytest.mark.parametrize("version", ["3.0.3", "3.1.0"])
def test_the_hosts_openapi_settings_do_not_matter(split, version):

    def all_of_it():
        class Nested(serializers.Serializer):
            a = serializers.CharField(allow_blank=True, allow_null=True)
            b = serializers.IntegerField(read_only=True)
            c = serializers.CharField(write_only=True)

        made = {f"f{number}": field for number, (field, _expected) in enumerate(FIELDS)}
        made |= {
            "nested": Nested(allow_null=True),
            "many": Nested(many=True, read_only=True),
            "file": serializers.FileField(),
        }
        return described(type("All", (serializers.Serializer,), made))

    usual = all_of_it()
    spectacular_settings.apply_patches({"COMPONENT_SPLIT_REQUEST": split, "OAS_VERSION": version})
    try:
        other = all_of_it()
    finally:
        spectacular_settings.clear_patches()

    def without_lengths(schema):
        if isinstance(schema, dict):
            return {key: without_lengths(value) for key, value in schema.items() if key != "minLength"}
        return [without_lengths(part) for part in schema] if isinstance(schema, list) else schema

    assert without_lengths(other.input) == without_lengths(usual.input)
    assert other.output["properties"].keys() == usual.output["properties"].keys()
    assert other.read_only == usual.read_only
    assert other.sensitive == usual.sensitive


def test_a_model_instance_is_no_default():
    field = serializers.PrimaryKeyRelatedField(queryset=User.objects.all(), default=User(), allow_null=True)
    assert "default" not in input_of(f=field)["properties"]["f"]


def test_hidden_fields_do_not_exist():
    schema = input_of(
        owner=serializers.HiddenField(default=serializers.CurrentUserDefault()), a=serializers.CharField()
    )
    assert schema["properties"].keys() == {"a"}


def test_files_are_data_uris():
    class Upload(serializers.Serializer):
        photo = serializers.FileField(allow_null=True, help_text="A photo.")
        pages = serializers.ListField(child=serializers.FileField())
        name = serializers.CharField()

    schema = described(Upload)
    assert {name: place.file for name, place in schema.placement.items()} == {
        "photo": True,
        "pages": True,
        "name": False,
    }
    photo = schema.input["properties"]["photo"]
    assert photo["type"] == ["string", "null"]
    assert photo["description"].startswith("A photo. A file as a data URI")
    assert "format" not in photo
    assert "data URI" not in json.dumps(schema.output)


@pytest.mark.parametrize(("coerced", "kind"), [(True, "string"), (False, "number")])
def test_a_decimal_in_the_answer_is_what_the_host_writes(coerced, kind):
    field = serializers.DecimalField(max_digits=6, decimal_places=2, coerce_to_string=coerced)
    schema = described(type("Made", (serializers.Serializer,), {"f": field}))
    assert schema.output["properties"]["f"]["type"] == kind
    assert schema.input["properties"]["f"]["type"] == ["string", "number"]


def test_raw_schemas_of_the_host_are_cleaned():
    @extend_schema_field({"type": "string", "nullable": True, "example": "x", "x-nullable": True, "xml": {}})
    class Odd(serializers.Field):
        pass

    assert input_of(f=Odd())["properties"]["f"] == {"type": ["string", "null"]}


def test_any_value_stays_any_value():
    @extend_schema_field(OpenApiTypes.ANY)
    class Odd(serializers.Field):
        pass

    assert input_of(f=Odd())["properties"]["f"] == {}


class Summed(serializers.Serializer):
    bare = serializers.SerializerMethodField()
    odd = serializers.SerializerMethodField()
    number = serializers.SerializerMethodField()
    text = serializers.SerializerMethodField()
    declared = serializers.SerializerMethodField()

    def get_bare(self, item):
        return {"a": 1}

    def get_odd(self, item) -> SimpleNamespace: ...

    def get_number(self, item) -> int: ...

    def get_text(self, item) -> str: ...

    @extend_schema_field(OpenApiTypes.BOOL)
    def get_declared(self, item): ...


def test_a_computed_field_without_a_hint_gives_anything():
    fields = described(Summed).output["properties"]
    assert fields == {
        "bare": {},
        "odd": {},
        "number": {"type": "integer"},
        "text": {"type": "string"},
        "declared": {"type": "boolean"},
    }


def test_a_field_that_nobody_knows_takes_anything():
    class Point(serializers.Field):
        def to_internal_value(self, data):
            return data

    assert input_of(point=Point(help_text="Where."))["properties"] == {"point": {"description": "Where."}}
