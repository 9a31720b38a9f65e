"""Claude Code: the server is added as the README says, and listed with its state."""

import programs
import shopping

header = f"Authorization: {shopping.HEADERS['Authorization']}"
programs.run("claude", "mcp", "add", "--transport", "http", "--scope", "user", "shop", shopping.URL, "--header", header)
said = programs.run("claude", "mcp", "list")
shopping.expect("shop" in said and "Connected" in said, "claude mcp list", said)
