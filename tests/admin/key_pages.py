"""The pages of keys: their addresses, and what a person fills in."""

import re

ADD = "/admin/django_mcp/apikey/add/"
LIST = "/admin/django_mcp/apikey/"


def page(key):
    return f"{LIST}{key.pk}/change/"


def fields(owner, **changes):
    """Return what the form of a new key sends; a field that is changed to None is left out."""
    values = {
        "name": "Sam's agent",
        "user": owner.pk,
        "groups": ["coffee-shop"],
        "highest_safety": "Write",
        "permissions": "",
        "approval_mode": "",
        "expires_at_0": "",
        "expires_at_1": "",
    }
    return {name: value for name, value in {**values, **changes}.items() if value is not None}


def secret_of(response):
    return re.search(r"ak-[\w-]{43}", response.content.decode())[0]
