"""Which clients are driven, and how each is had and run."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Client:
    """One client in one version.

    `revision` is the one that it speaks with a server that has all of them. `script` is in the folder `scripts`; what
    runs it goes by its suffix and `packages`: a Python with the packages, for those of PyPI (`name==version`), the pinned
    node for `.mjs`, and this Python for a script that drives a program of npm (`name@version`). `orders` says whether it
    can call tools without a model; the others run `command`. `in_ci` are those that the tests drive.
    """

    name: str
    packages: tuple[str, ...]
    revision: str
    script: str
    arguments: tuple[str, ...] = ()
    orders: bool = True
    in_ci: bool = False
    command: str = ""

    @property
    def of_npm(self) -> bool:
        return "==" not in self.packages[0]


ALL = (
    Client("Python SDK 1.9", ("mcp==1.9.4", "pydantic==2.11.10"), "2025-03-26", "python_v1.py", in_ci=True),
    Client("Python SDK 1.12", ("mcp==1.12.4", "pydantic==2.11.10"), "2025-06-18", "python_v1.py", in_ci=True),
    Client("Python SDK 1.30", ("mcp==1.30.0",), "2025-11-25", "python_v1.py", in_ci=True),
    Client("Python SDK 2.3", ("mcp==2.3.0",), "2026-07-28", "python_v2.py", ("auto",), in_ci=True),
    Client("Python SDK 2.3, handshake", ("mcp==2.3.0",), "2025-11-25", "python_v2.py", ("legacy",), in_ci=True),
    Client("FastMCP client 4.2", ("fastmcp==4.2.3",), "2026-07-28", "fastmcp_client.py", in_ci=True),
    Client("TypeScript SDK 1.10", ("@modelcontextprotocol/sdk@1.10.2",), "2024-11-05", "typescript_v1.mjs"),
    Client("TypeScript SDK 1.32", ("@modelcontextprotocol/sdk@1.32.2",), "2025-11-25", "typescript_v1.mjs"),
    Client(
        "TypeScript client 2.4", ("@modelcontextprotocol/client@2.4.0",), "2026-07-28", "typescript_v2.mjs", ("auto",)
    ),
    Client(
        "TypeScript client 2.4, handshake",
        ("@modelcontextprotocol/client@2.4.0",),
        "2025-11-25",
        "typescript_v2.mjs",
        ("legacy",),
    ),
    Client(
        "MCP Inspector CLI 2.12",
        ("@modelcontextprotocol/inspector@2.12.0",),
        "2025-11-25",
        "inspector_cli.py",
        in_ci=True,
    ),
    Client("mcp-remote 0.15", ("mcp-remote@0.15.1",), "2025-11-25", "mcp_remote.py"),
    Client("Codex 0.171 (app-server)", ("@openai/codex@0.171.0",), "2025-06-18", "codex.py"),
    Client(
        "Claude Code 2.1",
        ("@anthropic-ai/claude-code@2.1.332",),
        "2026-07-28",
        "claude_code.py",
        orders=False,
        command="claude mcp list",
    ),
    Client(
        "opencode 1.18",
        ("opencode-ai@1.18.33",),
        "2025-11-25",
        "opencode.py",
        orders=False,
        command="opencode mcp list",
    ),
    Client(
        "Gemini CLI 0.61",
        ("@google/gemini-cli@0.61.0",),
        "2025-06-18",
        "gemini_cli.py",
        orders=False,
        command="gemini mcp list",
    ),
)
