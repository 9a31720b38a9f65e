"""The official Python SDK before 2.0."""

import anyio
import shopping
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client


async def main():
    async with (
        streamablehttp_client(shopping.URL, headers=shopping.HEADERS) as (read, write, _session),
        ClientSession(read, write) as session,
    ):
        await session.initialize()

        async def list_names():
            return [tool.name for tool in (await session.list_tools()).tools]

        async def call(tool, arguments):
            return (await session.call_tool(tool, arguments)).content[0].text

        await shopping.visit(list_names, call)


anyio.run(main)
