"""What an agent does with an application that it does not know: all of it is done over HTTP, and counted."""

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.e2e.apps.schemas import faults, free_form
from tests.e2e.client import Client

BATCH = 10


class Refused(Exception):
    """A write of the story did not happen."""


@dataclass
class Agent:
    """A caller with one key. `writes` and `reads` tell how each call ended, `odd` what a person should look at."""

    client: Client
    operations: dict[str, dict[str, str]]
    described: dict[str, dict[str, Any]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    seconds: Counter[str] = field(default_factory=Counter)
    slowest: dict[str, tuple[float, str]] = field(default_factory=dict)
    odd: list[str] = field(default_factory=list)

    def tool(self, kind: str, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Call a tool and return its structured result; its time counts under `kind`."""
        began = time.perf_counter()
        answer = self.client.tool(tool, arguments)
        took = time.perf_counter() - began
        self.seconds[kind] += took
        self.counts[f"{kind}, calls"] += 1
        self.slowest[kind] = max(self.slowest.get(kind, (0.0, "")), (took, str(arguments.get("name") or "")))
        return dict(answer.structured)

    def find(self) -> None:
        """Count the operations that are found at all by a search without words, tag by tag."""
        tags = {operation["group"] for operation in self.operations.values()}
        found: set[str] = set()
        for tag in sorted(tags):
            for safety in ("ReadOnly", "Write", "Destructive"):
                answer = self.tool("search", "api_search", {"tag": tag, "safety": safety, "take": 100})
                found |= {api["name"] for api in answer["apis"]}
        self.counts["found by tag and safety, at most 100 each"] = len(found)

    def describe(self) -> None:
        """Describe every operation, ten at a time, and look at each schema as a strict client would."""
        names = sorted(self.operations)
        for start in range(0, len(names), BATCH):
            for api in self.tool("describe", "api_describe", {"names": names[start : start + BATCH]})["apis"]:
                self._described(api)

    def _described(self, api: dict[str, Any]) -> None:
        name = api["name"]
        if "error" in api:
            self.counts["describe, out of reach"] += 1
            self.odd.append(f"not described: {name}: {api['error']}")
            return
        self.described[name] = api
        self.counts["described"] += 1
        for note in api.get("notes", ()):
            self.counts[f"note: {note}"] += 1
        found = free_form(api)
        self.counts.update(found)
        for fault in faults(api):
            self.counts["schema faults"] += 1
            self.odd.append(f"schema of {name}: {fault}")

    def read_all(self) -> None:
        """Read every operation that needs no argument, then the first row of each list."""
        from tests.e2e.apps.schemas import misfits

        for name, api in self.described.items():
            if api["tool"]["name"] != "api_read" or api["inputSchema"].get("required"):
                continue
            answer = self.read("read", name, {})
            self.odd += [f"answer of {name}: {misfit}" for misfit in misfits(api, answer)]
            for detail, args in self._details(api, answer):
                seen = self.read("read one", detail, args)
                self.odd += [f"answer of {detail}: {misfit}" for misfit in misfits(self.described[detail], seen)]

    def _details(self, listing: dict[str, Any], answer: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the operations that look at one row of a listing, with the first row's key."""
        response = answer.get("response")
        rows = response.get("results") if isinstance(response, dict) else response
        if not isinstance(rows, list) or not rows or not isinstance(rows[0], dict):
            return
        for name, api in self.described.items():
            hole = api["route"].removeprefix(listing["route"])
            if api["tool"]["name"] != "api_read" or not hole.startswith("{") or hole.count("{") > 1:
                continue
            argument = hole[1 : hole.index("}")]
            if argument in rows[0]:
                yield name, {argument: rows[0][argument]}

    def read(self, kind: str, name: str, args: dict[str, Any]) -> dict[str, Any]:
        answer = self.tool(kind, "api_read", {"name": name, "args": args})
        self._ended(kind, name, answer)
        return answer

    def write(self, name: str, args: dict[str, Any]) -> Any:
        """Propose and confirm; return what the view answered. Raises Refused where it was not carried out."""
        proposal = self.tool("propose", "api_call", {"name": name, "args": args})
        if proposal["status"] != "requires_confirmation":
            self._ended("propose", name, proposal)
            raise Refused(f"{name}: {proposal}")
        self.counts["propose: requires_confirmation"] += 1
        self.odd += [f"proposal of {name}: {warning}" for warning in proposal.get("warnings", ())]
        token = proposal["confirmationToken"]
        answer = self.tool("confirm", "api_call", {"name": name, "args": args, "confirmationToken": token})
        self._ended("confirm", name, answer)
        if answer["status"] != "success":
            raise Refused(f"{name}: {answer}")
        replay = self.tool("replay", "api_call", {"name": name, "args": args, "confirmationToken": token})
        self.counts[f"replay: {replay.get('code')}"] += 1
        return answer.get("response")

    def attempt(self, name: str, args: dict[str, Any]) -> None:
        """Propose and confirm, and note for a person how it ended, whatever that is."""
        answer = self.tool("attempt", "api_call", {"name": name, "args": args})
        if answer["status"] == "requires_confirmation":
            token = answer["confirmationToken"]
            answer = self.tool("attempt", "api_call", {"name": name, "args": args, "confirmationToken": token})
        self.odd.append(
            f"attempt: {name}: {answer['status']} {answer.get('code', '')} {str(answer.get('error'))[:300]}"
        )

    def expect(self, code: str, name: str, args: dict[str, Any]) -> None:
        """Make a call that must be refused with `code`, at the proposal or, where only the view's code knows, when it runs."""
        answer = self.tool("refused", "api_call", {"name": name, "args": args})
        if answer["status"] == "requires_confirmation":
            token = answer["confirmationToken"]
            answer = self.tool("refused", "api_call", {"name": name, "args": args, "confirmationToken": token})
            self.counts["refused only when it ran"] += 1
        how = answer.get("code", answer["status"])
        self.counts[f"refused: {how}"] += 1
        word = "refused as expected" if how == code else f"EXPECTED {code}"
        self.odd.append(f"{word}: {name}: {how}: {str(answer.get('error'))[:300]}")

    def _ended(self, kind: str, name: str, answer: dict[str, Any]) -> None:
        how = answer["status"] if answer["status"] != "error" else answer["code"]
        self.counts[f"{kind}: {how}"] += 1
        if answer["status"] == "error":
            self.odd.append(f"{kind} {name}: {answer['code']} {answer.get('httpStatus', '')}: {answer['error'][:300]}")
            if details := answer.get("errors") or answer.get("details"):
                self.odd.append(f"    {details}")
