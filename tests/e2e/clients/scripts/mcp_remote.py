"""mcp-remote: it speaks to the server for clients that know standard input and output alone."""

import asyncio

import programs
import shopping

remote = programs.Talk("mcp-remote", shopping.URL, "--header", f"Authorization:{shopping.HEADERS['Authorization']}")
remote.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "shopper", "version": "1"})
remote.tell("notifications/initialized")


async def list_names():
    return [tool["name"] for tool in remote.ask("tools/list")["tools"]]


async def call(tool, arguments):
    return remote.ask("tools/call", name=tool, arguments=arguments)["content"][0]["text"]


asyncio.run(shopping.visit(list_names, call))
remote.close()
