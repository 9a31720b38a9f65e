"""Codex, as the editors run it: `codex app-server` lists the tools of a server and calls them in a thread."""

import asyncio

import programs
import shopping

programs.configure(
    ".codex/config.toml",
    f"""
check_for_update_on_startup = false
[analytics]
enabled = false
[mcp_servers.shop]
url = "{shopping.URL}"
bearer_token_env_var = "MCP_KEY"
""",
)
app = programs.Talk("codex", "app-server")
app.ask("initialize", clientInfo={"name": "shopper", "title": "Shopper", "version": "1"})
app.tell("initialized")
thread = app.ask("thread/start", ephemeral=True, cwd=str(programs.HOME))["thread"]["id"]


async def list_names():
    (server,) = [server for server in app.ask("mcpServerStatus/list")["data"] if server["name"] == "shop"]
    return [*server["tools"]]


async def call(tool, arguments):
    result = app.ask("mcpServer/tool/call", threadId=thread, server="shop", tool=tool, arguments=arguments)
    return result["content"][0]["text"]


asyncio.run(shopping.visit(list_names, call))
app.close()
