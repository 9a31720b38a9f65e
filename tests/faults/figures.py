"""What a scenario's cases came to, as lines of a table."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tests.faults.invariants import History, Rules

NOT_REFUSALS = ("success", "requires_confirmation")
HEADINGS = ("case", "tokens", "redemptions", "executions", "succeeded", "refused, by code", "seconds", "violations")


@dataclass
class Figures:
    """`tokens` were redeemed, or mutated; `verdicts` is what each attempt was told, `notes` what else is to be known.

    `overlapping` counts the losers of a race who were told that the winner was still at it.
    """

    case: str
    tokens: int = 0
    executions: int = 0
    verdicts: "Counter[str]" = field(default_factory=Counter)
    overlapping: int = 0
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)

    def add(self, histories: Iterable[History], rules: Rules) -> None:
        for history in histories:
            self.tokens += 1
            self.executions += len(history.executions)
            self.verdicts += history.verdicts
            self.overlapping += sum(attempt.outcome == "unknown" for attempt in history.answers)
            self.violations += rules.violations(history)

    def cells(self) -> tuple[str, ...]:
        refused = {name: many for name, many in self.verdicts.most_common() if name not in NOT_REFUSALS}
        return (
            self.case,
            f"{self.tokens:,}",
            f"{self.verdicts.total():,}",
            f"{self.executions:,}",
            f"{self.verdicts['success']:,}",
            ", ".join(f"{name} {many:,}" for name, many in refused.items()) or "-",
            f"{self.seconds:.0f}",
            str(len(self.violations)),
        )


def table(figures: Sequence[Figures]) -> str:
    """Return the figures under their headings, in columns."""
    rows = [HEADINGS, *(figure.cells() for figure in figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    text_columns = (0, 5)
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column in text_columns else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
