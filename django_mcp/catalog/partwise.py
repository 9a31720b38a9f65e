"""An operation put together part by part, so that a part that fails takes no other with it."""

from collections.abc import Callable
from typing import Any

from drf_spectacular.openapi import AutoSchema


class Partwise(AutoSchema):
    """Stands before AutoSchema and after the host's own subclasses of it, which may go on from what it returns."""

    _attempt: Callable[[str, Callable[[], Any]], Any]

    def get_operation(self, path: str, path_regex: str, path_prefix: str, method: str, registry: Any) -> dict[str, Any]:
        self.registry = registry
        self.path, self.path_regex, self.path_prefix, self.method = path, path_regex, path_prefix, method.upper()
        operation = {
            "operationId": self.get_operation_id(),
            "description": self._attempt("description", self.get_description) or "",
            "tags": self.get_tags(),
            "parameters": self._attempt("parameters", self._get_parameters) or [],
            "responses": self._attempt("response", self._get_response_bodies) or {},
        }
        # Absent where there is none, as hosts that add one look for it.
        body = self._attempt("body", self._get_request_body)
        return {**operation, "requestBody": body} if body else operation
