"""Tools of the host's functions that are out of reach."""

from django.db import connection
from django.test.utils import CaptureQueriesContext

from django_mcp.models import ToolRule


def test_a_forbidden_and_a_hidden_tool_cost_what_one_that_does_not_exist_costs(mcp, offer):
    def for_members(caller):
        return caller.user.groups.filter(name="members").exists()

    offer(lambda *_: {}, name="forbidden", permissions=for_members)
    offer(lambda *_: {}, name="forbidden_by_name", permissions=["auth.add_user"])
    offer(lambda *_: {}, name="hidden", permissions=for_members)
    ToolRule.objects.create(name="hidden", exposure="hidden")
    mcp.rpc("ping")
    counts = {}
    for name in ("forbidden", "forbidden_by_name", "hidden", "missing"):
        with CaptureQueriesContext(connection) as queries:
            assert mcp.rpc("tools/call", {"name": name, "arguments": {}})["error"]["code"] == -32602
        counts[name] = len(queries)
    assert len(set(counts.values())) == 1, counts
