"""A project of its own that serves the tools which MCP's official conformance suite calls."""
