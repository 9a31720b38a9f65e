"""The pages of `tools/list`, and the ways in which a group's operations are published."""

from django_mcp.models import ToolGroup


def publish(way, group="coffee-shop"):
    ToolGroup.objects.update_or_create(name=group, defaults={"exposed": True, "publish_as": way})


def pages(mcp):
    """Return the tools of every page."""
    listing, params = [], {}
    while True:
        result = mcp.rpc("tools/list", params)["result"]
        listing.append(result["tools"])
        if "nextCursor" not in result:
            return listing
        params = {"cursor": result["nextCursor"]}


def tools(mcp):
    return {tool["name"]: tool for page in pages(mcp) for tool in page}
