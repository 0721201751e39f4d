"""What reading a call may cost: long values are digested once, and nothing else looks at the whole of them."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from xxhash import xxh3_64_intdigest as digest

from otel_loopwatch import fingerprint, labels, masking, notes, outcomes, verbs, wording
from otel_loopwatch.fingerprint import ECHOES, KNOWN, KNOWN_CHARACTERS, Reading, read
from otel_loopwatch.model import Outcome, ToolCall
from otel_loopwatch.settings import MAX_VALUE_BYTES, ToolPolicy

POLICY = ToolPolicy()
MEGABYTE = 1_000_000
LONG = {
    "prose": "the lamp of the pier is out " * (MEGABYTE // 28),
    "rows": json.dumps([{"customer_id": n, "status": "open", "at": "/tmp/x"} for n in range(MEGABYTE // 55)]),
    "blank": " \n" * (MEGABYTE // 2),
    "other script": "灯台" * (MEGABYTE // 6),
}


def look(limit: int = MAX_VALUE_BYTES, tool: str = "look", **values: Any) -> Reading:
    """What is read of a call."""
    return read(ToolCall(run="r", tool=tool, **values), POLICY, limit)


class Watched:
    """Stands in for a compiled expression, and notes how long the texts are that it is given."""

    def __init__(self, pattern: re.Pattern[Any], seen: list[int]) -> None:
        self._pattern = pattern
        self._seen = seen

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def method(*values: Any) -> Any:
            text = values[1] if name == "sub" else values[0]
            self._seen.append(len(text) - (values[1] if name != "sub" and len(values) > 1 else 0))
            return getattr(self._pattern, name)(*values)

        return method


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Lengths of the texts that any regular expression of the reading modules is given."""
    seen: list[int] = []
    for module in (labels, masking, outcomes, verbs, wording):
        for name, value in list(vars(module).items()):
            if isinstance(value, re.Pattern):
                monkeypatch.setattr(module, name, Watched(value, seen))
    return seen


@pytest.fixture
def digested(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Lengths of what is digested."""
    seen: list[int] = []

    def counted(data: bytes) -> int:
        seen.append(len(data))
        return digest(data)

    monkeypatch.setattr(fingerprint, "digest", counted)
    monkeypatch.setattr(masking, "digest", counted)
    return seen


@pytest.mark.parametrize("failed", [False, True])
@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_a_long_result_is_digested_once(text: str, failed: bool, searched: list[int], digested: list[int]) -> None:
    """No expression is given more than the beginning and the end of a result beyond the limit."""
    reading = look(result=text, failed=failed)
    assert [size for size in digested if size > 100] == [len(text.encode())]
    assert max(searched, default=0) <= outcomes.STATE_WITHIN
    assert (reading.raw, reading.text) == (reading.steady, "")
    assert reading.gate == reading.raw


@pytest.mark.parametrize("text", [" " * 60_000, "\n" * 60_000 + "done", "\t " * 30_000 + "[3] done"])
def test_no_label_is_looked_for_behind_many_blanks(text: str, searched: list[int]) -> None:
    """Each expression would go back over all of them; what stands there is compared as it is."""
    assert look(result=text).text == text
    assert max(searched) <= outcomes.STATE_WITHIN


@pytest.mark.parametrize("as_bytes", [False, True])
@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_long_arguments_are_digested_once(
    text: str, as_bytes: bool, monkeypatch: pytest.MonkeyPatch, searched: list[int], digested: list[int]
) -> None:
    """They are not even decoded."""
    monkeypatch.setattr(fingerprint, "decode", None)
    reading = look(arguments=text.encode() if as_bytes else text)
    assert [size for size in digested if size > 100] == [len(text.encode())]
    assert (reading.exact, reading.arguments) == (reading.folded, None)
    assert not searched


def test_a_long_value_is_not_walked() -> None:
    """Decoded arguments that are large are encoded and digested; no function of ours goes through them."""
    value = {"rows": [{"n": float(n), "empty": None} for n in range(20_000)]}
    calls = count_calls(lambda: look(arguments=value))
    assert calls < 100


def count_calls(action: Callable[[], object]) -> int:
    """How many functions are called by ``action``, those written in C among them."""
    seen: Counter[str] = Counter()

    def profile(frame: FrameType, event: str, argument: object) -> None:
        seen[event] += 1

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        action()
    finally:
        sys.setprofile(before)
    return seen["call"] + seen["c_call"]


@pytest.mark.parametrize(
    "text",
    [
        " " * MEGABYTE + notes.nudge("x"),
        " \\n" * (MEGABYTE // 3) + notes.nudge("x"),
        (notes.BEGIN + "x") * (MEGABYTE // 12),
        "x" * MEGABYTE,
        LONG["rows"] + notes.refusal("x"),
    ],
    ids=["blank", "escaped", "beginnings", "none", "after rows"],
)
def test_notes_are_found_in_a_few_steps(text: str) -> None:
    """However much stands before them, and however many of them have no end."""
    assert count_calls(lambda: look(result=text)) < 3 * notes.BLANK + 200


def test_a_note_at_the_end_of_a_long_result_is_no_part_of_it() -> None:
    """A result beyond the limit is the same with advice behind it, and a refusal is seen."""
    text = LONG["prose"].rstrip()
    assert look(result=notes.added(text, notes.nudge("stop"))).raw == look(result=text).raw
    assert look(result=notes.added(text, notes.refusal("stop"))).refused


class Asked(str):
    """A text that counts how often something is looked for in it."""

    asked = 0

    def __contains__(self, value: object) -> bool:
        Asked.asked += 1
        return str.__contains__(self, value)  # type: ignore[operator]


def test_few_arguments_are_looked_for_in_a_result() -> None:
    """A thousand long arguments times a long result would be a comparison of everything with everything."""
    arguments = {f"key{n}": f"words of the argument {n}" for n in range(1_000)}
    Asked.asked = 0
    fingerprint._without_echo(Asked(LONG["prose"][:MAX_VALUE_BYTES]), arguments)
    assert Asked.asked == ECHOES


def test_only_the_first_arguments_count_as_an_echo() -> None:
    """A result that repeats one of the first is the same for another question; one far behind is looked up no more."""
    others = {f"key{n}": "a word" for n in range(ECHOES)}
    answer = "I looked for what you asked, which is {0}, and there is nothing of that kind in the whole harbour. " * 3

    def gates(first: bool) -> int:
        asked = [{"q": f"the lamp of {place}"} for place in ("Oslo", "Rome")]
        calls = [{**one, **others} if first else {**others, **one} for one in asked]
        found = [look(arguments=call, result=answer.format(call["q"])).gate for call in calls]
        return len(set(found))

    assert (gates(first=True), gates(first=False)) == (1, 2)


def test_a_value_seen_before_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal texts are decoded, stripped and judged once."""
    values: dict[str, Any] = {"arguments": '{"q": "the only lamp"}', "result": "The only lamp is at the pier. " * 20}
    first = look(**values)
    for name in ("decode", "bare", "outcome_of", "exact", "folded"):
        monkeypatch.setattr(fingerprint, name, None)
    assert look(**values) == first


def test_what_is_remembered_is_bounded() -> None:
    """Long texts are not remembered, and of short ones only the latest."""

    def same(text: str, between: int = 0) -> bool:
        one = look(arguments=text)
        for n in range(between):
            look(arguments=f'{{"other": {n}}}')
        return look(arguments=text).arguments is one.arguments

    assert same('{"q": "tide"}')
    assert not same('{"q": "tide"}', between=KNOWN)
    assert not same(json.dumps({"q": "x" * KNOWN_CHARACTERS}))


def test_what_is_remembered_is_told_apart() -> None:
    """The same words of a call that failed, of a tool that only reads, of one named in them, or under another limit."""
    text = "npm ERR! 3 failed, see the log of write_lamp for what went wrong."
    found = [
        look(result=text, tool="write_lamp"),
        look(result=text, tool="write_lamp", failed=True),
        look(result=text, tool="read_lamp"),
        look(result=text, tool="write_lamp", limit=20),
    ]
    assert [each.outcome for each in found] == [Outcome.FATAL, Outcome.FATAL, Outcome.SUCCESS, Outcome.FATAL]
    assert len({each.gate for each in found}) == 3
    assert found[2].gate == found[0].gate
    assert found == [
        look(result=text, tool="write_lamp"),
        look(result=text, tool="write_lamp", failed=True),
        look(result=text, tool="read_lamp"),
        look(result=text, tool="write_lamp", limit=20),
    ]


def test_policies_do_not_share_what_is_remembered() -> None:
    """Keys that one tool's policy leaves out count for another's."""
    text = '{"q": "tide", "nonce": "a1"}'
    call = ToolCall(run="r", tool="look", arguments=text)
    plain, volatile = (
        read(call, policy, 65_536) for policy in (POLICY, ToolPolicy(volatile_keys=frozenset({"nonce"})))
    )
    identity = read(call, ToolPolicy(identity_keys=frozenset({"nonce"})), 65_536)
    assert len({plain.exact, volatile.exact, identity.exact}) == 3
