"""The progress of the host's code through its transactions, which decides whether anything of a call can remain."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from django.db import IntegrityError, connections, transaction

from django_mcp.host import read_guard
from django_mcp.host.read_guard import Write


def atomic_aliases() -> tuple[str, ...]:
    """Return the aliases of the databases that `ATOMIC_REQUESTS` asks transactions for."""
    return tuple(alias for alias, options in connections.settings.items() if options["ATOMIC_REQUESTS"])


@dataclass(slots=True)
class Progress:
    """One run of the host's code with a transaction on each of the databases `aliases`.

    `returned` is True once the code itself has returned, `undone` where its transactions are rolled back although it
    did. `elsewhere` are its writes to other databases.
    """

    aliases: Sequence[str]
    started: bool = False
    returned: bool = False
    undone: bool = False
    committed: bool = False
    elsewhere: list[Write] = field(default_factory=list)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Collect the writes to the other databases: they stay, whatever becomes of these transactions."""
        other_aliases = [alias for alias in connections if self.aliases and alias not in self.aliases]
        with read_guard.noticing(other_aliases) as self.elsewhere:
            yield

    def await_commit(self) -> None:
        """Note the commit of any of the transactions; to be called within them."""
        for alias in self.aliases:
            transaction.on_commit(self._mark_committed, using=alias)

    def nothing_remains(self, error: Exception) -> bool:
        """Tell, after an exception, whether every write of the run is undone for sure."""
        if not self.started:
            return True
        if not self.aliases or self.committed or self.elsewhere:
            return False
        # A commit that fails may have arrived all the same; only a violated constraint proves that nothing was stored.
        return self.undone or not self.returned or isinstance(error, IntegrityError)

    def _mark_committed(self) -> None:
        self.committed = True
