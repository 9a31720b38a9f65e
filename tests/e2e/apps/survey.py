"""Add django_mcp to an application, work with it, and say how that went."""

import contextlib
import json
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.e2e.apps.agent import Agent, Refused
from tests.e2e.apps.application import USER, Application, Project
from tests.e2e.apps.installation import install
from tests.e2e.apps.serving import serving
from tests.e2e.apps.stores import database
from tests.e2e.client import Client

SHOWN = ("django", "djangorestframework", "drf-spectacular")
COMMANDS = (("check",), ("check", "--deploy", "--fail-level", "ERROR"), ("mcp", "doctor"))


@dataclass
class Survey:
    """What was found out about one application."""

    application: Application
    versions: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    operations: dict[str, dict[str, str]] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)
    agent: Agent | None = None
    errors: list[str] = field(default_factory=list)

    @contextlib.contextmanager
    def timed(self, what: str) -> Iterator[None]:
        began = time.perf_counter()
        yield
        self.seconds[what] = time.perf_counter() - began

    @property
    def failed(self) -> bool:
        """Tell whether something went wrong that is not the application's own doing."""
        agent = self.agent
        if agent is None or self.errors or len(agent.described) < len(self.operations):
            return True
        return bool(agent.counts["schema faults"]) or any(line.startswith("EXPECTED") for line in agent.odd)

    def lines(self) -> Iterator[str]:
        """Yield the table, then what a person should look at."""
        yield f"{self.application.name}: " + ", ".join(f"{name} {version}" for name, version in self.versions.items())
        agent = self.agent
        rows = {f"{what}, seconds": f"{took:.1f}" for what, took in self.seconds.items()}
        for column in ("safety", "group"):
            values = [operation[column] for operation in self.operations.values()]
            rows |= {f"{column} {value}": str(values.count(value)) for value in sorted(set(values))}
        rows["operations"] = str(len(self.operations))
        rows["longest name"] = str(max(map(len, self.operations), default=0))
        if agent:
            rows |= {what: str(number) for what, number in sorted(agent.counts.items())}
            for kind, took in sorted(agent.seconds.items()):
                mean = 1000 * took / agent.counts[f"{kind}, calls"]
                slow, name = agent.slowest[kind]
                rows[f"{kind}, mean ms"] = f"{mean:.0f} (slowest {1000 * slow:.0f} {name})"
        width = max(map(len, rows))
        yield from (f"  {what.ljust(width)}  {value}" for what, value in rows.items())
        yield from (f"  ! {line}" for line in (agent.odd if agent else ()))
        for command, text in self.said.items():
            yield f"  $ {command}"
            yield from (f"    {line}" for line in text.splitlines())
        yield from (f"  ERROR {line}" for line in self.errors)


def survey(application: Application, cache: Path, keep: Path | None = None) -> Survey:
    """Install, add, expose, describe, read, write; environments and migrated databases are kept in the cache.

    `keep` names a folder for the server's log and the descriptions, to be read by a person.
    """
    found = Survey(application)
    cache.mkdir(parents=True, exist_ok=True)
    with found.timed("install"):
        installation = install(application.requirements, cache)
    found.versions = installation.versions(application.distribution, "django-mcp-confirm", *SHOWN)
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="app-")))
        store = stack.enter_context(database(application, installation, folder, found))
        project = Project(application, installation, folder, store)
        application.create(project)
        project.add_django_mcp()
        with found.timed("migrate"):
            project.manage("migrate", "--verbosity=0")
        application.prepare(project)
        key = expose(project, found)
        port = stack.enter_context(serving(project))
        client = stack.enter_context(Client(port, key))
        found.agent = Agent(client, found.operations)
        try:
            work(found.agent, found)
        finally:
            log = (folder / "server.log").read_text(errors="replace")
            if keep:
                keep.mkdir(parents=True, exist_ok=True)
                (keep / f"{application.name}.log").write_text(log)
                (keep / f"{application.name}.json").write_text(json.dumps(found.agent.described, indent=1))
            found.errors += [line[:300] for line in log.splitlines() if "ERROR" in line or "Traceback" in line][:40]
    return found


def expose(project: Project, found: Survey) -> str:
    """Expose every group, and by name what no group exposes; return a key that reaches all of it."""
    with found.timed("mcp operations"):
        found.operations = listed(project.manage("mcp", "operations").stdout)
    groups = sorted({operation["group"] for operation in found.operations.values()})
    found.said["mcp expose"] = project.manage("mcp", "expose", *groups).stdout
    own = [row["name"] for row in listed(project.manage("mcp", "operations").stdout).values() if row["exposed"] == "no"]
    if own:
        found.said["mcp expose, by name"] = project.manage("mcp", "expose", *own).stdout
    for command in COMMANDS:
        said = project.manage(*command, check=False)
        found.said[" ".join(command)] = f"{said.stdout}{said.stderr}exit {said.returncode}"
    arguments = ("--user", USER, "--all-groups", "--max-safety", "Destructive")
    return project.manage("mcp", "key", "create", "survey", *arguments).stdout.strip().splitlines()[-1]


def work(agent: Agent, found: Survey) -> None:
    with found.timed("find"):
        agent.find()
    with found.timed("describe all"):
        agent.describe()
    with found.timed("story"):
        try:
            found.application.story(agent)
        except Refused as refused:
            found.errors.append(f"The story stopped: {refused}")
    with found.timed("read all"):
        agent.read_all()


def listed(table: str) -> dict[str, dict[str, str]]:
    """Read what `mcp operations` printed: the rows by name, columns by their heads in lower case."""
    lines = table.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("NAME ") and " METHOD " in line)
    head = lines[start].split()
    starts = [lines[start].index(f" {word}") + 1 if number else 0 for number, word in enumerate(head)]
    ends = [*starts[1:], None]
    rows = [
        {word.lower(): line[begin:end].strip() for word, begin, end in zip(head, starts, ends, strict=True)}
        for line in lines[start + 1 :]
    ]
    return {row["name"]: row for row in rows if row["method"]}
