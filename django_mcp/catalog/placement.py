"""Where arguments go in a request, also those that nobody described."""

from collections.abc import Mapping
from typing import Any, Literal

from django_mcp.vocabulary import Argument


class FreePlacement(dict[str, Argument]):
    """A placement in which every argument that it does not know has one place: the body, or the query without one."""

    def __init__(self, known: Mapping[str, Argument], location: Literal["body", "query"]) -> None:
        super().__init__(known)
        self.location = location

    def __missing__(self, name: str) -> Argument:
        return Argument(location=self.location, wire=name)

    def get(self, name: str, default: Any = None) -> Any:
        return self[name]
