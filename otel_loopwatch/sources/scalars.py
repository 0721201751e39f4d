"""Ids, times and texts as exporters write them. Nothing here raises."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from typing import Any

import msgspec

from otel_loopwatch.ids import TRACE_ID_BYTES, digest

MAX_JSON_CHARS = 1 << 24
"""Above that many characters, JSON within JSON stays text."""
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9})\d*)?\s*(?:Z|UTC|([+-])(\d\d):?(\d\d))?$", re.ASCII
)
_LIMITS = ((10**11, 10**9), (10**14, 10**6), (10**17, 10**3))
"""Below the first number, an epoch time is in units of the second (ns): seconds, ms, us. From 1973 to 5138."""


def identity(value: object, size: int) -> int:
    """An id as an integer of ``size`` bytes: hex, a UUID, base64, or else a digest of the text; 0 where there is none.

    Of a UUID in place of a span id, the last 8 bytes count.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return value % (1 << 8 * size)
    if not isinstance(value, str) or not value:
        return 0
    bare = value.removeprefix("0x").replace("-", "")
    try:
        if "=" not in bare and (len(bare) <= 2 * size or len(bare) == 2 * TRACE_ID_BYTES):
            return int(bare, 16) % (1 << 8 * size)
        decoded = base64.b64decode(value, validate=True)
        if len(decoded) == size:
            return int.from_bytes(decoded, "big")
    except (ValueError, binascii.Error):
        return digest(value, size)
    return digest(value, size)


def nanoseconds(value: object) -> int:
    """A time in ns since the epoch: a number of any unit, ISO 8601 (UTC if it says nothing), or ``[s, ns]``."""
    if isinstance(value, str):
        return nanoseconds(int(value)) if value.isdecimal() and len(value) <= 20 else _iso(value)
    if isinstance(value, list) and len(value) == 2 and all(isinstance(part, int) for part in value):
        return _in_range(value[0] * 10**9 + value[1])
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1 << 63:
        return 0
    unit = next((unit for limit, unit in _LIMITS if value < limit), 1)
    return _in_range(int(value * unit) if isinstance(value, int) else round(value * 10**3) * unit // 10**3)


def _in_range(number: int) -> int:
    return number if 0 <= number < 1 << 63 else 0


def _iso(text: str) -> int:
    found = _ISO.match(text.strip())
    if found is None:
        return 0
    try:
        moment = datetime(*(int(part) for part in found.groups()[:6]), tzinfo=timezone.utc)  # type: ignore[arg-type, misc]
    except ValueError:
        return 0
    fraction, sign, hours, minutes = found.groups()[6:]
    offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0)) * (-1 if sign == "-" else 1)
    return _in_range((moment - _EPOCH - offset) // timedelta(seconds=1) * 10**9 + int((fraction or "").ljust(9, "0")))


def text(value: object) -> str:
    """The value if it is a text, else the empty one."""
    return value if isinstance(value, str) else ""


def mapping(value: object) -> Mapping[str, Any]:
    """The value if it is an object, also as JSON text; else an empty one."""
    value = from_json(value, "{")
    return value if isinstance(value, Mapping) else {}


def sequence(value: object) -> list[Any]:
    """The value if it is a list, also as JSON text; else an empty one."""
    value = from_json(value, "[")
    return value if isinstance(value, list) else []


def objects(value: object) -> list[Mapping[str, Any]]:
    """The objects of a list."""
    return [item for item in sequence(value) if isinstance(item, Mapping)]


def from_json(value: object, openings: str = "{[") -> Any:
    """The value of a text that starts as JSON does; anything else, and what is broken, as it is."""
    if not isinstance(value, str) or not value.lstrip()[:1] or value.lstrip()[0] not in openings:
        return value
    try:
        return value if len(value) > MAX_JSON_CHARS else msgspec.json.decode(value)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return value
