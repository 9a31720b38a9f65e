"""FastMCP's client."""

import anyio
import shopping
from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport


async def main():
    async with Client(StreamableHttpTransport(shopping.URL, headers=shopping.HEADERS)) as client:

        async def list_names():
            return [tool.name for tool in await client.list_tools()]

        async def call(tool, arguments):
            return (await client.call_tool(tool, arguments, raise_on_error=False)).content[0].text

        await shopping.visit(list_names, call)


anyio.run(main)
