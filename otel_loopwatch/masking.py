"""What changes in a result without meaning anything: clocks, ids, durations, addresses, temporary paths.

Counts, percentages, rows and versions stay: a poll that moves is not a loop. Digests of more than 32 hex digits stay
too, for they are functions of the content. A regular expression over every result would cost 50 us per kB, so results
pass a gate first: only texts that are equal without digits, points and hex letters are masked and compared, which is
one ``bytes.translate`` (0.8 us per kB).
"""

from __future__ import annotations

import re
from functools import lru_cache

from xxhash import xxh3_64_intdigest as digest

MASK_LIMIT = 8_192
"""Characters of a text that are masked; what follows is compared as it is."""

SHORT = 500
"""In longer texts, ids of letters beyond F are not looked for: it would cost 50 us per kB."""

_ID = re.compile(r"(?<![A-Za-z0-9])(?=[A-Z]*\d)(?=\d*[A-Z])(?:[A-Z0-9]{10,40})(?![A-Za-z0-9])")
"""An id in capitals, as in error messages and notices."""
_CAPITALS = re.compile(r"[A-Z0-9]{10}")
"""In whatever `_ID` finds: 2 us for 500 characters instead of 13."""
_RANDOM = re.compile(
    r"(?<![A-Za-z0-9])(?=[A-Za-z0-9_-]{6})(?:(?<=/)[0-9a-f]{6,}|"
    r"(?=[A-Za-z]*\d)(?=[A-Za-z0-9]*(?:[A-Za-z]\d+[A-Za-z]|\d[A-Za-z]+\d))(?![0-9a-fA-F]{33})[A-Za-z0-9_-]{8,128})"
    r"(?![A-Za-z0-9])"
)
"""Letters and digits in turns: an id. A name with a number at its end is none, nor is the digest of some content."""
_NUMBERS = b"0123456789abcdefABCDEF."

_TEMP_PATH = re.compile(
    r"/(?:private/)?(?:var/)?(?:tmp|folders)/[^\s\"'<>|)\]}]+|[A-Z]:\\(?:[^\s\"'\\:]+\\){0,9}?Temp\\[^\s\"']+"
)
"""Begins with a few characters only, so that it is tried nowhere else: 10 us per kB instead of 130."""

_SIGNED = re.compile(r"""([?&](?:X-Amz-[A-Za-z]+|X-Goog-[A-Za-z]+|[Ss]ignature|[Ee]xpires|sig)=)[^&\s"'<>]+""")
"""What a signed link carries: new at every fetch."""

_KEY = re.compile(r"""["']([\w-]{1,64})["']\s*:\s*(?=["'\d-])""")
_VALUE = re.compile(r""""[^"]*"|'[^']*'|-?\d+(?:\.\d+)?""")
_VOLATILE_NAME = re.compile(
    r"""(?:request|req|trace|span|correlation|message|msg|event|transaction|invocation|x-request|nonce|session_run|query|run)
        [_-]?(?:id|ID|Id)
      | ts|timestamp|time|date|now|as_of|asOf|created|created_at|createdAt|generated_at|generatedAt|fetched_at
        |fetchedAt|checked_at|checkedAt|server_time|elapsed|elapsed_ms|duration|duration_ms|durationMs|took|took_ms
        |latency|latency_ms|uptime|pid|idle_for_seconds|idle_seconds|age_seconds|nonce|etag|ms|tokens|stamp|wall_clock_s|sid|seq
        |(?:\w+_)?(?:duration|latency|uptime|elapsed|runtime|age)(?:_?(?:s|ms|sec|secs|seconds))?
        |[a-z]+(?:Duration|Latency|Uptime|Elapsed|Runtime|Age)(?:Ms|S|Seconds)?
        |confidence|[\w-]{0,40}(?:rate[_-]?limit|quota)[\w-]{0,40}
        |\w+(?:_at|_ts|_ms|At|Ts|Ms)|[A-Za-z]*[Tt]imestamp""",
    re.X,
)

_FROM_A_DIGIT = r"""
        \d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:\s?(?:Z|UTC|[+-]\d\d:?\d\d))?)?   # ISO date, time
      | \d\d?:\d\d:\d\d(?:[.,]\d+)?(?:\s?(?:AM|PM|am|pm|Z|UTC))?                                   # clock
      | \d{8}T\d{6}Z?                                                                              # compact ISO
      | \d+(?:[.,]\d+)?\s?(?:秒|分钟|分鐘|分|小时|時間|毫秒|ミリ秒|초|분|시간|с|сек|мин
        |Sek(?:unden?)?|Minuten?|Stunden?|segundos?|minutos?|secondes?|heures?)(?![0-9A-Za-z])  # elsewhere
      | \d+(?:\.\d+)?\s?(?:ms|us|µs|ns|s|sec|secs|seconds?|minutes?)(?![0-9A-Za-z])               # duration
      | \d+[dhm](?:\d+(?:\.\d+)?[hms]){1,3}(?![0-9A-Za-z])                                              # 1m4s, 5d3h
      | \d+(?:[.,]\d+){0,3}\s?[kKMGT]?i?[Bb](?:it|its|yte|ytes)?(?:/s|ps)(?![0-9A-Za-z])                # rate
      | \d+(?:\.\d+)?\s?(?:it|req|rows|ops|tok|tokens)/s(?![0-9A-Za-z])
      | (?<=[ ]{2})\d+[mhd](?=\s|$)                                                               # age in a table
      | 0x[0-9a-fA-F]+                                                                            # address
"""
_FROM_A_WORD = r"""
        (?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),?\s+(?:\d\d?\s+)?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\s*\d*
      | time[=:]\s?\d+(?:\.\d+)?(?:\.\.\d+(?:\.\d+)?)?
      | (?:pid|PID|tid|thread|request|req|trace|span|correlation|transaction|txn|tx)(?:[ _-]?(?:id|ID))?   # named id
        [ _\#:=-]*(?=[a-fA-F]*\d)[0-9a-fA-F]+(?![0-9A-Za-z])
      | (?:message|msg|call|event)(?:[ _-]?(?:id|ID))?[ _\#:=-]*\d{4,}
      | (?:In|Out)\s?\[\d+\]
"""
_HEX = r"""
        [0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}                # UUID
      | (?=[0-9a-fA-F]*\d)(?=[0-9a-fA-F]*[a-fA-F])[0-9a-fA-F]{8,32}(?![0-9a-fA-F])                 # id
"""
_EPOCH = r"1[5-9]\d{8}(?:\d{3})?(?!\d)  # seconds or ms"

_FIRST = r"(?=[\da-fMTWSprstmA-FIOP])"
_BEGINNINGS = (
    "[0-9a-fA-F]{8}|Mon|Tue|Wed|Thu|Fri|Sat|Sun|time|pid|PID|tid|thread|req|tra|span|corr|tx|mess|msg|call|event|In|Out"
)
"""How all the above begin, for a quick look: 25 to 60 us per kB instead of 120."""

_VOLATILE_TEXT = re.compile(
    rf"""(?<![0-9A-Za-z]){_FIRST}(?:
        (?=\d)(?:{_FROM_A_DIGIT}|{_HEX}|{_EPOCH}
        )|(?={_BEGINNINGS})(?:{_FROM_A_WORD}|{_HEX}))""",
    re.X,
)

_DIGIT = re.compile(r"\d")
_CLOCK_ONLY = re.compile(r"[\W_]*(?:(?:the|current|date|time|now|is|utc|today|it|timestamp|local)[\W_]*)*", re.I)


def steady(text: str) -> str:
    """``text`` without what random letters make invisible to the gate: temporary paths, ids, signatures."""
    if len(text) <= SHORT and _CAPITALS.search(text):
        text = _ID.sub("~", text)
    if _has_temp_path(text):
        text = _TEMP_PATH.sub("~", text)
    if "=" in text and ("ignature=" in text or "sig=" in text):
        text = _SIGNED.sub(r"\1~", text)
    if text[:1] in "{[" and _has_id_key(text):
        text = _without_volatile(text[:MASK_LIMIT]) + text[MASK_LIMIT:]
    return text


def _has_temp_path(text: str) -> bool:
    """Single characters are looked for first, here and below: 0.1 us per kB instead of 1 for a word."""
    return ("/" in text and ("tmp/" in text or "folders/" in text)) or ("\\" in text and "Temp\\" in text)


def _has_id_key(text: str) -> bool:
    if ("_" in text and "_id" in text) or ("-" in text and "-id" in text):
        return True
    return "I" in text and ('Id"' in text or 'ID"' in text or "Id'" in text)


def without_ids(text: str) -> str:
    """``text`` masked, and without random ids of whatever letters; for results of one and the same request."""
    return mask(_RANDOM.sub("~", text))


def gate(data: bytes) -> int:
    """Digest of ``data`` without hex digits and points: 4.5 s may be 7 s next time."""
    return digest(data.translate(None, _NUMBERS))


def mask(text: str) -> str:
    """``text`` with its volatile parts replaced by ``~``; only the first `MASK_LIMIT` characters are looked at."""
    head, tail = text[:MASK_LIMIT], text[MASK_LIMIT:]
    return _VOLATILE_TEXT.sub("~", _without_volatile(head)) + tail


def _without_volatile(text: str) -> str:
    """``text`` without the values of volatile keys, which are known by name: JSON costs 15 us per kB instead of 60."""
    kept, end = [], 0
    for key in _KEY.finditer(text):
        value = _VALUE.match(text, key.end()) if key.start() >= end and is_volatile(key.group(1)) else None
        if value is not None:
            kept.append(text[end : key.end()])
            end = value.end()
    return "~".join((*kept, text[end:])) if kept else text


@lru_cache(maxsize=1024)
def is_volatile(name: str) -> bool:
    """Whether the values of a key of that name mean nothing."""
    return _VOLATILE_NAME.fullmatch(name) is not None


def clock_only(text: str) -> bool:
    """Whether nothing but a clock is left of a (short) text."""
    if len(text) > 120 or _DIGIT.search(text) is None:
        return False
    masked = _VOLATILE_TEXT.sub("~", text)
    return "~" in masked and _CLOCK_ONLY.fullmatch(masked.replace("~", "")) is not None
