"""Attribute values as they come: any type, hidden, cut, broken or huge. Nothing here raises."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

REDACTED = "__REDACTED__"
"""What OpenInference writes for hidden inputs and outputs: the same text for every call."""
SCRUBBED = "[Scrubbed due to "
"""How Logfire marks a value it took out; different secrets become equal."""
CUT = "...[TRUNCATED"
MAX_DEPTH = 64
MAX_LITERAL_CHARS = 4096
"""``ast`` is a thousand times slower than JSON: longer Python containers stay text."""

_NO_REPR = re.compile(r"""(?<!\\)(?:\\\\)*\\[^\\'"nrtxuU]|\d(?:and|else|for|if|in|is|not|or)\b""")
"""What no ``repr`` writes; the parser would warn about it in the application's log."""


class _Unusable(Exception):
    """Part of a value is hidden, or nests deeper than ``MAX_DEPTH``."""


def content(value: object) -> object:
    """A captured value made of plain JSON types, or ``None`` where it is hidden (in whole or in part) or unusable."""
    if isinstance(value, str):
        return None if value == REDACTED or SCRUBBED in value else value
    if value is None or isinstance(value, (bool, int, float)):
        return value
    try:
        return _plain(value, MAX_DEPTH)
    except (_Unusable, RecursionError):
        return None


def _plain(value: object, depth: int) -> object:
    if depth == 0:
        raise _Unusable
    if isinstance(value, str):
        if value == REDACTED or SCRUBBED in value:
            raise _Unusable
        return value
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, Mapping):
        return {str(key): _plain(item, depth - 1) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [_plain(item, depth - 1) for item in value]
    return repr(value)


def decode(text: object, limit: int) -> Any:
    """The JSON value of a text of at most ``limit`` characters; ``None`` if it is none. Other values pass as plain."""
    if not isinstance(text, str):
        return content(text)
    if len(text) > limit:
        return None
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


def literal(text: str, limit: int = MAX_LITERAL_CHARS) -> Any:
    """The value of a Python ``repr`` of at most ``limit`` characters; ``None`` if it is none."""
    if len(text) > limit or _NO_REPR.search(text):
        return None
    try:
        return content(ast.literal_eval(text))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def text(attributes: Mapping[str, Any], *keys: str) -> str | None:
    """The first of the attributes that holds a text."""
    for key in keys:
        value = attributes.get(key)
        if isinstance(value, str) and value:
            return value
    return None


def first(attributes: Mapping[str, Any], *keys: str) -> object:
    """The first of the attributes that is there at all."""
    for key in keys:
        value = attributes.get(key)
        if value is not None:
            return value
    return None


def integer(attributes: Mapping[str, Any], *keys: str) -> int | None:
    """The first of the attributes that holds a whole number that fits 63 bits."""
    for key in keys:
        value = attributes.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 63:
            return value
    return None


def is_cut(value: object, attribute_limit: int | None) -> bool:
    """Whether a captured text was cut: by its exporter's limit, or by an instrumentation that says so at its end."""
    if isinstance(value, str):
        return len(value) == attribute_limit or CUT in value[-80:]
    return attribute_limit is not None and _holds_text_of(attribute_limit, value, MAX_DEPTH)


def _holds_text_of(length: int, value: object, depth: int) -> bool:
    """Whether a structure holds a text of this length: the SDK cuts those inside, too."""
    if isinstance(value, str):
        return len(value) == length
    if depth == 0 or isinstance(value, bytes):
        return False
    items = value.values() if isinstance(value, Mapping) else value if isinstance(value, Sequence) else ()
    return any(_holds_text_of(length, item, depth - 1) for item in items)
