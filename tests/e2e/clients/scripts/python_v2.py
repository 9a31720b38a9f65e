"""The official Python SDK since 2.0; its argument says whether it looks for the newest revision or begins as before."""

import sys

import anyio
import httpx2
import shopping
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def main():
    async with (
        httpx2.AsyncClient(headers=shopping.HEADERS, timeout=60) as http,
        Client(streamable_http_client(shopping.URL, http_client=http), mode=sys.argv[1]) as client,
    ):

        async def list_names():
            return [tool.name for tool in (await client.list_tools()).tools]

        async def call(tool, arguments):
            return (await client.call_tool(tool, arguments)).content[0].text

        await shopping.visit(list_names, call)


anyio.run(main)
