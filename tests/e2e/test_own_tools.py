"""300 operations, a tool each, as the official client sees them."""

import re

import pytest

from tests.e2e.official import talk
from tests.e2e.server import backends, shop

CREATE = "archived_delivery_create"
DELIVERY = {"name": "Crate", "description": "Of beans.", "category": "coffee"}


@pytest.fixture(scope="module", params=backends())
def many(request, tmp_path_factory):
    directory = tmp_path_factory.mktemp("many")
    with shop(request.param, directory, settings="tests.e2e.own_tools_settings", groups=("many",)) as opened:
        yield opened


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_all_pages_are_listed_and_a_tool_is_called(many, mode):
    delivery = {**DELIVERY, "name": f"Crate, {mode}"}

    async def conversation(client):
        pages = [await client.list_tools()]
        while pages[-1].next_cursor:
            pages.append(await client.list_tools(cursor=pages[-1].next_cursor))
        proposal = await client.call_tool(CREATE, delivery)
        token = proposal.structured_content["confirmationToken"]
        confirmed = await client.call_tool(CREATE, {**delivery, "confirmationToken": token})
        read = await client.call_tool(
            "archived_delivery_retrieve", {"id": confirmed.structured_content["response"]["id"]}
        )
        return pages, proposal, confirmed, read

    pages, proposal, confirmed, read = talk(many, conversation, mode=mode)
    names = [tool.name for page in pages for tool in page.tools]
    assert [len(page.tools) for page in pages] == [100, 100, 100]
    assert len(set(names)) == 300
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,40}", name) for name in names)
    assert f"call {CREATE} again" in proposal.structured_content["instruction"]
    assert confirmed.structured_content["httpStatus"] == 201
    assert read.structured_content["response"]["name"] == delivery["name"]
