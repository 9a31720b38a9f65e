from rest_framework import serializers

from django_mcp.choices import Safety
from django_mcp.decorators import mcp_tool


class StampSerializer(serializers.Serializer):
    times = serializers.IntegerField(min_value=1, max_value=9)
    size = serializers.ChoiceField([1, 2], required=False, allow_null=True)
    day = serializers.DateField(required=False)


class StampedSerializer(serializers.Serializer):
    left = serializers.IntegerField(allow_null=True, min_value=0)


@mcp_tool(group="desk", safety=Safety.READ_ONLY)
def count_stamps(caller, data):
    """Count the stamps."""
    return {"count": 3}


@mcp_tool(group="desk", input=StampSerializer, output=StampedSerializer)
def stamp(caller, data):
    """Stamp a form."""
    return {"left": None}


second_name = stamp
