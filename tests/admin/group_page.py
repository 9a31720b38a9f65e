"""The page of all groups, and where rules are added from it."""

import re

GROUPS = "/admin/django_mcp/toolgroup/"
RULES = "/admin/django_mcp/toolrule/"


def row_of(body, name):
    """Return the table row of an operation or tool."""
    return re.search(rf'<th scope="row">{name}.*?</tr>', body, re.DOTALL)[0]
