"""How dangerous an operation is, as far as its HTTP method and its handler tell."""

import inspect
from collections.abc import Callable
from typing import Any

from django_mcp.vocabulary import Hints, Safety

# RFC 9110, section 9.2.1: the safe methods. TRACE is safe too, but no API answers it.
_BY_METHOD = {
    "GET": Safety.READ_ONLY,
    "HEAD": Safety.READ_ONLY,
    "OPTIONS": Safety.READ_ONLY,
    "POST": Safety.WRITE,
    "PUT": Safety.WRITE,
    "PATCH": Safety.WRITE,
    "DELETE": Safety.DESTRUCTIVE,
}


def infer(method: str, *, ambiguous: bool = False, hints: Hints | None = None) -> Safety:
    """Return the safety of a method: what was declared, else what the method promises, else Write.

    `ambiguous` says that the same code answers an unsafe method too and does not tell the methods apart: then a
    safe method promises nothing.
    """
    if hints is not None and hints.safety is not None:
        return hints.safety
    promised = _BY_METHOD.get(method.upper(), Safety.WRITE)
    if ambiguous and promised is Safety.READ_ONLY:
        return Safety.WRITE
    return promised


def tells_methods_apart(function: Callable[..., Any] | None) -> bool:
    """Tell whether the code of a handler looks at `request.method`; code that cannot be seen does not."""
    code = getattr(inspect.unwrap(function), "__code__", None) if callable(function) else None
    return code is not None and "method" in code.co_names


def is_ambiguous(function: Callable[..., Any] | None, methods: frozenset[str]) -> bool:
    """Tell whether one handler answers safe and unsafe `methods` without looking which one it is."""
    unsafe = any(infer(method) is not Safety.READ_ONLY for method in methods)
    return unsafe and len(methods) > 1 and not tells_methods_apart(function)
