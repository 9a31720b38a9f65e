"""How dangerous an operation is, as far as its HTTP method and its handler tell."""

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

    `ambiguous` says that the same code answers an unsafe method too: then a safe method promises nothing.
    """
    if hints is not None and hints.safety is not None:
        return hints.safety
    promised = _BY_METHOD.get(method.upper(), Safety.WRITE)
    if ambiguous and promised is Safety.READ_ONLY:
        return Safety.WRITE
    return promised


def is_ambiguous(methods: frozenset[str]) -> bool:
    """Tell whether a handler that answers all these `methods` may write when asked by a safe one.

    What its code does with the method cannot be told from outside, so only what the host declares says otherwise.
    """
    return len(methods) > 1 and any(infer(method) is not Safety.READ_ONLY for method in methods)
