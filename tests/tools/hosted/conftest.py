"""Functions to offer as tools, and the client that calls them."""

import pytest
from django.contrib.auth.models import Group
from rest_framework import serializers
from rest_framework.validators import UniqueValidator

from django_mcp.models import AuditEvent, Confirmation
from django_mcp.testing import McpClient


class Cup(serializers.Serializer):
    size = serializers.ChoiceField(choices=["small", "large"])
    count = serializers.IntegerField(min_value=1, default=1)


class Member(serializers.Serializer):
    name = serializers.CharField(validators=[UniqueValidator(queryset=Group.objects.all())])
    pin = serializers.CharField(write_only=True, required=False)


@pytest.fixture
def user(sam):
    return sam


@pytest.fixture
def mcp(user):
    return McpClient(user=user)


def brew(caller, data):
    return {"brewed": dict(data)}


def create(caller, data):
    return {"id": Group.objects.create(name=data["name"]).pk}


def raising(error):
    def fail(caller, data):
        Group.objects.create(name="left behind")
        raise error

    return fail


def event_kinds():
    return list(AuditEvent.objects.exclude(kind="key_issued").order_by("id").values_list("kind", flat=True))


def record():
    """Return everything that is stored of calls, as one text."""
    return str([*Confirmation.objects.values(), *AuditEvent.objects.values()])
