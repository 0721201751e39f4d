from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_loopwatch.masking import MASK_LIMIT, clock_only, gate, mask, steady, without_ids

SAME = {
    "ISO times": ("at 2031-05-06T07:08:09Z it rained", "at 2031-05-07T17:28:39Z it rained"),
    "ISO times with fractions and zones": ("2031-05-06 07:08:09.123+02:00 up", "2031-11-16 17:18:19.9+01:00 up"),
    "dates": ("since 2031-05-06 closed", "since 2031-05-07 closed"),
    "clocks": ("14:03:22 all quiet", "14:03:27 all quiet"),
    "clocks with half days": ("3:15:01 PM, quiet", "4:25:11 PM, quiet"),
    "weekdays": ("Mon 3 May, quiet", "Mon 10 May, quiet"),
    "UUIDs": (
        "job 6ba7b810-9dad-11d1-80b4-00c04fd430c8 is on",
        "job 7ca7b812-0dad-41d1-90b4-11c04fd430c9 is on",
    ),
    "short hex ids": ("commit 1a2b3c4d5e is on", "commit 9f8e7d6c5b is on"),
    "durations": ("took 12 ms in all", "took 1375 ms in all"),
    "durations without a blank": ("took 0.31s in all", "took 12.7s in all"),
    "durations in words": ("took 3 seconds in all", "took 17 seconds in all"),
    "durations in parts": ("up for 1m4s now", "up for 2m31s now"),
    "days and hours": ("up for 5d3h now", "up for 6d11h now"),
    "ages in a table": ("lamp   4m  on", "lamp   5m  on"),
    "ages at the end of a line": ("lamp   4d", "lamp   15d"),
    "rates": ("at 12.5 MB/s now", "at 9.1 MB/s now"),
    "rates with groups": ("at 12,500 kbit/s now", "at 9,100 kbit/s now"),
    "rates of rows": ("at 31 rows/s now", "at 7 rows/s now"),
    "Chinese durations": ("耗时 3 秒", "耗时 17 秒"),
    "Chinese durations without a blank": ("用时3.5分钟。", "用时17分钟。"),
    "Japanese durations": ("所要時間 31ミリ秒", "所要時間 7ミリ秒"),
    "Korean durations": ("소요 3초", "소요 17초"),
    "German durations": ("dauerte 3,5 Sekunden", "dauerte 17,2 Sekunden"),
    "Spanish durations": ("tardó 3 segundos", "tardó 17 segundos"),
    "Russian durations": ("заняло 3 сек", "заняло 17 сек"),
    "signed links": (
        "see https://a.example/x?X-Amz-Signature=ab&X-Amz-Date=1 now",
        "see https://a.example/x?X-Amz-Signature=cd&X-Amz-Date=2 now",
    ),
    "links that expire": (
        "see https://a.example/x?Signature=aZ&Expires=17 now",
        "see https://a.example/x?Signature=bY&Expires=18 now",
    ),
    "links with a short signature": ("see https://a.example/x?sig=aZ now", "see https://a.example/x?sig=bY now"),
    "ids in capitals": ("failed: QX81ZK02PL", "failed: MN44ZT90AB"),
    "addresses": ("<Lamp at 0x7f3a10>", "<Lamp at 0x55c0de>"),
    "process ids": ("pid 4711 is up", "pid 815 is up"),
    "request ids": ("request id: 77a1 failed", "request id: 80b2 failed"),
    "epochs": ("stamp 1767225600 of now", "stamp 1767229999 of now"),
    "epochs in ms": ("stamp 1767225600123 of now", "stamp 1767229999456 of now"),
    "prompts": ("see Out[3] of the lamp", "see Out[14] of the lamp"),
    "message ids": ("message id 81234 was read", "message id 90017 was read"),
    "JSON ids": ('{"request_id": "abc", "n": 1}', '{"request_id": "xyz", "n": 1}'),
    "JSON times": ('{"timestamp": 17, "n": 1}', '{"timestamp": 29, "n": 1}'),
    "JSON durations": ("{'elapsed_ms': 4.5, 'n': 1}", "{'elapsed_ms': 7, 'n': 1}"),
    "JSON keys in _at": ('{"expires_at": 17, "n": 1}', '{"expires_at": 29, "n": 1}'),
    "JSON keys in At": ('{"fetchedAt": 17, "n": 1}', '{"fetchedAt": 29, "n": 1}'),
    "JSON keys in _ms": ('{"wait_ms": 17, "n": 1}', '{"wait_ms": 29, "n": 1}'),
    "JSON durations in camels": ('{"totalDurationMs": 17, "n": 1}', '{"totalDurationMs": 29, "n": 1}'),
    "JSON quotas": ('{"x_rate_limit_left": 17, "n": 1}', '{"x_rate_limit_left": 29, "n": 1}'),
    "JSON confidences": ('{"confidence": 0.91, "n": 1}', '{"confidence": 0.87, "n": 1}'),
    "temporary paths": ("see /tmp/x7k/out.log, please", "see /tmp/q9z/out.log, please"),
    "Mac temporary paths": ("see /private/var/folders/ab/T/x", "see /private/var/folders/cd/T/y"),
    "Windows temporary paths": (r"see C:\Users\ann\Temp\x1.log now", r"see C:\Users\ann\Temp\zz.log now"),
}

OTHER = {
    "percentages": ("42% done", "43% done"),
    "counts": ("17 rows", "18 rows"),
    "fractions of a whole": ("3 of 9 files", "4 of 9 files"),
    "pages": ("page 3", "page 4"),
    "versions": ("lamp 1.4.2", "lamp 1.4.3"),
    "prices": ("costs 12.50 EUR", "costs 13.50 EUR"),
    "failures": ("6 failed, 4 passed", "5 failed, 5 passed"),
    "a new row": ("ann\nbob", "ann\nbob\ncarla"),
    "SHA-1": ("a" * 20 + "0123456789" * 2, "b" * 20 + "0123456789" * 2),
    "SHA-256": ("0123456789abcdef" * 4, "0123456789abcdee" * 4),
    "words": ("the lamp is on", "the lamp is off"),
    "ids that are words": ("job alpha", "job gamma"),
    "JSON values": ('{"id": 1, "n": 1}', '{"id": 1, "n": 2}'),
    "line numbers": ("lamp.c:12: error", "lamp.c:13: error"),
    "sizes": ("12.5 MB of 80 MB", "13.5 MB of 80 MB"),
    "groups of thousands": ("1,234 rows", "1,235 rows"),
    "widths": ("lamp 4m wide", "lamp 5m wide"),
    "dollars": ("$12", "$13"),
    "paper": ("A4 paper", "A5 paper"),
    "capitals": ("QUEBECCITYLAMPS is on", "OTTAWACITYLAMPS is on"),
    "large numbers": ("2234567890123 lamps", "2234567890124 lamps"),
    "short ids": ("failed: QX81ZK", "failed: MN44ZT"),
    "JSON messages": ('{"message": "on", "n": 1}', '{"message": "off", "n": 1}'),
    "JSON queries": ('{"query": "on", "n": 1}', '{"query": "off", "n": 1}'),
    "JSON pages": ('{"page": 3, "n": 1}', '{"page": 4, "n": 1}'),
    "JSON images": ('{"image": "on", "n": 1}', '{"image": "off", "n": 1}'),
    "hosts": ("10.0.0.1 is up", "10.0.0.2 is up"),
}


def alike(one: str, other: str) -> bool:
    """Whether two texts are the same when their volatile parts are taken out."""
    return mask(steady(one)) == mask(steady(other))


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME)
def test_what_means_nothing_is_masked(one: str, other: str) -> None:
    """Clocks, ids, durations, addresses and temporary paths make no difference, and pass the gate."""
    assert one != other
    assert alike(one, other)
    assert gate(steady(one).encode()) == gate(steady(other).encode())


@pytest.mark.parametrize(("one", "other"), OTHER.values(), ids=OTHER)
def test_what_means_something_stays(one: str, other: str) -> None:
    """A poll that moves, a row more, a version or a digest of content is a difference."""
    assert not alike(one, other)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("req ab1c2d3e is on", "req zz9y8x7w is on", True),
        ("see k3Jx9_Qz-11", "see p7Yt2_Lm-93", True),
        ("at /lamps/9f8e7d6c/on", "at /lamps/1f2e3d4c/on", True),
        ("ab1c2d3e at 10:00:01", "zz9y8x7w at 10:00:09", True),
        ("lamp-number-2 is on", "lamp-number-3 is on", False),
        ("lighthouse2 is on", "lighthouse3 is on", False),
        ("42 lamps", "43 lamps", False),
        ("digest " + "0a1b2c3d" * 5, "digest " + "1b2c3d4e" * 5, False),
    ],
)
def test_ids_of_whatever_letters(one: str, other: str, same: bool) -> None:
    """Letters and digits in turns are an id where the request is the same; a name with a number is none."""
    assert (without_ids(one) == without_ids(other)) is same


def test_only_the_beginning_is_masked() -> None:
    """What stands beyond the limit is compared as it is."""
    head = "x " * (MASK_LIMIT // 2)
    assert not alike(head + "10:00:01", head + "10:00:02")
    assert alike("10:00:01 " + head, "10:00:02 " + head)


@given(st.text(max_size=200))
def test_masking_is_a_function_of_the_text(text: str) -> None:
    """Any text can be masked, and masking what is masked changes nothing more."""
    assert mask(mask(text)) == mask(text)


@pytest.mark.parametrize(
    ("text", "only"),
    [
        ("14:03:22", True),
        ("2031-05-06T07:08:09Z", True),
        ("The current time is 14:03:22.", True),
        ("1767225600", True),
        ("14:03:22 and all is quiet", False),
        ("no digits at all", False),
        ("42", False),
        ("14:03:22" + " " * 200, False),
    ],
)
def test_nothing_but_a_clock(text: str, only: bool) -> None:
    """A clock or a date with the words that go with it."""
    assert clock_only(text) is only
