"""An operation put together part by part, so that a part that fails takes no other with it."""

import copy
from collections.abc import Callable, Mapping
from typing import Any

from drf_spectacular.openapi import AutoSchema


class Partwise(AutoSchema):
    """Stands before AutoSchema and after the host's own subclasses of it, which may go on from what it returns.

    `own` is what it returned, as it was before that.
    """

    _attempt: Callable[[str, Callable[[], Any]], Any]
    own: Mapping[str, Any] | None = None

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
        operation |= {"requestBody": body} if body else {}
        self.own = operation if type(self).get_operation is Partwise.get_operation else copy.deepcopy(operation)
        return operation
