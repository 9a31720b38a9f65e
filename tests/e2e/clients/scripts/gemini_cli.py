"""Gemini CLI: the server is configured and listed with its state."""

import programs
import shopping

server = {"httpUrl": shopping.URL, "headers": shopping.HEADERS}
programs.configure(
    ".gemini/settings.json",
    {
        "mcpServers": {"shop": server},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "general": {"disableAutoUpdate": True, "disableUpdateNag": True},
        "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
    },
)
said = programs.run("gemini", "mcp", "list")
shopping.expect("shop" in said and "Connected" in said, "gemini mcp list", said)
