from enum import Enum

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import (
    PolymorphicProxySerializer,
)
from jsonschema import Draft202012Validator
from rest_framework import serializers

from tests.schema.cases import described, input_of


def test_grouped_choices_with_blank_keep_their_labels_and_the_empty_text():
    choices = [("Hot", [("t", "Tea"), ("c", "Coffee")]), ("x", gettext_lazy("Yes"))]
    field = input_of(f=serializers.ChoiceField(choices, allow_blank=True))["properties"]["f"]
    assert field["enum"] == ["t", "c", "x", ""]
    assert "`t` - Tea" in field["description"]
    assert "`x` - Yes" in field["description"]


def test_labels_that_only_repeat_the_values_are_left_out():
    assert "description" not in input_of(f=serializers.ChoiceField(["Tall", "Grande"]))["properties"]["f"]


def test_members_of_enumerations_are_their_values():
    class Size(TextChoices):
        TALL = "tall"

    field = input_of(f=serializers.ChoiceField(Size.choices, default=Size.TALL))["properties"]["f"]
    assert (field["enum"], field["default"]) == (["tall"], "tall")
    assert type(field["default"]) is str


def test_a_choice_that_json_cannot_hold_leaves_the_field_open():
    class Size(Enum):
        TALL = object()

    assert input_of(f=serializers.ChoiceField([(Size.TALL, "Tall")]))["properties"]["f"] == {}


def test_an_enumeration_of_hundreds_is_described_by_its_first_values():
    values = [f"zone {number}" for number in range(600)]
    schema = described(type("Made", (serializers.Serializer,), {"f": serializers.ChoiceField(values, allow_null=True)}))
    for part in (schema.input, schema.output):
        field = part["properties"]["f"]
        assert field["type"] == ["string", "null"]
        assert field["description"].startswith("One of 601 values, such as zone 0, zone 1,")
        assert len(str(field)) < 250


def test_a_request_keeps_more_values_of_an_enumeration_than_an_answer():
    values = [f"kind {number}" for number in range(100)]
    schema = described(type("Made", (serializers.Serializer,), {"f": serializers.ChoiceField(values)}))
    assert schema.input["properties"]["f"]["enum"] == values
    assert "enum" not in schema.output["properties"]["f"]


def test_an_answer_of_many_kinds_is_described_by_the_fields_that_all_have():
    fields = {"id": serializers.IntegerField(), "note": serializers.CharField()}
    kinds = [
        type(f"Kind{number}", (serializers.Serializer,), {**fields, f"own_{number}": serializers.CharField()})
        for number in range(40)
    ]
    proxy = PolymorphicProxySerializer("Any", kinds, None, many=False, allow_null=True, read_only=True)
    schema = described(type("Made", (serializers.Serializer,), {"f": proxy}))
    field = schema.output["properties"]["f"]
    assert field["properties"].keys() == {"id", "note"}
    assert field["description"] == "One of 40 kinds; what is described is what they have in common."
    for value in ({"id": 1, "note": "x", "own_1": "y"}, None):
        assert Draft202012Validator(field).is_valid(value)
