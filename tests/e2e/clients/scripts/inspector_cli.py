"""The Inspector's command line: each call is a run of its own."""

import asyncio
import json

import programs
import shopping


def ask(method, *arguments):
    header = f"Authorization: {shopping.HEADERS['Authorization']}"
    said = programs.run(
        *("mcp-inspector", "--cli", shopping.URL, "--transport", "http", "--header", header, "--method", method),
        *arguments,
        # 5 says that the tool's result is an error.
        fine=(0, 5),
    )
    return json.JSONDecoder().raw_decode(said[said.index("{") :])[0]


async def list_names():
    return [tool["name"] for tool in ask("tools/list")["tools"]]


async def call(tool, arguments):
    pairs = [f"{name}={value if isinstance(value, str) else json.dumps(value)}" for name, value in arguments.items()]
    given = [part for pair in pairs for part in ("--tool-arg", pair)]
    return ask("tools/call", "--tool-name", tool, *given)["content"][0]["text"]


asyncio.run(shopping.visit(list_names, call))
