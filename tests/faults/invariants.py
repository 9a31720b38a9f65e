"""What must hold for every token, whatever broke while it was redeemed."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tests.faults.attempts import Attempt

# Whoever is told one of these knows that the own call ran nothing.
REFUSALS = frozenset({
    "confirmation_used", "confirmation_expired", "confirmation_invalid", "target_changed", "unavailable",
})  # fmt: skip
# What else a redemption may be told where the database or the operation failed in the middle of it.
FAILURES = frozenset({"internal_error", "outcome_unknown"})
CUT_OFF = frozenset({"no answer"})
# A server that cannot read its own configuration or keys says so in the protocol's words.
BROKEN = frozenset({"HTTP 200, -32603"})
OPEN = frozenset({"issued", "approved"})
# The outcome that a repeat names for a row in each state.
OUTCOMES = {
    "succeeded": "succeeded",
    "rejected": "rejected",
    "unknown": "unknown",
    "executing": "unknown",
    "not_executed": "not_executed",
}


@dataclass(frozen=True)
class History:
    """One token: what each redemption was told, what a later one was told when all was well, and what the stores hold.

    `executions` holds, for each run of the view, how often the token had been consumed in each committed row that it
    saw executing; None where it could not look.
    """

    name: str
    answers: Sequence[Attempt]
    repeat: Attempt
    executions: Sequence[list[int] | None]
    orders: int
    state: str
    events: Sequence[str]

    @property
    def verdicts(self) -> "Counter[str]":
        return Counter(attempt.verdict for attempt in (*self.answers, self.repeat))


@dataclass(frozen=True)
class Rules:
    """What a scenario allows. By default nothing broke: one redemption succeeds and all others learn that it did.

    `verdicts` may come as well; `lossy` where records, connections or processes may be lost on the way; `unused` are
    the refusals with which a token may end that never ran, such as the one of its time being over. `end` is how it
    must have ended, where that is known: the row's state, how often it ran, how many orders there are.
    """

    verdicts: frozenset[str] = field(default=frozenset())
    lossy: bool = False
    unused: frozenset[str] = field(default=frozenset())
    end: tuple[str, int, int] | None = None

    def violations(self, history: History) -> list[str]:
        """Return what is wrong with a history; each as a sentence that names the customer."""
        checks = (_single_use, _recorded, _truthful, self._documented, self._settled)
        complaints = [complaint for check in checks for complaint in check(history)]
        return [f"{history.name}: {complaint} ({_summary(history)})" for complaint in complaints]

    def _documented(self, history: History) -> Iterator[str]:
        allowed = {"success", "confirmation_used"} | self.verdicts | self.unused
        for verdict in history.verdicts.keys() - allowed:
            yield f"was answered {verdict}"
        for attempt in (*history.answers, history.repeat):
            if attempt.leak:
                yield f"an answer shows {attempt.leak!r}"

    def _settled(self, history: History) -> Iterator[str]:
        """Check how it ended: without faults in one success."""
        end = (history.state, len(history.executions), history.orders)
        if self.end not in {None, end}:
            yield f"it should be {self.end}"
        over = history.repeat.verdict in self.unused
        if history.repeat.verdict not in {"success", "confirmation_used"} and not over:
            yield f"a repeat is refused with {history.repeat.verdict}"
        if history.state in OPEN and not over:
            yield "a repeat leaves it open"
        if self.lossy or over:
            return
        if end != ("succeeded", 1, 1):
            yield "it did not end in one execution"
        if history.verdicts["success"] != 1:
            yield f"{history.verdicts['success']} redemptions succeeded"


# Whoever comes while a winner changes the row sees it changed.
CHANGED = Rules(verdicts=frozenset({"target_changed"}))


def _single_use(history: History) -> Iterator[str]:
    if len(history.executions) > 1:
        yield f"it ran {len(history.executions)} times"
    if history.orders > 1:
        yield f"there are {history.orders} orders of it"
    if history.orders > len(history.executions):
        yield "there is an order that no execution made"
    if history.verdicts["success"] > 1:
        yield "it succeeded more than once"


def _recorded(history: History) -> Iterator[str]:
    """Check that an execution had its row and event before it ran, and at most one final event after."""
    events = Counter(history.events)
    claims = events["token_consumed"] - events["given_back"]
    for consumed in history.executions:
        if consumed is not None and (len(consumed) != 1 or consumed[0] < 1):
            yield f"it ran before its claim was committed: {consumed}"
    if events["token_issued"] != 1:
        yield f"it was issued {events['token_issued']} times"
    if claims != (history.state not in OPEN | {"expired", "not_executed"}):
        yield f"it is {history.state}, and was consumed {claims} times more than given back"
    final = 1 if history.state in {"succeeded", "rejected"} else 0
    if not final <= events["executed"] <= 1:
        yield f"it is {history.state} and has {events['executed']} final events"
    if events["executed"] and not claims:
        yield "it has a final event, and was never claimed"


def _truthful(history: History) -> Iterator[str]:
    """Check that nobody was told what is not so, and that a repeat tells what became of it."""
    verdicts = history.verdicts
    if verdicts["success"] and (history.orders, len(history.executions)) != (1, 1):
        yield "a redemption succeeded without an order"
    ran = verdicts.keys() - REFUSALS
    if history.executions and not ran:
        yield "it ran, and whoever ran it was told that nothing did"
    if history.orders and not ran - {"internal_error"}:
        yield "it placed an order, and whoever ran it was told that nothing was changed"
    if history.repeat.verdict == "confirmation_used" and history.repeat.outcome != OUTCOMES.get(history.state):
        yield f"it is {history.state}, and a repeat says {history.repeat.outcome or 'nothing'}"
    if any(attempt.verdict == "confirmation_used" and not attempt.outcome for attempt in history.answers):
        yield "a replay says nothing of what became of it"
    if history.state == "succeeded" and history.orders != 1:
        yield "the record has a success of which there is no order"
    if history.state in OPEN | {"expired", "not_executed"} and history.executions:
        yield f"it is {history.state}, and it ran"


def _summary(history: History) -> str:
    verdicts = ", ".join(f"{many} {verdict}" for verdict, many in sorted(history.verdicts.items()))
    return f"{history.state}; {verdicts}; {' '.join(history.events)}; {len(history.executions)} run, {history.orders} order"
