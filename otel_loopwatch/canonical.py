"""Arguments and results in one canonical form, so that equal meaning gives equal bytes on every machine.

Equal in the exact form: key order, white space between tokens, NFC and NFD, ``1`` and ``1.0``, a ``null`` and an absent
key. Equal only in the folded form: letter case, white space inside strings, compatibility characters (NFKC), ``"13"``
and ``13``, empty values, and keys that hold prose about the call rather than the call. Page numbers, cursors, versions
and targets are never dropped.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Mapping
from itertools import count
from typing import Any

import msgspec

PROSE_KEYS = frozenset(
    "reason reasoning rationale explanation explain thought thoughts thinking description justification comment "
    "purpose intent display_name displayName label why note security_risk".split()
)
"""Keys with which a model explains or labels a call; they change from call to call and mean nothing to the tool."""

EXCUSES = frozenset("reason reasoning rationale explanation explain justification why".split())
"""Prose about the call even where nothing else is said; a ``note`` or ``comment`` alone is what the call is for."""

MAX_DEPTH = 64
"""Deeper values are taken as text: no tool needs them and recursion must end."""

_encode = msgspec.json.Encoder(order="deterministic").encode
_decode = msgspec.json.Decoder().decode
_WHITE = b" \t\r\n"
_LOWER = bytes(range(65)) + bytes(range(97, 123)) + bytes(range(91, 256))


def decode(text: str | bytes) -> Any:
    """The JSON value of ``text``, or the text itself where it is not JSON (or nested too deeply)."""
    try:
        return _decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return text.decode("utf-8", "surrogateescape") if isinstance(text, bytes) else text


def encode(value: Any) -> bytes:
    """Canonical bytes of any value; what JSON cannot hold is written as its ``repr``."""
    try:
        return _encode(value)
    except _UNWRITABLE:
        return _described(value).encode("utf-8", "surrogatepass")


_UNWRITABLE = (TypeError, ValueError, RecursionError, msgspec.EncodeError)
_nameless = count()


def _described(value: Any) -> str:
    """The value's ``repr``; one that has none (it is too deep, or fails) equals no other."""
    try:
        return repr(value)
    except Exception:  # noqa: BLE001 - whatever a stranger's `__repr__` raises
        return f"<{type(value).__name__} {next(_nameless)}>"


def exact(
    value: Any,
    volatile: frozenset[str] = frozenset(),
    identity: frozenset[str] = frozenset(),
    limit: int = sys.maxsize,
) -> tuple[Any, bytes]:
    """``value`` and its canonical bytes: nulls left out, NFC text, whole floats as integers; ``identity`` keys only.

    The walk that this takes is skipped where the bytes show that it would change nothing, or are more than ``limit``.
    """
    if identity and isinstance(value, Mapping):
        value = {key: item for key, item in value.items() if key in identity}
    try:
        canonical = _encode(value)
    except _UNWRITABLE:
        value = _described(value)
        canonical = encode(value)
    if len(canonical) > limit:
        return value, canonical
    if volatile or not canonical.isascii() or b"null" in canonical or b".0" in canonical:
        value = _exact(value, volatile, 0)
        canonical = encode(value)
    return value, canonical


def _exact(value: Any, volatile: frozenset[str], depth: int) -> Any:
    if isinstance(value, str):
        return value if value.isascii() else unicodedata.normalize("NFC", value)
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if depth > MAX_DEPTH:
        return repr(value)
    if isinstance(value, dict):
        return {
            str(key): _exact(item, volatile, depth + 1)
            for key, item in value.items()
            if item is not None and key not in volatile
        }
    if isinstance(value, (list, tuple)):
        return [_exact(item, volatile, depth + 1) for item in value]
    return value


def folded(value: Any, canonical: bytes) -> bytes:
    """Folded bytes of an exact value whose canonical bytes are ``canonical``.

    Plain ASCII without escapes, prose keys, empty values or quoted numbers needs no more than one ``translate``.
    """
    if _needs_folding(value, canonical):
        canonical = encode(_fold(value, 0))
    return canonical.translate(_LOWER, _WHITE)


def _needs_folding(value: Any, canonical: bytes) -> bool:
    if has_prose(value) or not canonical.isascii() or b"\\" in canonical or _QUOTED_NUMBER.search(canonical):
        return True
    return b'""' in canonical or b"[]" in canonical or b"{}" in canonical


_QUOTED_NUMBER = re.compile(rb'"\d{1,15}"')


def has_prose(value: Any) -> bool:
    """Whether a prose key stands anywhere; keys in other than lower or camel case are left alone."""
    if isinstance(value, dict):
        if not PROSE_KEYS.isdisjoint(value):
            return True
        value = value.values()
    elif not isinstance(value, list):
        return False
    return any(map(has_prose, [item for item in value if isinstance(item, _CONTAINERS)]))


_CONTAINERS = (dict, list)


def _fold(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return _fold_text(value)
    if depth > MAX_DEPTH:
        return repr(value)
    if isinstance(value, dict):
        prose = EXCUSES if PROSE_KEYS.issuperset(value) else PROSE_KEYS
        items = [(key, _fold(item, depth + 1)) for key, item in value.items() if key not in prose]
        return {key: item for key, item in items if item or item not in _EMPTY}
    if isinstance(value, (list, tuple)):
        return [_fold(item, depth + 1) for item in value]
    return value


_EMPTY: tuple[object, ...] = ("", [], {})


def _fold_text(text: str) -> str | int:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).casefold()
    elif text.isdigit() and len(text) < 16:
        return int(text)
    return " ".join(text.split())


def text_of(value: Any) -> str:
    """A result as text: itself if it is text, else canonical JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    return encode(value).decode("utf-8", "surrogatepass")
