"""Links to files that are too big to send inline: signed, for one caller, for a while."""

import mimetypes
import re
import time
import uuid
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import IO, Any

from django.core.exceptions import SuspiciousOperation
from django.core.files import File as DjangoFile
from django.core.files.storage import InvalidStorageError, Storage, storages
from django.http import HttpRequest
from django.urls import reverse

from django_mcp.approval.signing import Forged, Purpose, Signer
from django_mcp.conf import conf
from django_mcp.errors import NotFound
from django_mcp.host.requests import Context
from django_mcp.text import one_line
from django_mcp.types import Caller

APP = "django_mcp"
PREFIX = "mcp_file_"
FOLDER = "mcp"
# Without a suffix: a web server that serves the storage's folder must not take a file for a page or a program.
STORED_NAME = re.compile(r"[0-9a-f]{32}")
UNKNOWN_TYPE = "application/octet-stream"
# RFC 9110, section 8.3.1; it becomes a header.
_MEDIA_TYPE = re.compile(r"[\w!#$%&'*+.^`|~-]+/[\w!#$%&'*+.^`|~-]+(;[ -~]*)?", re.ASCII)
# No URL is longer.
_SIGNER = Signer(prefix=PREFIX, typ="MCP+FILE", purpose=Purpose.FILE_LINK, max_length=64 * 1024, expires=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """A file in one of the project's storages, an alias of `STORAGES`.

    `size` is in bytes, None where the storage cannot tell. `filename` is its name where a client saves it.
    """

    storage: str
    name: str
    media_type: str
    filename: str
    size: int | None

    @classmethod
    def of(cls, name: str, *, storage: str = "default", media_type: str = "", filename: str = "") -> "StoredFile":
        """Return the stored file of that name. Raises FileNotFoundError and SuspiciousFileOperation as storages do."""
        size = None
        with suppress(NotImplementedError):
            size = storages[storage].size(name)
        filename = _last_part(filename) or _last_part(name)
        media_type = media_type or mimetypes.guess_type(filename)[0] or UNKNOWN_TYPE
        return cls(
            storage=storage,
            name=name,
            media_type=media_type if _MEDIA_TYPE.fullmatch(media_type) else UNKNOWN_TYPE,
            filename=filename,
            size=size,
        )

    def open(self) -> Any:
        """Open the file to read bytes. Raises as storages do."""
        return storages[self.storage].open(self.name, "rb")


def store(content: IO[bytes], *, filename: str, media_type: str) -> StoredFile:
    """Keep content that is too big to send inline, under a name that nobody can guess."""
    alias = conf.RESOURCE_STORAGE
    storage: Storage = storages[alias]
    name = storage.save(f"{FOLDER}/{uuid.uuid4().hex}", DjangoFile(content))
    filename = filename or f"file{mimetypes.guess_extension(media_type.partition(';')[0]) or ''}"
    return StoredFile.of(name, storage=alias, media_type=media_type, filename=filename)


def link(stored: StoredFile, context: Context) -> dict[str, Any]:
    """Return the resource link by which the caller of `context`, and nobody else, can fetch the file."""
    claims = {**asdict(stored), "sub": context.caller.subject, "exp": int(time.time()) + conf.RESOURCE_LINK_EXPIRY}
    # The file may have another size by the time that it is fetched.
    del claims["size"]
    token = _SIGNER.sign(claims)
    block = {
        "type": "resource_link",
        "uri": context.outer.build_absolute_uri(_path(context.outer, token)),
        "name": stored.filename,
        "mimeType": stored.media_type,
    }
    return block if stored.size is None else {**block, "size": stored.size}


def linked(token: str, caller: Caller) -> StoredFile:
    """Return the file of a link.

    Raises NotFound for a link that was not made here, was made for another caller, has expired, or whose file is gone.
    """
    try:
        claims = _SIGNER.verify(token)
    except Forged:
        raise NotFound from None
    if claims.get("sub") != caller.subject:
        raise NotFound
    try:
        return StoredFile.of(
            claims["name"], storage=claims["storage"], media_type=claims["media_type"], filename=claims["filename"]
        )
    except (FileNotFoundError, NotADirectoryError, InvalidStorageError, SuspiciousOperation, KeyError):
        raise NotFound from None


def _path(outer: HttpRequest, token: str) -> str:
    """Return the path of a link beside the endpoint of the request: hosts may include it twice, and below arguments."""
    match = outer.resolver_match
    if match is None or match.app_names[-1:] != [APP]:
        return reverse(f"{APP}:file", args=[token])
    route = f"{match.namespace}:file"
    if match.args:
        return reverse(route, args=[*match.args, token])
    return reverse(route, kwargs={**match.kwargs, "token": token})


def _last_part(path: str) -> str:
    """Return the last part of a path of any system, as one line."""
    return one_line(path.replace("\\", "/").rstrip("/").rpartition("/")[2])
