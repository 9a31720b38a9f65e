import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from django_mcp.access import keys
from tests.tools.conftest import declaring

__all__ = ["declaring"]


@pytest.fixture
def person(db):
    """Return a function that makes a user with these permissions of ours, or `app.codename` of others."""

    def make(username, *codenames, **flags):
        user = User.objects.create_user(username, password="x", **flags)
        for name in codenames:
            app, _, codename = name.rpartition(".")
            user.user_permissions.add(
                Permission.objects.get(content_type__app_label=app or "django_mcp", codename=codename)
            )
        return user

    return make


@pytest.fixture
def browser():
    """Return a function that logs a user in; CSRF is checked only where asked for."""

    def log_in(user, **options):
        client = Client(**options)
        client.force_login(user)
        return client

    return log_in


@pytest.fixture
def staff(person):
    """Someone who may do all that our pages offer, and no superuser."""
    return person(
        "staff",
        "view_toolgroup",
        "change_toolgroup",
        "delete_toolgroup",
        "view_serversettings",
        "change_serversettings",
        "switch_writes",
        "add_apikey",
        "issue_for_others",
        "change_apikey",
        "view_apikey",
        "delete_apikey",
        "view_confirmation",
        "change_confirmation",
        "view_auditevent",
        is_staff=True,
    )


@pytest.fixture
def desk(browser, staff):
    return browser(staff)


@pytest.fixture
def clerk(person):
    """A plain user without any power."""
    return person("clerk")


@pytest.fixture
def key(clerk):
    """A key of the clerk's that reads the coffee shop."""
    return keys.issue(name="agent", user=clerk, groups=["coffee-shop"])[0]
