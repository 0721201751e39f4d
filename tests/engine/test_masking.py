from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_loopwatch.masking import MASK_LIMIT, clock_only, gate, mask, steady

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
