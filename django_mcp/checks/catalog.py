"""Whether the settings name operations that exist, and whether each operation has a name and a description."""

from collections.abc import Iterable, Sequence
from typing import Any

from asgiref.sync import iscoroutinefunction
from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning  # noqa: A004 - as Django names it

from django_mcp.access.server_config import API_TOOLS
from django_mcp.catalog.discovery import Catalog, get_catalog
from django_mcp.checks.settings import readable
from django_mcp.conf import conf
from django_mcp.doctor import GAPS
from django_mcp.schema.operations import schema_for
from django_mcp.tools.inventory import cure
from django_mcp.tools.registry import hosted_tools


def _catalog() -> Catalog | None:
    """Return the catalog; None where the settings cannot be read, or there is no URLconf to read it from."""
    return get_catalog() if readable() and getattr(settings, "ROOT_URLCONF", None) else None


def check_names(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Check that settings name what exists, that declarations do, and that no two operations share a name."""
    catalog = _catalog()
    if catalog is None:
        return []
    catalogs = [catalog, *_other_catalogs()]
    operations = [operation for each in catalogs for operation in each.operations]
    tools = hosted_tools()
    published = {operation.group for operation in operations}
    groups = published | {tool.group for tool in tools.values()} | {API_TOOLS}
    names = {operation.name for operation in operations} | tools.keys()
    excludable = {entry for each in catalogs for entry in each.excludable}
    messages: list[CheckMessage] = []
    for key, known in (
        ("TOOL_GROUPS", groups), ("USER_GROUPS", groups), ("TOOLS", names), ("EXCLUDE_OPERATIONS", excludable),
    ):  # fmt: skip
        fold = str.casefold if key == "EXCLUDE_OPERATIONS" else str
        folded = set(map(fold, known))
        for name in map(str, getattr(conf, key)):
            if fold(name) not in folded:
                text = f"DJANGO_MCP[{key!r}] names {name!r}, which does not exist."
                messages.append(Error(text, hint=cure(name, known), id="django_mcp.E017"))
    for name in map(str, conf.PUBLISH_AS):
        if name not in published:
            problem = "which has no operations to publish" if name in groups else "which does not exist"
            text = f"DJANGO_MCP['PUBLISH_AS'] names {name!r}, {problem}."
            messages.append(Warning(text, hint=cure(name, published), id="django_mcp.W001"))
    return [*messages, *_problems(catalog)]


def _other_catalogs() -> Iterable[Catalog]:
    """Return the catalogs of the URLconfs that other settings name: those of other hosts, or of the public tenant."""
    names = {getattr(settings, name) for name in dir(settings) if name.endswith("_URLCONF") and name != "ROOT_URLCONF"}
    return [get_catalog(name) for name in sorted(name for name in names if name and isinstance(name, str))]


def _problems(catalog: Catalog) -> Iterable[CheckMessage]:
    """Yield one message for each kind of problem, since every command of the project prints all messages.

    What restricts and is ignored is an error.
    """
    subjects_by_kind: dict[tuple[str, str, bool], list[str]] = {}
    for problem in catalog.problems:
        subjects_by_kind.setdefault((problem.text, problem.cure, problem.restricts), []).append(problem.subject)
    for (text, hint, restricts), subjects in subjects_by_kind.items():
        more = f" and {len(subjects) - 1} more (`manage.py mcp doctor --all` names them)" if len(subjects) > 1 else ""
        kind, code = (Error, "E018") if restricts else (Warning, "W002")
        yield kind(f"{subjects[0]}{more}: {text}", hint=hint, id=f"django_mcp.{code}")


def check_descriptions(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Check that every operation can be described, by building each schema once."""
    catalog = _catalog()
    messages: list[CheckMessage] = []
    for operation in catalog.operations if catalog else ():
        gaps = [GAPS[note] for note in schema_for(operation).notes if note in GAPS]
        if gaps:
            handler = f"{operation.view_class.__module__}.{operation.view_class.__qualname__}.{operation.handler}"
            parts = " and ".join(gap.part for gap in gaps)
            messages.append(
                Warning(
                    f"Agents are not told all of {operation.name}: nothing describes {parts}.",
                    hint=f"Declare at {handler}: {'; '.join(dict.fromkeys(gap.declared_by for gap in gaps))}.",
                    obj=operation.name,
                    id="django_mcp.W015",
                )
            )
    return messages


def check_dry_runs(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Check that whatever is tried for its proposal can be undone: Django runs no async view in a transaction."""
    catalog = _catalog()
    return [
        Error(
            f"{operation.name} cannot be tried in advance: its view is async, and runs in no transaction.",
            hint="Leave out mcp_operation(dry_run=True), or make it a callable that works out the preview.",
            obj=operation.name,
            id="django_mcp.E016",
        )
        for operation in (catalog.operations if catalog else ())
        if operation.hints.dry_run is True and iscoroutinefunction(operation.callback)
    ]
