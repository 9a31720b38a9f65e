"""MCP's official conformance suite: its scenarios for each revision, run against a server, and what came of them."""

import concurrent.futures
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.e2e.clients.installing import node, node_modules_with

PACKAGE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
PRELOAD = Path(__file__).with_name("preload.mjs")
REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
# The suite has no scenarios of its own for the first two revisions: they get these, each message checked by the schema
# of 2025-03-26, with a handshake of their own.
FIRST = (
    *("server-initialize", "ping", "tools-list", "tools-call-simple-text", "tools-call-image"),
    *("tools-call-embedded-resource", "tools-call-mixed-content", "tools-call-error"),
)
# What a server has nothing to do with that offers tools alone, answers a POST with JSON and keeps no session.
OUT_OF_SCOPE = {
    "resources": r"resources-.*|sep-2164-.*",
    "prompts": r"prompts-.*|input-required-result-non-tool-request",
    "completions": r"completion-.*",
    "logging": r"logging-.*|tools-call-with-logging",
    "streams": r"tools-call-with-progress|server-sse-polling",
    "requests to the client inside a stream": r"tools-call-(sampling|elicitation)|elicitation-sep.*",
    "sessions": r"server-session-lifecycle",
    "sampling and roots": r"input-required-result-(basic-sampling|basic-list-roots|multiple-input-requests)",
}
# Checks of methods that a server of tools alone does not have, inside scenarios that are about more.
EXEMPT = {
    f"sep-2549-{method}-caching-hints"
    for method in ("prompts-list", "resources-list", "resources-templates-list", "resources-read")
}


@dataclass(frozen=True)
class Verdict:
    """What came of one scenario in one revision: PASS, FAIL, WARN (a SHOULD is not met) or SKIP."""

    revision: str
    scenario: str
    word: str
    note: str

    def __str__(self) -> str:
        return f"{self.word:4}  {self.revision}  {self.scenario:46} {self.note}".rstrip()


class Suite:
    """The suite, installed, and the server that it is run against."""

    def __init__(self, url: str, header: str) -> None:
        self._url, self._header = url, header
        self._node = node()
        self._program = node_modules_with(PACKAGE) / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"

    def run(self, revisions: tuple[str, ...] = REVISIONS) -> Iterator[Verdict]:
        """Yield the verdict on each scenario of each revision, in the suite's order."""
        found = self._scenarios()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for revision in revisions:
                named = found.get(revision, []) if revision >= "2025-06-18" else [*FIRST]
                if revision == "2025-03-26":
                    named.append("tools-call-audio")
                yield from pool.map(self._judge, [revision] * len(named), named)

    def _scenarios(self) -> dict[str, list[str]]:
        """Return the names of the scenarios for servers by revision."""
        done = self._call("list")
        if done.returncode:
            raise RuntimeError(f"The suite does not run:\n{done.stderr[-2000:]}")
        listed = done.stdout.partition("Client scenarios")[0]
        found: dict[str, list[str]] = {}
        for name, revisions in re.findall(r"- (\S+) \[(.*)\]", listed):
            for revision in revisions.split(","):
                found.setdefault(revision, []).append(name)
        return found

    def _judge(self, revision: str, scenario: str) -> Verdict:
        for what, pattern in OUT_OF_SCOPE.items():
            if re.fullmatch(pattern, scenario):
                return Verdict(revision, scenario, "SKIP", f"no {what} here")
        with tempfile.TemporaryDirectory() as folder:
            version = (
                ["--spec-version", revision] if revision not in REVISIONS[:2] else ["--spec-version", REVISIONS[1]]
            )
            forced = ["--force"] if revision in REVISIONS[:2] else []
            done = self._call(
                *("server", "--url", self._url, "--scenario", scenario, *version, *forced, "--output-dir", folder),
                revision=revision,
            )
            reports = list(Path(folder).glob("**/checks.json"))
            if not reports:
                said = " ".join((done.stderr or done.stdout).split())
                return Verdict(revision, scenario, "FAIL", f"no report: {said[-300:]}")
            return Verdict(revision, scenario, *weigh(json.loads(reports[0].read_text())))

    def _call(self, *arguments: str, revision: str = "") -> "subprocess.CompletedProcess[str]":
        # The driver of the last revision has no handshake.
        env = {**os.environ, "MCP_HEADER": self._header, "MCP_REVISION": revision}
        command = [str(self._node), "--import", PRELOAD.as_uri(), str(self._program), *arguments]
        return subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False)


def weigh(checks: list[dict[str, Any]]) -> tuple[str, str]:
    """Return the word and the note for the checks of one scenario."""
    by: dict[str, list[dict[str, Any]]] = {}
    for check in checks:
        exempt = check["status"] == "FAILURE" and check["id"] in EXEMPT
        by.setdefault("EXEMPT" if exempt else check["status"], []).append(check)
    met = [check for check in by.get("SUCCESS", []) if not check["id"].startswith("wire-schema")]
    counted = {"ok": len(met), "not applicable": len(by.get("SKIPPED", [])), "exempt": len(by.get("EXEMPT", []))}
    note = ", ".join(f"{number} {what}" for what, number in counted.items() if number)
    unmet = [check for check in by.get("WARNING", []) if not check["id"].endswith("-session")]
    for word, found in (("FAIL", by.get("FAILURE", [])), ("WARN", unmet)):
        if found and (word == "FAIL" or not met):
            return word, "; ".join([*([note] if note else []), *map(_reason, found)])
    if not met:
        return "SKIP", "nothing applicable"
    return "PASS", "; ".join([note, *map(_reason, unmet)])


def _reason(check: dict[str, Any]) -> str:
    return f"{check['id']}: {' '.join((check.get('errorMessage') or '').split())[:150]}"
