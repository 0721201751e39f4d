"""Texts come from strangers: nothing raises, and no text takes time out of proportion to its length."""

from __future__ import annotations

from collections.abc import Callable
from time import thread_time
from typing import Any

import pytest
from engine.story import START_NS
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_loopwatch import asked, lines, outcomes, verbs
from otel_loopwatch.dialects.envelopes import open_arguments, open_result
from otel_loopwatch.engine import Engine
from otel_loopwatch.fingerprint import read
from otel_loopwatch.labels import bare
from otel_loopwatch.masking import clock_only, mask, steady, without_ids
from otel_loopwatch.model import ToolCall
from otel_loopwatch.numbers import Trend
from otel_loopwatch.outcomes import outcome_of
from otel_loopwatch.runs import Run
from otel_loopwatch.settings import NO_POLICY
from otel_loopwatch.words import words_of

LIMIT = 10_000_000
SMALL, LARGE = 10_000, 40_000
PROPORTION = 10.0
"""Times as long for four times the text; sixteen times would be quadratic."""
QUICK_S = 0.1
"""Too little to tell a proportion by."""
SLOW_S = 0.25
"""Too much for a text of ten thousand characters."""


def outcome(text: str) -> None:
    """The outcome of a result and of a failure, as if seen for the first time."""
    for cached in (outcomes._short, outcomes._failure):
        cached.cache_clear()
    for failed in (False, True):
        outcome_of(text, failed)


def request(text: str) -> None:
    """Two requests, one after the other."""
    run = Run(key="r")
    for arguments in ({"a": text, "b": [text]}, {text: "a", "path": f"/{text}"}):
        asked.identity(run, read(ToolCall(run="r", tool="t", arguments=arguments), NO_POLICY, LIMIT))


def words(text: str) -> None:
    """The words of one long value, and of very many short ones."""
    words_of({"q": text})
    words_of([f"{text[start : start + 1_900]}=" for start in range(0, len(text), 1_900)])


def names(text: str) -> None:
    """What a tool's name and the verb in its arguments tell."""
    for cached in (verbs.plain_name, verbs._words):
        cached.cache_clear()
    name = verbs.plain_name(text)
    verbs._words(name)
    for key in ("command", "sql", "action"):
        verbs.deed("t", {key: text})


def whole(text: str) -> None:
    """Everything: the same call twice, with a clock in its result."""
    engine = Engine()
    for number in (1, 2):
        call = ToolCall(run="r", tool="t", arguments={"q": text}, result=f"{text} 10:00:0{number}", end_ns=START_NS)
        engine.observe(call)


READERS: dict[str, Callable[[str], Any]] = {
    "labels": bare,
    "outcome": outcome,
    "misuse": outcomes.misuse,
    "mask": mask,
    "steady": steady,
    "ids": without_ids,
    "clock": clock_only,
    "words": words,
    "request": request,
    "numbers": lambda text: Trend().add(text),
    "lines": lines._pieces,
    "names": names,
    "result": lambda text: open_result(text, LIMIT),
    "key of a result": lambda text: open_result({"result": 1, text: 2}, LIMIT),
    "arguments": lambda text: open_arguments(text, LIMIT),
    "whole": whole,
}

HOSTILE: list[tuple[str, str, str]] = [
    ("", "[", ""),
    ("", "{", ""),
    ("", "1:", ""),
    ("", " ", ""),
    ("", " ", "```"),
    ("", "\n", "x"),
    ("", "\t", ">"),
    ("a:", "\n", ""),
    ("a:", " \n", ""),
    ("Observation", " ", ""),
    ("Result returned", " ", ":"),
    ("abcdefgh12345678", " ", ""),
    ("12:00:00", " ", ""),
    ("1767225600.", "0", ""),
    ("", "0", "x"),
    ("Step ", "0", ""),
    ("[", "1/", ""),
    ("<output>", "</output>", "x>"),
    ("<output ", "a", ">"),
    ("```\n", "```\n", "x```"),
    ("", "`", ""),
    ("", "\x1b[", ""),
    ("\x1b[", "1;", ""),
    ("", "a=", ""),
    ("", "a", ""),
    ("", "a", "!"),
    ("", "f", "z"),
    ("", "F", "!"),
    ("", "a1", "!"),
    ("111", "aB", "="),
    ("", "1", "z"),
    ("", "1,", ""),
    ("", "1.", ""),
    ("", "1h1.", "x"),
    ("pid", "1", "z"),
    ("", "pid" + "1" * 8_000 + "z ", ""),
    ("pid", " ", ""),
    ("", "pid ", ""),
    ("", "time=1.", ""),
    ("Temp", "C:\\", ""),
    ("tmp", "/tmp/", ""),
    ("", "&sig=", ""),
    ("signature=", "?X-Amz-", ""),
    ("", '"ts":', ""),
    ("", '"', ""),
    ("", "'", ""),
    ('"', "quota", ""),
    ('"', "took", "!"),
    ('"', "age", "'"),
    ("status", "in ", ""),
    ("", "status: ", ""),
    ("", "no ", ""),
    ("", "error", ""),
    ("", "failed ", ""),
    ("call", " blocked", ""),
    ("", "took", "!"),
    ("content=''", " name='a'", " !"),
    ("content='", "' name='a", ""),
    ("content='", "\\", ""),
    ("content=''", " name=a", " !"),
    ("{'a': '", "\\\\", "'}"),
    ('{"result":', '{"result":', ""),
    ("sleep 1", " ", "x"),
    ("select", " ", ""),
    ("", "ab_", "!"),
    ("", "a ", "!"),
    ("", "天", ""),
    ("", "},", ""),
    ("", "/a", ""),
]


def fastest(reader: Callable[[str], Any], text: str) -> float:
    """Processor seconds of this thread, the best of three: others use the machine as well."""
    taken = []
    for _ in range(3):
        start = thread_time()
        reader(text)
        taken.append(thread_time() - start)
        if taken[-1] < QUICK_S:
            break
    return min(taken)


@pytest.mark.parametrize("shape", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_time_is_in_proportion(reader: Callable[[str], Any], shape: tuple[str, str, str]) -> None:
    """Four times the text never takes more than ten times as long, however it is made."""
    before, unit, after = shape
    small, large = (fastest(reader, before + unit * (size // len(unit)) + after) for size in (SMALL, LARGE))
    assert small < SLOW_S
    assert large < max(QUICK_S, PROPORTION * small)


ANYTHING = st.one_of(
    st.text(max_size=300),
    st.text("0123456789:/[](){}<>=.-|#\"' \n\t`", max_size=300),
    st.lists(st.sampled_from([part for shape in HOSTILE for part in shape if 0 < len(part) < 20]), max_size=30).map(
        "".join
    ),
    st.text(st.characters(categories=["Cs", "Cc", "Lo", "Nd", "Zs"]), max_size=60),
)


LEAVES = st.none() | st.booleans() | st.floats() | ANYTHING


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
@settings(max_examples=50, deadline=None)
@given(text=ANYTHING)
def test_any_text_is_survived(reader: Callable[[str], Any], text: str) -> None:
    """No reader raises, whatever characters come in whatever order."""
    reader(text)


@given(ANYTHING)
def test_labels_leave_something(text: str) -> None:
    """What is left is never more than there was, and never nothing where there was something."""
    found = bare(text)
    assert len(found.text) <= len(text)
    assert found.text.strip() or not text.strip() or "\x1b" in text


@settings(max_examples=50)
@given(st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=9), inner), max_leaves=6))
def test_any_arguments_have_words(arguments: Any) -> None:
    """A value of any shape has a bounded number of words."""
    found = words_of(arguments)
    assert all(isinstance(word, int) for word in found.text | found.atoms)


class Nameless:
    """A value without a ``repr``."""

    def __repr__(self) -> str:
        raise ValueError


STRANGE: list[Any] = [
    {1: 5},
    {1: "a", "b": "c"},
    {b"a": 1},
    {(1, 2): 3},
    {None: 1},
    {"offset": 1e14, "limit": 1e-5},
    {"offset": float("inf"), "limit": 3},
    {"a": float("nan")},
    {"offset": 10**400, "limit": 1},
    {"a": Nameless()},
    {"a": {1, 2}, "b": b"x"},
    {"status": {}, "error": {}},
    [1],
    5,
    True,
    '{"a": 1e999}',
    b"\xff",
    "\ud800",
    {"\ud800": "\ud800/a/b"},
]


@pytest.mark.parametrize("result", STRANGE, ids=range(len(STRANGE)))
@pytest.mark.parametrize("arguments", STRANGE, ids=range(len(STRANGE)))
def test_strange_values_are_survived(arguments: Any, result: Any) -> None:
    """Values that JSON cannot hold are observed like any others, and saved."""
    engine = Engine()
    for number in range(6):
        engine.observe(ToolCall(run="r", tool="t", arguments=arguments, result=result, end_ns=START_NS + number))
    other = Engine()
    other.restore(engine.save())
    assert len(other) == 1
