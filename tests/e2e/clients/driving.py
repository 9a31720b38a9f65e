"""Runs a client against the served shop, and tells from the server's side what it did."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.e2e.clients.catalogue import Client
from tests.e2e.clients.installing import InstallError, node, node_modules_with, python_with
from tests.e2e.server import Backend, Shop, shop

SCRIPTS = Path(__file__).with_name("scripts")
SECONDS = 180
NOWHERE = "http://127.0.0.1:9"
# No program shall look for updates, report on its use or ask a model; whatever tries all the same finds a closed port.
QUIET = {
    **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"), NOWHERE),
    **dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1,localhost"),
    **dict.fromkeys(("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"), "no-key"),
    **dict.fromkeys(("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"), NOWHERE),
    **dict.fromkeys(("DO_NOT_TRACK", "DISABLE_TELEMETRY", "DISABLE_AUTOUPDATER", "DISABLE_ERROR_REPORTING"), "1"),
    **dict.fromkeys(("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "NO_UPDATE_NOTIFIER", "NO_COLOR", "CI"), "1"),
    **dict.fromkeys(("OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_MODELS_FETCH"), "1"),
    # Node's fetch minds the proxies above only where it is told to.
    "NODE_USE_ENV_PROXY": "1",
    "FASTMCP_CHECK_FOR_UPDATES": "off",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    "BROWSER": "true",
}


@dataclass(frozen=True)
class Outcome:
    """What a client did. `failure` is why it did not do what it should, the other fields are from the server's record."""

    client: Client
    revision: str = ""
    lists: bool = False
    reads: bool = False
    orders: int = 0
    failure: str = ""

    @property
    def fine(self) -> bool:
        return not self.failure


@contextlib.contextmanager
def serving(directory: Path) -> Iterator[Shop]:
    record = directory / "record.jsonl"
    with shop(
        Backend("sqlite:///"), directory, settings="tests.e2e.clients.settings", threads=4, CLIENTS_RECORD=str(record)
    ) as opened:
        record.touch()
        yield opened


def drive(client: Client, served: Shop) -> Outcome:
    """Install the client where it is not yet, let it visit the shop, and look at what came of it."""
    try:
        command, packages = _command(client)
    except (InstallError, subprocess.TimeoutExpired) as error:
        return Outcome(client, failure=f"not installed: {error}")
    record = served.directory / "record.jsonl"
    begun = record.stat().st_size
    with tempfile.TemporaryDirectory(prefix="mcp-client-", ignore_cleanup_errors=True) as home:
        said = _run(command, _environment(client, served, home, packages), home)
    with record.open() as lines:
        lines.seek(begun)
        seen = [json.loads(line) for line in lines]
    return _judged(client, seen, len(served.inside.orders_named(customer_name=client.name)), said)


def _command(client: Client) -> tuple[list[str], Path | None]:
    """Return the command and, for npm's, the folder of the packages."""
    script = str(SCRIPTS / client.script)
    if not client.of_npm:
        return [str(python_with(*client.packages)), script, *client.arguments], None
    runs = str(node()) if script.endswith(".mjs") else sys.executable
    return [runs, script, *client.arguments], node_modules_with(*client.packages)


def _environment(client: Client, served: Shop, home: str, packages: Path | None) -> dict[str, str]:
    system = os.environ.get("PATH", "/usr/bin:/bin")
    path = [str(node().parent), system] if packages else [system]
    return {
        **QUIET,
        "PATH": os.pathsep.join(path),
        "HOME": home,
        "TMPDIR": home,
        "MCP_URL": f"http://127.0.0.1:{served.server.port}/mcp",
        "MCP_KEY": served.keys["sam"],
        "MCP_CUSTOMER": client.name,
        "MCP_PACKAGES": str(packages or ""),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _run(command: list[str], env: dict[str, str], home: str) -> str:
    """Return what a failing command says, nothing for one that does not fail. What it leaves running is ended."""
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(
            command,
            cwd=home,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code: int | str = process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            code = f"more than {SECONDS} s"
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        output.seek(0)
        return "" if code == 0 else f"{code}: {output.read().strip()[-1500:]}"


def _judged(client: Client, seen: list[dict[str, Any]], orders: int, said: str) -> Outcome:
    negotiated = [line["negotiated"] for line in seen if line["negotiated"]]
    headers = [line["header"] for line in seen if line["method"] == "tools/list" and line["header"]]
    reads = any(line["tool"] == "api_read" and not line["error"] for line in seen)
    lists = any(line["method"] == "tools/list" and not line["error"] for line in seen)
    revision = (headers or negotiated or [""])[-1]
    failure = said
    if not failure and revision != client.revision:
        failure = f"it speaks {revision or 'nothing'} and not {client.revision}"
    if not failure and client.orders and (not lists or not reads or orders != 1):
        failure = f"it listed: {lists}, read: {reads}, orders: {orders}"
    return Outcome(client, revision, lists, reads, orders, failure)
