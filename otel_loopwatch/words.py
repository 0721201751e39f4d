"""The words of changing arguments: one question in ever new words, or independent look-ups?

A rewording keeps using the same words in other places. A look-up of many things keeps a template and changes one word,
always to a new one. So words common to all requests say nothing, and of the rest it counts how many come back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from xxhash import xxh3_64_intdigest as digest

MAX_WORDS = 32
"""Words looked at per request."""
MAX_VOCABULARY = 256
"""Distinct words remembered per streak."""

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_CJK = re.compile(r"[぀-ヿ㐀-鿿가-힯]")


def words_of(value: Any) -> frozenset[int]:
    """Digests of the words in the free text of an arguments value (identifiers without blanks are one word)."""
    found: set[int] = set()
    for text in _texts(value, 0):
        for word in _split(text):
            found.add(digest(word.encode("utf-8", "surrogatepass")))
            if len(found) >= MAX_WORDS:
                return frozenset(found)
    return frozenset(found)


def _texts(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value[:2_000]
    elif isinstance(value, bool) or value is None:
        return
    elif isinstance(value, (int, float)):
        yield str(value)
    elif depth < 8 and isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item, depth + 1)
    elif depth < 8 and isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts(item, depth + 1)


def _split(text: str) -> Iterator[str]:
    if _CJK.search(text):
        joined = "".join(_WORD.findall(text))
        yield from (joined[i : i + 2] for i in range(len(joined) - 1))
    elif " " not in text.strip():
        yield text.strip().lower()
    else:
        yield from (_stem(word.lower()) for word in _WORD.findall(text))


def _stem(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


class Vocabulary(msgspec.Struct):
    """In how many requests of a streak each word occurred."""

    requests: int = 0
    counts: dict[int, int] = msgspec.field(default_factory=dict)

    def add(self, words: frozenset[int]) -> None:
        """Count one request's words."""
        self.requests += 1
        for word in words:
            if word in self.counts or len(self.counts) < MAX_VOCABULARY:
                self.counts[word] = self.counts.get(word, 0) + 1

    def recurrence(self) -> float:
        """Share (0 to 1) of word uses, template words apart, of words used before; 1 where only the order changed."""
        uses = [count for count in self.counts.values() if count < self.requests]
        total = sum(uses)
        return sum(count for count in uses if count > 1) / total if total else float(bool(self.counts))
