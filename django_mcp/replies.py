"""What came back from the host's code: the replies of its views and functions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Attachment:
    """A file that a view answered, open at its beginning; `size` is in bytes. Whoever runs the call closes it."""

    content: IO[bytes]
    media_type: str
    filename: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the host's code answered, already plain JSON values. `status` is an HTTP status, also of a tool's function.

    `rolled_back`: it ran in a transaction that was undone. `error_id` names an exception's log line, `public_text` is
    what a 5xx says to clients, `retry_after` is in seconds. `error` stands in the answer's place. `writes` are those
    that a call which is declared to read meant for a database; `write_refused`: they did not get there.
    """

    status: int
    data: Any = None
    retry_after: int | None = None
    rolled_back: bool = False
    error_id: str = ""
    public_text: str = ""
    error: Exception | None = None
    writes: tuple[str, ...] = ()
    write_refused: bool = False

    @property
    def ok(self) -> bool:
        return self.status < 400

    @property
    def http_status(self) -> int | None:
        """Return the status that a view answered; None where no view did."""
        return self.status

    def close(self) -> None:
        """Close what came open with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewReply(Reply):
    """What a view answered. `attachment` is the file that `data` describes."""

    notes: tuple[str, ...] = ()
    location: str | None = None
    attachment: Attachment | None = None

    def close(self) -> None:
        if self.attachment is not None:
            self.attachment.content.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionReply(Reply):
    """What a host's function answered: `structured` and `blocks` are its result, `question` is what it asks instead."""

    structured: Mapping[str, Any] | None = None
    blocks: tuple[Mapping[str, Any], ...] = ()
    question: Mapping[str, Any] | None = None

    @property
    def http_status(self) -> int | None:
        return None
