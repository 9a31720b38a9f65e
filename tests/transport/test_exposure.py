"""Where nothing is exposed there is no endpoint, whoever calls and however recent the process's memory is."""

import pytest

from django_mcp.access import server_config
from django_mcp.models import ToolGroup
from tests.transport.refusals import refusal


@pytest.mark.parametrize("method", ["get", "post", "delete", "options", "put"])
def test_nothing_exposed_is_404_for_every_method(db, monkeypatch, http, method):
    server_config.forget()
    refusal(getattr(http, method)("/mcp"), 404)


def test_groups_that_another_process_hid_are_404_with_a_key(post, exposed):
    post()
    ToolGroup.objects.get().delete()
    response = post()
    refusal(response, 404)
    assert response.json()["id"] == 1


def test_groups_that_another_process_hid_are_404_without_a_key(stranger, post, exposed):
    post()
    exposed.exposed = False
    exposed.save()
    refusal(stranger(), 404)


def test_groups_that_another_process_exposed_are_there_at_once(stranger, exposed):
    exposed.exposed = False
    exposed.save()
    refusal(stranger(), 404)
    exposed.exposed = True
    exposed.save()
    refusal(stranger(), 401)
