"""Tokens that differ from one that was issued, by a character or by a forger's idea. Made from a seed, without end."""

import base64
import json
import random
import string
import uuid
from collections.abc import Callable, Iterator
from typing import Any

from tests.e2e import tokens

CHARACTERS = string.ascii_letters + string.digits + "-_"
STRANGERS = CHARACTERS + ".=+/ \n\x00~é\u200b\u0430\uff0e"
AROUND = " \t\r\n\v\f\"'`\u00a0\u200b\ufeff"
OTHER_SECRET = "another secret of more than 32 bytes, of which nobody knows anything"

Mutation = Callable[[str, random.Random], str]


def mutants(token: str, chance: random.Random) -> Iterator[tuple[str, str]]:
    """Yield mutations of a token without end, each with its kind. None of them is the token with something around it."""
    while True:
        kind = chance.choice([*KINDS])
        mutant = KINDS[kind](token, chance)
        if chance.random() < 0.1:
            mutant = _replaced(mutant, chance)
        # The server trims what is no part of a token from its ends, and takes a short word of consent for a first call.
        if len(mutant) > len(tokens.PREFIX) and mutant.strip(AROUND) != token:
            yield kind, mutant


def _replaced(token: str, chance: random.Random) -> str:
    place = chance.randrange(len(token))
    return token[:place] + chance.choice(STRANGERS) + token[place + 1 :]


def _inserted(token: str, chance: random.Random) -> str:
    place = chance.randrange(len(token) + 1)
    return token[:place] + chance.choice(STRANGERS) + token[place:]


def _shortened(token: str, chance: random.Random) -> str:
    start, end = sorted(chance.sample(range(len(token) + 1), 2))
    return chance.choice([token[:start] + token[end:], token[start:end]])


def _swapped(token: str, chance: random.Random) -> str:
    one, other = sorted(chance.sample(range(len(token)), 2))
    return token[:one] + token[other] + token[one + 1 : other] + token[one] + token[other + 1 :]


def _flipped(token: str, chance: random.Random) -> str:
    """Flip a bit of what a segment encodes."""
    parts = _parts(token)
    number = chance.randrange(3)
    content = bytearray(base64.urlsafe_b64decode(parts[number] + "=" * (-len(parts[number]) % 4)))
    content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    parts[number] = _base64(bytes(content))
    return tokens.PREFIX + ".".join(parts)


def _case_changed(token: str, chance: random.Random) -> str:
    return "".join(letter.swapcase() if chance.random() < 0.05 else letter for letter in token)


def _rearranged(token: str, chance: random.Random) -> str:
    parts = [*_parts(token), *_parts(token)]
    chance.shuffle(parts)
    return chance.choice([tokens.PREFIX, ""]) + ".".join(parts[: chance.randrange(1, 7)])


def _spare_bits(token: str, chance: random.Random) -> str:
    """Spell the same bytes otherwise: the last character's spare bits, padding, the other base64 alphabet."""
    last = CHARACTERS_IN_ORDER.index(token[-1])
    spelled = token[:-1] + CHARACTERS_IN_ORDER[last ^ chance.randrange(1, 4)]
    parts = _parts(token)
    padded = tokens.PREFIX + ".".join(part + "=" * (-len(part) % 4) for part in parts)
    return chance.choice([spelled, padded, token + "=", token.replace("-", "+").replace("_", "/")])


def _header_changed(token: str, chance: random.Random) -> str:
    """Sign nothing anew: another header over the old payload and signature."""
    header = {**tokens.header(token), **chance.choice(HEADERS)}
    return tokens.PREFIX + ".".join([_base64(_json(header, chance)), *_parts(token)[1:]])


def _payload_changed(token: str, chance: random.Random) -> str:
    """Sign nothing anew: other claims, or the same in another spelling, under the old signature."""
    claims = {**tokens.claims(token), **chance.choice([{}, _claim(token, chance)])}
    head, _payload, signature = _parts(token)
    return f"{tokens.PREFIX}{head}.{_base64(_json(claims, chance))}.{signature}"


def _signed_by_another(token: str, chance: random.Random) -> str:
    claims = {**tokens.claims(token), **_claim(token, chance)}
    return tokens.signed(claims, key=OTHER_SECRET, alg=chance.choice(["HS256", "HS384", "HS512"]))


def _wrongly_signed(token: str, chance: random.Random) -> str:
    """Sign with the right key what is no confirmation token: another algorithm, type, or claims that do not fit."""
    claims = tokens.claims(token)
    missing = chance.choice([*claims])
    return chance.choice([
        tokens.signed(claims, alg=chance.choice(["HS384", "HS512"])),
        tokens.signed(claims, typ=chance.choice(["JWT", "mcp+confirm", "", None])),
        tokens.signed({**claims, missing: chance.choice([None, [], {}, True, 1.5])}),
        tokens.signed({name: value for name, value in claims.items() if name != missing}),
        tokens.unsigned(claims, alg=chance.choice(["none", "None", "HS256", ""])),
    ])  # fmt: skip


def _noise(token: str, chance: random.Random) -> str:
    segments = ["".join(chance.choices(CHARACTERS, k=chance.randrange(1, 300))) for _ in range(chance.randrange(1, 5))]
    return tokens.PREFIX + ".".join(segments)


CHARACTERS_IN_ORDER = string.ascii_uppercase + string.ascii_lowercase + string.digits + "-_"
HEADERS: list[dict[str, Any]] = [
    {"alg": "none"},
    {"alg": "HS512"},
    {"alg": "hs256"},
    {"alg": ["HS256"]},
    {"typ": "JWT"},
    {"typ": None},
    {"kid": "../../dev/null"},
    {"crit": ["exp"]},
    {"b64": False},
    {"jwk": {"kty": "oct", "k": "AA"}},
    {},
]
KINDS: dict[str, Mutation] = {
    "replaced": _replaced,
    "inserted": _inserted,
    "shortened": _shortened,
    "swapped": _swapped,
    "flipped": _flipped,
    "case": _case_changed,
    "rearranged": _rearranged,
    "spelling": _spare_bits,
    "header": _header_changed,
    "payload": _payload_changed,
    "another key": _signed_by_another,
    "wrongly signed": _wrongly_signed,
    "noise": _noise,
}


def _claim(token: str, chance: random.Random) -> dict[str, Any]:
    """Return a claim that a thief would change."""
    claims = tokens.claims(token)
    return chance.choice([
        {"exp": claims["exp"] + chance.randrange(1, 10**9)},
        {"iat": claims["iat"] - chance.randrange(1, 10**9)},
        {"jti": str(uuid.UUID(int=chance.getrandbits(128)))},
        {"sub": f"key:{chance.randrange(1, 10**6)}"},
        {"args_hash": f"{chance.getrandbits(256):064x}"},
        {"args_hash": ""},
        {"tool": "api_read"},
        {"target": "CancelCoffeeShopOrder"},
    ])  # fmt: skip


def _parts(token: str) -> list[str]:
    return token.removeprefix(tokens.PREFIX).split(".")


def _base64(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _json(value: dict[str, Any], chance: random.Random) -> bytes:
    items = [*value.items()]
    chance.shuffle(items)
    spaces = chance.choice([(",", ":"), (", ", ": "), (" ,", " :")])
    return json.dumps(dict(items), separators=spaces, ensure_ascii=chance.random() < 0.5).encode()
