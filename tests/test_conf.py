"""Settings are read as their types, with their defaults, at the moment they are needed."""

from datetime import timedelta

import pytest

from django_mcp.conf import SETTINGS, conf


@pytest.mark.parametrize(
    ("key", "configured", "value"),
    [
        ("TOOL_GROUPS", ["orders"], ("orders",)),
        ("CONFIRMATION_TOKEN_EXPIRY", timedelta(minutes=2), 120),
        ("RESOURCE_LINK_EXPIRY", 1.9, 1),
        ("AUDIT_RETENTION", timedelta(days=1), 86400),
        ("AUDIT_RETENTION", None, None),
        ("MAX_LIMIT", "50", 50),
        ("REQUIRE_AUTH", 0, False),
        ("SIGNING_SECRET", None, None),
        ("SERVER_VERSION", 2, "2"),
        ("SERVER_NAME", "", "tests"),
        ("PUBLISH_AS", {"orders": "both"}, {"orders": "both"}),
    ],
)
def test_a_value_is_read_as_the_type_of_its_setting(settings, key, configured, value):
    settings.DJANGO_MCP = {key: configured}
    assert getattr(conf, key) == value
    assert type(getattr(conf, key)) is type(value)


def test_a_changed_setting_holds_at_once_and_only_as_long_as_it_is_set(settings):
    settings.DJANGO_MCP = {"MAX_LIMIT": 7}
    assert conf.MAX_LIMIT == 7
    settings.DJANGO_MCP = {}
    assert conf.MAX_LIMIT == 100
    del settings.DJANGO_MCP
    assert conf.MAX_LIMIT == 100


@pytest.mark.parametrize("key", ["MAX_LIMIT", "CONFIRMATION_TOKEN_EXPIRY"])
def test_a_number_without_a_default_of_none_is_never_none(settings, key):
    settings.DJANGO_MCP = {key: None}
    with pytest.raises(TypeError):
        getattr(conf, key)


def test_every_setting_has_a_meaning_of_one_line():
    for setting in SETTINGS:
        assert setting.__doc__.endswith("."), setting.name
        assert "\n" not in setting.__doc__


def test_a_setting_is_changed_in_the_project_and_nowhere_else():
    with pytest.raises(AttributeError):
        conf.MAX_LIMIT = 7
