"""Files that are nowhere, in a storage that cannot seek."""

import io

from django.core.files.base import File
from django.core.files.storage import Storage

CONTENT = bytes(range(256)) * 3
MEGABYTE = 1024 * 1024
opened = []


class Zeros(io.RawIOBase):
    """A file of 40 MB that is nowhere."""

    def __init__(self):
        self.left = 40 * MEGABYTE

    def readable(self):
        return True

    def read(self, size=-1):
        size = min(self.left, size)
        self.left -= size
        return b"\0" * size


class Odd(Storage):
    """A storage that cannot seek, and in which only some files can be measured."""

    def _open(self, name, mode="rb"):
        file = File(Zeros() if name == "zeros" else Pipe(CONTENT))
        opened.append(file)
        return file

    def size(self, name):
        if name == "unmeasured":
            raise NotImplementedError
        if name == "broken":
            raise OSError("the disk secret=hunter2 is gone")
        return 40 * MEGABYTE if name == "zeros" else len(CONTENT)


class Pipe(io.BytesIO):
    def seekable(self):
        return False


def body(response):
    return b"".join(response.streaming_content)
