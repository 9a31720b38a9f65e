"""Whether the settings name operations that exist, and whether each operation has a name and a description."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Warning  # noqa: A004 - as Django names it

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
    """Check that settings name what exists, and that no two operations share a name."""
    catalog = _catalog()
    if catalog is None:
        return []
    tools = hosted_tools()
    published = {operation.group for operation in catalog.operations}
    groups = published | {tool.group for tool in tools.values()} | {API_TOOLS}
    names = {operation.name for operation in catalog.operations} | tools.keys()
    messages: list[CheckMessage] = []
    for key, known in (
        ("TOOL_GROUPS", groups), ("USER_GROUPS", groups), ("TOOLS", names), ("PUBLISH_AS", published),
    ):  # fmt: skip
        for name in getattr(conf, key):
            if name not in known:
                problem = "which has no operations to publish" if name in groups else "which does not exist"
                text = f"DJANGO_MCP[{key!r}] names {name!r}, {problem}."
                messages.append(Warning(text, hint=cure(str(name), known), id="django_mcp.W001"))
    return [*messages, *_problems(catalog)]


def _problems(catalog: Catalog) -> Iterable[CheckMessage]:
    """Yield one message for each kind of problem, since every command of the project prints all messages."""
    subjects_by_kind: dict[tuple[str, str], list[str]] = {}
    for problem in catalog.problems:
        subjects_by_kind.setdefault((problem.text, problem.cure), []).append(problem.subject)
    for (text, hint), subjects in subjects_by_kind.items():
        more = f" and {len(subjects) - 1} more (`manage.py mcp doctor --all` names them)" if len(subjects) > 1 else ""
        yield Warning(f"{subjects[0]}{more}: {text}", hint=hint, id="django_mcp.W002")


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
