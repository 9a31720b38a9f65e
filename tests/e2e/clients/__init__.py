"""Real MCP clients against the demo: each is installed on its own and driven by a script, without a model."""
