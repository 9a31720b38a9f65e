"""opencode: the server is configured and listed with its state."""

import programs
import shopping

server = {"type": "remote", "url": shopping.URL, "headers": shopping.HEADERS, "enabled": True, "oauth": False}
programs.configure(
    ".config/opencode/opencode.json", {"autoupdate": False, "share": "disabled", "mcp": {"shop": server}}
)
said = programs.run("opencode", "mcp", "list")
shopping.expect("shop" in said and "connected" in said, "opencode mcp list", said)
