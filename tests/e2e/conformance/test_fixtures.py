"""Each fixture tool, called by the official Python client on the real endpoint with a real key."""

import base64
import json

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import MCPError

from tests.e2e.conformance import mcp as fixtures
from tests.e2e.conformance.serving import serving


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("conformance")) as opened:
        yield opened


@pytest.fixture(scope="module")
def talk(served):
    """Run a conversation with a connected client."""

    def run(conversation):
        async def main():
            headers = {"Authorization": f"Bearer {served.key}"}
            async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
                transport = streamable_http_client(served.url, http_client=http)
                async with Client(transport, mode="legacy") as client:
                    return await conversation(client)

        return anyio.run(main)

    return run


@pytest.fixture(scope="module")
def call(talk):
    def make(name, **arguments):
        return talk(lambda client: client.call_tool(name, arguments))

    return make
