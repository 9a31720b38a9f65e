"""Latte art as PNG pictures, drawn pixel by pixel with nothing but the standard library."""

import math
import struct
import zlib
from collections.abc import Callable, Iterator

SIZE = 200
TABLE, CUP, COFFEE, MILK = b"\xe8\xe0\xd4", b"\xff\xff\xff", b"\x6b\x3e\x1e", b"\xf6\xe9\xd2"


def _heart(x: float, y: float) -> bool:
    x, y = x * 1.9, y * 1.9 + 0.2
    return (x * x + y * y - 1) ** 3 < x * x * y**3


def _rosetta(x: float, y: float) -> bool:
    width = 0.5 * (1 - abs(y) / 0.75)
    return abs(x) < width and math.sin(14 * (y + abs(x))) > 0


def _moon(x: float, y: float) -> bool:
    return x * x + y * y < 0.4 and (x - 0.3) ** 2 + y * y > 0.3


PATTERNS: dict[str, Callable[[float, float], bool]] = {"heart": _heart, "rosetta": _rosetta, "moon": _moon}


def draw(pattern: str) -> bytes:
    """Return a cup of coffee with the pattern on it, seen from above."""
    rows = b"".join(b"\x00" + b"".join(_row(PATTERNS[pattern], number)) for number in range(SIZE))
    header = struct.pack(">IIBBBBB", SIZE, SIZE, 8, 2, 0, 0, 0)
    chunks = [_chunk(b"IHDR", header), _chunk(b"IDAT", zlib.compress(rows)), _chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _row(shape: Callable[[float, float], bool], number: int) -> Iterator[bytes]:
    y = 1 - 2 * number / SIZE
    for column in range(SIZE):
        x = 2 * column / SIZE - 1
        distance = math.hypot(x, y)
        if distance > 0.95:
            yield TABLE
        elif distance > 0.85:
            yield CUP
        else:
            yield MILK if shape(x, y) else COFFEE


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
