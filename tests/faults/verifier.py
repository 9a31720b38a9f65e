"""A process that verifies mutations of tokens of its own, and prints as JSON how they were refused.

    python -m tests.faults.verifier SEED COUNT

The one place of these tests that imports the package's inside: a request over HTTP takes a hundred times as long.
"""

import json
import logging
import random
import sys
import uuid
from collections import Counter
from typing import Any

PER_TOKEN = 1000
SHOWN = 100


def main(seed: str, count: int) -> dict[str, Any]:
    """Verify that many mutations; return how many tokens they were made of, the verdicts, and what was violated."""
    import django

    django.setup()
    # Each refusal is worth a line to an operator, and a million of them here nothing.
    logging.disable(logging.WARNING)
    from django_mcp.approval.tokens import verify
    from django_mcp.errors import ToolError
    from tests.e2e import tokens
    from tests.faults.mutations import mutants

    chance = random.Random(seed)
    verdicts: Counter[str] = Counter()
    violations: list[str] = []
    for start in range(0, count, PER_TOKEN):
        issued = _claims(chance)
        token = tokens.signed(issued)
        # A verifier that refuses everything would refuse all mutations too.
        if verify(token).jti != issued["jti"]:
            violations.append(f"{token} itself is not understood")
        source = mutants(token, chance)
        for _ in range(min(PER_TOKEN, count - start)):
            kind, mutant = next(source)
            try:
                verdict, claims = "success", verify(mutant)
                violations.append(f"{kind}: {mutant!r} is taken for {claims}; it was made from {token}")
            except ToolError as error:
                verdict = error.code
            except Exception as error:
                verdict = type(error).__name__
                violations.append(f"{kind}: {mutant!r} raises {error!r}")
            verdicts[verdict] += 1
    return {"tokens": -(-count // PER_TOKEN), "verdicts": verdicts, "violations": violations[:SHOWN]}


def _claims(chance: random.Random) -> dict[str, Any]:
    now = chance.randrange(1_700_000_000, 1_900_000_000)
    return {
        "sub": f"key:{chance.randrange(1, 1000)}",
        "tool": "api_call",
        "target": "CreateCoffeeShopOrder",
        "args_hash": f"{chance.getrandbits(256):064x}",
        "iat": now,
        "exp": now + 300,
        "jti": str(uuid.UUID(int=chance.getrandbits(128), version=4)),
    }


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], int(sys.argv[2]))))
