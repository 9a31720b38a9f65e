"""Content that a host's tool may return, text, pictures, sound, files and links, and its MCP blocks."""

import base64
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import IO, Any, ClassVar, Literal, get_args

from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from django_mcp import error_reports
from django_mcp.conf import conf
from django_mcp.host.requests import Context
from django_mcp.protocol.json import compact, plain
from django_mcp.replies import Attachment
from django_mcp.tools.links import StoredFile, link, store

Audience = Literal["user", "assistant"]
# The media types that MCP has a kind of content for; every other file is a link.
INLINE = ("image", "audio")


@dataclass(frozen=True, slots=True, kw_only=True)
class Content(ABC):
    """One piece of content. `audience` is for whom it is, `priority` how much it matters, from 0 to 1."""

    audience: Sequence[Audience] = ()
    priority: float | None = None

    def __post_init__(self) -> None:
        if isinstance(self.audience, str) or not set(self.audience) <= set(get_args(Audience)):
            msg = f"audience is a list of {' and '.join(get_args(Audience))}, not {self.audience!r}."
            raise ValueError(msg)
        if self.priority is not None and not 0 <= self.priority <= 1:
            msg = f"priority is between 0 and 1, not {self.priority!r}."
            raise ValueError(msg)

    def hints(self) -> dict[str, Any]:
        """Return the `annotations` member of the block, empty where there is neither audience nor priority."""
        annotations: dict[str, Any] = {}
        if self.audience:
            annotations["audience"] = list(self.audience)
        if self.priority is not None:
            annotations["priority"] = self.priority
        return {"annotations": annotations} if annotations else {}

    @abstractmethod
    def block(self, context: Context) -> dict[str, Any]:
        """Return the MCP content block for the caller of `context`."""


@dataclass(frozen=True, slots=True)
class Text(Content):
    """Plain text."""

    text: str

    def block(self, context: Context) -> dict[str, Any]:
        return {"type": "text", "text": self.text, **self.hints()}


@dataclass(frozen=True, slots=True)
class _Bytes(Content):
    kind: ClassVar[str]

    data: bytes | bytearray | memoryview | IO[bytes]
    media_type: str
    filename: str = ""

    def __post_init__(self) -> None:
        Content.__post_init__(self)
        if not self.media_type.startswith(f"{self.kind}/"):
            msg = f"media_type begins with {self.kind}/, not {self.media_type!r}; use File for other files."
            raise ValueError(msg)

    def block(self, context: Context) -> dict[str, Any]:
        data = self.data
        content: IO[bytes] = BytesIO(data) if isinstance(data, bytes | bytearray | memoryview) else data
        size = content.seek(0, os.SEEK_END)
        content.seek(0)
        block = _block(content, size=size, media_type=self.media_type, filename=self.filename, context=context)
        return {**block, **self.hints()}


@dataclass(frozen=True, slots=True)
class Image(_Bytes):
    """A picture, `media_type` such as `image/png`. One above `MAX_INLINE_RESOURCE_BYTES` becomes a link.

    `data` are bytes, or a seekable file to read them from, which stays open.
    """

    kind = "image"


@dataclass(frozen=True, slots=True)
class Audio(_Bytes):
    """Sound, `media_type` such as `audio/wav`. One above `MAX_INLINE_RESOURCE_BYTES` becomes a link.

    `data` are bytes, or a seekable file to read them from, which stays open.
    """

    kind = "audio"


@dataclass(frozen=True, slots=True)
class File(Content):
    """A file in one of the project's storages, sent as a link that the same caller can fetch for a while."""

    name: str
    storage: str = "default"
    media_type: str = ""
    filename: str = ""

    def block(self, context: Context) -> dict[str, Any]:
        stored = StoredFile.of(self.name, storage=self.storage, media_type=self.media_type, filename=self.filename)
        return {**link(stored, context), **self.hints()}


@dataclass(frozen=True, slots=True)
class ResourceLink(Content):
    """A link to a resource elsewhere, sent unchanged."""

    uri: str
    name: str
    title: str = ""
    description: str = ""
    media_type: str = ""
    size: int | None = None

    def block(self, context: Context) -> dict[str, Any]:
        optional = {
            "title": self.title,
            "description": self.description,
            "mimeType": self.media_type,
            "size": self.size,
        }
        members = {name: value for name, value in optional.items() if value not in {"", None}}
        return {"type": "resource_link", "uri": self.uri, "name": self.name, **members, **self.hints()}


@dataclass(frozen=True, slots=True)
class EmbeddedResource(Content):
    """A resource with its content: text, or bytes."""

    uri: str
    content: str | bytes
    media_type: str = ""

    def block(self, context: Context) -> dict[str, Any]:
        resource: dict[str, Any] = {"uri": self.uri}
        if self.media_type:
            resource["mimeType"] = self.media_type
        if isinstance(self.content, str):
            resource["text"] = self.content
        else:
            resource["blob"] = base64.b64encode(self.content).decode()
        return {"type": "resource", "resource": resource, **self.hints()}


def attached(attachment: Attachment | None, context: Context) -> tuple[tuple[Mapping[str, Any], ...], tuple[str, ...]]:
    """Return the content blocks of the file that a view answered, and notes on it.

    The view has done its work: a storage that fails costs the file, not the answer.
    """
    if attachment is None:
        return (), ()
    try:
        block = _block(
            attachment.content,
            size=attachment.size,
            media_type=attachment.media_type,
            filename=attachment.filename,
            context=context,
        )
    except Exception as error:  # noqa: BLE001 - reported; the answer has its id
        error_id = error_reports.report("The file of an answer could not be stored for its link.", error)
        return (), (f"The file could not be stored, so there is no link to it. Error id {error_id}.",)
    return (block,), ()


def _block(content: IO[bytes], *, size: int, media_type: str, filename: str, context: Context) -> dict[str, Any]:
    """Return the block of a file: small pictures and sound are inline, every other file is stored and linked."""
    kind = media_type.partition("/")[0]
    if kind in INLINE and size <= conf.MAX_INLINE_RESOURCE_BYTES:
        return {"type": kind, "data": base64.b64encode(content.read()).decode(), "mimeType": media_type}
    return link(store(content, filename=filename, media_type=media_type), context)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A tool's answer on the wire. `data` is its part in the record, `structured` is None for text and content."""

    data: Any
    structured: Mapping[str, Any] | None
    blocks: tuple[Mapping[str, Any], ...]


def rendered(answer: Any, context: Context) -> Rendered:
    """Return a tool's answer as MCP content.

    A mapping, a list without content in it (wrapped as `{"result": …}`), a serializer and a DRF response are
    structured and come as compact JSON text too. A string is text. Content stands for itself, alone or several in a
    list, beside at most one mapping.

    Raises TypeError for values that JSON cannot express, and for a second mapping beside content.
    """
    items = list(answer) if isinstance(answer, list | tuple) else [answer]
    if not any(isinstance(item, Content) for item in items):
        return _plain(answer)
    blocks: list[Mapping[str, Any]] = []
    structured: Mapping[str, Any] | None = None
    for item in items:
        if isinstance(item, Content):
            blocks.append(item.block(context))
            continue
        part = _plain(item)
        if structured is not None and part.structured is not None:
            msg = "A tool's answer holds at most one mapping beside its content; put all of it into one."
            raise TypeError(msg)
        structured = structured if part.structured is None else part.structured
        blocks.extend(part.blocks)
    return Rendered(data=structured or [_brief(block) for block in blocks], structured=structured, blocks=tuple(blocks))


def _plain(answer: Any) -> Rendered:
    if isinstance(answer, BaseSerializer | Response):
        answer = answer.data
    if isinstance(answer, str):
        return Rendered(data=answer, structured=None, blocks=({"type": "text", "text": answer},))
    value = {} if answer is None else plain(answer)
    structured = value if isinstance(value, dict) else {"result": value}
    return Rendered(data=structured, structured=structured, blocks=({"type": "text", "text": compact(structured)},))


def _brief(block: Mapping[str, Any]) -> dict[str, Any]:
    """Return a block without its content, for the record."""
    brief = {key: value for key, value in block.items() if key not in {"data", "resource"}}
    return {**brief, "uri": block["resource"]["uri"]} if "resource" in block else brief
