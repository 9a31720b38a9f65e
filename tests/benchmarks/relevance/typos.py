"""Slips of the finger, the same for a seed."""

import random
import re
import string

# Shorter words are left alone: nobody can tell what a slip has made of them.
LEAST = 5

_WORD = re.compile(rf"[a-z]{{{LEAST},}}", re.IGNORECASE)


def one(text: str, seed: int) -> str:
    """Return a text with a slip in one of its longer words."""
    chance = random.Random(f"{seed} {text}")
    words = list(_WORD.finditer(text))
    if not words:
        return text
    word = chance.choice(words)
    return text[: word.start()] + _slip(word[0], chance) + text[word.end() :]


def every(text: str, seed: int) -> str:
    """Return a text with a slip in each of its longer words."""
    chance = random.Random(f"{seed} {text}")
    return _WORD.sub(lambda word: _slip(word[0], chance), text)


def _slip(word: str, chance: random.Random) -> str:
    """Swap two neighbours, drop, double or replace a letter, but for the first."""
    at = chance.randrange(1, len(word) - 1)
    match chance.randrange(4):
        case 0 if word[at] != word[at + 1]:
            return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        case 1:
            return word[:at] + word[at + 1 :]
        case 2:
            return word[:at] + word[at] + word[at:]
        case _:
            others = string.ascii_lowercase.replace(word[at].lower(), "")
            return word[:at] + chance.choice(others) + word[at + 1 :]
