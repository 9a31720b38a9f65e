"""What came of a call, in a form in which both ways of calling can be compared."""

import json
import math
from dataclasses import dataclass
from typing import Any

from asgiref.sync import async_to_sync
from django.utils.http import parse_header_parameters

from tests.differential import states
from tests.host import views

LARGEST = 2**53 - 1
CODES = {"validation_error": 400, "permission_denied": 403, "not_found": 404}


@dataclass(frozen=True)
class Outcome:
    """`data` is None where there is none to compare, `rows` all rows afterwards, `hooks` what ran after the commit."""

    status: int
    data: Any
    rows: dict[str, Any]
    hooks: tuple[str, ...]
    early: bool = False
    text: str = ""


def of_response(response: Any) -> Outcome:
    """Read what a REST client got."""
    return Outcome(response.status_code, _data(response), states.rows(), tuple(views.hooks))


def of_result(result: Any) -> Outcome:
    """Read what an agent got. `early` is True where the call was refused before the view saw it."""
    said = result.data
    status = said.get("httpStatus") or CODES.get(said.get("code", ""), 0)
    data = said.get("response")
    if said.get("location"):
        data = {"location": said["location"]}
    if isinstance(data, dict) and {"contentType", "uri"} <= set(data):
        # Where the file itself is to be had.
        del data["uri"]
    early = result.is_error and "httpStatus" not in said
    return Outcome(status, data, states.rows(), tuple(views.hooks), early, said.get("error", ""))


def _data(response: Any) -> Any:
    if 300 <= response.status_code < 400:
        return {"location": response.headers["Location"]}
    media_type, parameters = parse_header_parameters(response.headers.get("Content-Type", ""))
    content = async_to_sync(_content)(response)
    if response.status_code >= 500 and media_type != "application/json":
        return None
    if media_type.endswith("json"):
        try:
            return portable(json.loads(content)) if content else None
        except ValueError:
            media_type = "text/plain"
    if not content and not response.streaming:
        return None
    name = parse_header_parameters(response.headers.get("Content-Disposition", ""))[1].get("filename")
    content_type = response.headers["Content-Type"].partition(";")[0]
    described = {"contentType": content_type, "size": len(content), "filename": name}
    if media_type.startswith("text/"):
        try:
            return {**described, "text": content.decode(parameters.get("charset", "utf-8"))}
        except LookupError:
            pass
    return described


async def _content(response: Any) -> bytes:
    if response.streaming and response.is_async:
        return b"".join([chunk async for chunk in response.streaming_content])
    return response.getvalue()


def portable(value: Any) -> Any:
    """Return JSON values as every reader can hold them: long integers as text."""
    if isinstance(value, dict):
        return {name: portable(item) for name, item in value.items()}
    if isinstance(value, list):
        return [portable(item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > LARGEST:
        return str(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value
