"""Links to files that are too big to send inline: signed, for one caller, for a while."""

import mimetypes
import time
import uuid
from dataclasses import asdict, dataclass
from pathlib import PurePosixPath
from typing import IO, Any

import jwt
from django.core.exceptions import SuspiciousOperation
from django.core.files import File as DjangoFile
from django.core.files.storage import InvalidStorageError, Storage, storages
from django.urls import reverse

from django_mcp.approval.keyring import link_keys
from django_mcp.conf import conf
from django_mcp.errors import NotFound
from django_mcp.redaction import one_line
from django_mcp.requests import Context
from django_mcp.vocabulary import Caller

ALGORITHM = "HS256"
# A confirmation token must not open a file, nor a link confirm anything: they differ in type as well as in key.
TYPE = "MCP+FILE"
FOLDER = "mcp"
UNKNOWN_TYPE = "application/octet-stream"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """A file in one of the project's storages, an alias of `STORAGES`. `size` is in bytes."""

    storage: str
    name: str
    media_type: str
    filename: str
    size: int

    @classmethod
    def of(cls, name: str, *, storage: str = "default", media_type: str = "", filename: str = "") -> "StoredFile":
        """Return what there is of that name. Raises FileNotFoundError and SuspiciousFileOperation as storages do."""
        filename = filename or PurePosixPath(name).name
        return cls(
            storage=storage,
            name=name,
            media_type=media_type or mimetypes.guess_type(filename)[0] or UNKNOWN_TYPE,
            filename=one_line(filename),
            size=storages[storage].size(name),
        )

    def open(self) -> Any:
        """Open the file to read bytes."""
        return storages[self.storage].open(self.name, "rb")


def store(content: IO[bytes], *, filename: str, media_type: str) -> StoredFile:
    """Keep content that is too big to send inline, under a name that nobody can guess."""
    alias = conf.RESOURCE_STORAGE
    storage: Storage = storages[alias]
    suffix = PurePosixPath(filename).suffix or mimetypes.guess_extension(media_type) or ""
    name = storage.save(f"{FOLDER}/{uuid.uuid4().hex}{suffix}", DjangoFile(content))
    return StoredFile.of(name, storage=alias, media_type=media_type, filename=filename)


def link(stored: StoredFile, context: Context) -> dict[str, Any]:
    """Return the resource link by which the caller of `context`, and nobody else, can fetch the file."""
    said = {**asdict(stored), "sub": context.caller.subject, "exp": int(time.time()) + conf.RESOURCE_LINK_EXPIRY}
    token = jwt.encode(said, link_keys()[0], algorithm=ALGORITHM, headers={"typ": TYPE})
    return {
        "type": "resource_link",
        "uri": context.outer.build_absolute_uri(reverse("django_mcp:file", args=[token])),
        "name": stored.filename or PurePosixPath(stored.name).name,
        "mimeType": stored.media_type,
        "size": stored.size,
    }


def linked(token: str, caller: Caller) -> StoredFile:
    """Return the file of a link.

    Raises NotFound for a link that was not made here, was made for another caller, has expired, or whose file is gone.
    """
    for key in link_keys():
        try:
            found = jwt.decode_complete(
                token, key, algorithms=[ALGORITHM], options={"require": ["exp"], "verify_sub": False}
            )
        except jwt.InvalidTokenError:
            continue
        said = found["payload"]
        if found["header"].get("typ") != TYPE or said.get("sub") != caller.subject:
            break
        return _existing(said)
    raise NotFound


def _existing(said: dict[str, Any]) -> StoredFile:
    try:
        return StoredFile.of(
            said["name"], storage=said["storage"], media_type=said["media_type"], filename=said["filename"]
        )
    except (FileNotFoundError, InvalidStorageError, SuspiciousOperation, KeyError):
        raise NotFound from None
