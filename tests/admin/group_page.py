"""The page of all groups, and where rules are added from it."""

import re

from tests.admin.pages import save

GROUPS = "/admin/django_mcp/toolgroup/"
RULES = "/admin/django_mcp/toolrule/"


def row_of(body, name):
    """Return the table row of an operation or tool."""
    return re.search(rf'<th scope="row">{name}.*?</tr>', body, re.DOTALL)[0]


def set_group(client, name, **values):
    """Change what the page of all groups says of one, and save the page; None unticks."""
    return save(client, GROUPS, {f"{name}-{field}": value for field, value in values.items()})
