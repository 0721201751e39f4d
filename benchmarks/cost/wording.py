"""Text that was never said before: arguments and results in new words and new shapes."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any
from uuid import UUID

ARGUMENTS_CHARS = 200
RESULT_CHARS = 1000
_SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo ya zer lan mor tis pol fen gar hul".split()
WORDS = tuple(a + b + c for a in _SYLLABLES for b in _SYLLABLES for c in ("", *_SYLLABLES[::4]))
"""Some thousands."""
_LONGEST = max(map(len, WORDS)) + 1


def prose(random: Random, chars: int) -> str:
    """Words, cut at so many characters."""
    return " ".join(random.choices(WORDS, k=chars // 4))[:chars]


def arguments(random: Random, chars: int = ARGUMENTS_CHARS) -> str:
    """JSON text of an object with two to five keys, values of several types, and a text that fills it up."""
    fields: dict[str, Any] = {random.choice(WORDS): random.choice(_VALUES)(random) for _ in range(random.randint(1, 4))}
    fields[random.choice(WORDS)] = prose(random, max(_LONGEST, chars - len(json.dumps(fields))))
    return json.dumps(fields)


def result(random: Random, chars: int = RESULT_CHARS) -> str:
    """Prose, a listing, a table or JSON records."""
    return random.choice(_SHAPES)(random, chars)


def stamped(random: Random, text: str) -> str:
    """The text as a server sends it that adds the time and the id of the request."""
    seconds = random.randrange(60)
    request = UUID(int=random.getrandbits(128), version=4)
    return f"2026-03-14T09:{random.randrange(60):02}:{seconds:02}Z request_id={request}\n{text}"


def _listing(random: Random, chars: int) -> str:
    lines = (f"{random.choice(WORDS)}/{random.choice(WORDS)}.txt:{random.randrange(900)}: {prose(random, 40)}" for _ in
             range(chars // 40))  # fmt: skip
    return "\n".join(lines)[:chars]


def _table(random: Random, chars: int) -> str:
    width = random.randint(3, 6)
    rows = (" | ".join(random.choices(WORDS, k=width)) + f" | {random.random():.3f}" for _ in range(chars // 20))
    return "\n".join(rows)[:chars]


def _records(random: Random, chars: int) -> str:
    keys = random.sample(WORDS, 3)
    records = [
        {keys[0]: random.choice(WORDS), keys[1]: random.randrange(10_000), keys[2]: prose(random, 50)}
        for _ in range(chars // 100)
    ]
    return json.dumps({"items": records, "total": len(records)})


_VALUES: tuple[Callable[[Random], Any], ...] = (
    lambda random: random.choice(WORDS),
    lambda random: random.randrange(1000),
    lambda random: random.random() < 0.5,
    lambda random: random.choices(WORDS, k=2),
)
_SHAPES = (prose, _listing, _table, _records)
