"""What a host says of its tools, checked when the project starts."""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from rest_framework.serializers import BaseSerializer

from django_mcp.vocabulary import Caller, Safety

NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")


@dataclass(frozen=True, kw_only=True, eq=False)
class HostedTool:
    """What `mcp_tool` said of a function, checked. Exactly one of serializer and raw schema may describe a side."""

    function: Callable[[Caller, Mapping[str, Any]], Any]
    name: str
    group: str
    safety: Safety | None = None
    title: str = ""
    description: str = ""
    input: type[BaseSerializer[Any]] | None = None
    output: type[BaseSerializer[Any]] | None = None
    input_schema: Mapping[str, Any] | None = None
    output_schema: Mapping[str, Any] | None = None
    permissions: Any = ()
    requires_approval: bool = False
    summary: Callable[[Caller, Mapping[str, Any]], str] | None = None
    sensitive_fields: tuple[str, ...] = ()
    atomic: bool | None = None
    annotations: Mapping[str, Any] = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)
    icons: tuple[Mapping[str, Any], ...] = ()

    def __post_init__(self) -> None:
        for problem in _problems(self):
            msg = f"The MCP tool {self.name!r} of {self.function.__module__} {problem}"
            raise ImproperlyConfigured(msg)

    @property
    def acts_as(self) -> Safety:
        """Return its safety; what is not declared counts as a write."""
        return self.safety or Safety.WRITE


def _problems(tool: HostedTool) -> Iterator[str]:
    if not NAME.fullmatch(tool.name):
        yield "needs a name of 1 to 40 letters, digits, _ and -; clients put prefixes before it."
    if not tool.group:
        yield "needs a group."
    if not tool.description:
        yield "needs a description: write a docstring, or pass description=."
    yield from _side_problems("input", tool.input, tool.input_schema)
    yield from _side_problems("output", tool.output, tool.output_schema)
    if not (callable(tool.permissions) or isinstance(tool.permissions, tuple)):
        yield "needs permissions as a list of names or a callable that takes the caller."
    try:
        inspect.signature(tool.function).bind(None, {})
    except TypeError:
        yield "must take the caller and the arguments: def tool(caller, data)."


def _side_problems(kind: str, serializer: Any, schema: Mapping[str, Any] | None) -> Iterator[str]:
    if serializer is not None and not (isinstance(serializer, type) and issubclass(serializer, BaseSerializer)):
        yield f"needs a DRF serializer class as {kind}, or {kind}_schema= for a JSON Schema."
    if schema is None:
        return
    if serializer is not None:
        yield f"has both {kind}= and {kind}_schema=; keep one of them."
    if schema.get("type") != "object":
        yield f'needs "type": "object" at the root of {kind}_schema; MCP takes nothing else there.'
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        yield f"has an {kind}_schema that is no JSON Schema 2020-12: {error.message}."
