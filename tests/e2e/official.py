"""Conversations of the official Python client with a served shop."""

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.e2e.server import Shop


def talk(served: Shop, conversation: Callable[[Client], Awaitable[Any]], *, mode: str) -> Any:
    """Run a conversation with a client that is connected in the mode, as sam; return what it returns."""

    async def main() -> Any:
        headers = {"Authorization": f"Bearer {served.keys['sam']}"}
        async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
            transport = streamable_http_client(f"http://127.0.0.1:{served.server.port}/mcp", http_client=http)
            async with Client(transport, mode=mode) as client:
                return await conversation(client)

    return anyio.run(main)
