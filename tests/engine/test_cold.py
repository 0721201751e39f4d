"""Runs that are not in use are bytes: nothing but time and memory may tell."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from random import Random
from typing import Any

import msgspec
import pytest
from engine.story import START_NS, Part, call, fails, story, together
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_loopwatch import cold
from otel_loopwatch.cold import Packer, Shelf
from otel_loopwatch.engine import Engine
from otel_loopwatch.model import RunSummary, ToolCall
from otel_loopwatch.runs import RUN_BYTES
from otel_loopwatch.settings import Settings

S = 10**9

PARTS: list[Part] = [
    call("open_page", {"n": 1}, "Page one tells of knots"),
    call("open_page", {"n": 1}, "Page one tells of ropes, read at 10:00:01"),
    call("open_page", {"n": 1}, "Page one tells of ropes, read at 10:00:07"),
    call("look", {"from": 10, "to": 25.5}, "The sea is grey and calm today"),
    call("look", {"from": 2, "to": 40}, "[]"),
    call("write_file", {"path": "a", "text": "x"}, "ok"),
    call("write_file", {"path": "a", "text": "y"}, "ok"),
    call("send_letter", {"to": "harbour"}, "Letter 17 was sent"),
    fails("look", {"at": "sky"}, "no such place: sky"),
    call("ask"),
    together(1, call("look", {"at": "sea"}, "grey"), call("look", {"at": "sky"}, "blue")),
    call("\ud800", {"odd": "\udfff"}, "A name that is no text was called"),
]
ODD = [{"tool": "\ud800"}, {"progress_version": 2**70}, {"group": "\udfff"}, {"trace_id": 2**127}]


@pytest.fixture
def one_hot(monkeypatch: pytest.MonkeyPatch) -> None:
    """Engines made from now on keep one run as objects."""
    monkeypatch.setattr(cold, "HOT", 1)


def at(second: int, run: str, **fields: Any) -> ToolCall:
    """A call of a run that reads the same page each time."""
    end_ns = START_NS + second * S
    made = ToolCall(run=run, tool="read", arguments={"p": 1}, result="The page says: wait", end_ns=end_ns)
    return msgspec.structs.replace(made, **fields)


def words(seed: int) -> str:
    """8 KB that cannot be packed."""
    return Random(seed).randbytes(4_096).hex()


def interleaved(stories: list[list[Part]]) -> Iterator[ToolCall]:
    """The stories as runs side by side, of one trace, a call of each in turn."""
    runs = [story(*parts, run=f"run{number}") for number, parts in enumerate(stories)]
    for row in zip_longest(*runs):
        yield from (msgspec.structs.replace(each, group="trace", trace_id=2**127) for each in row if each is not None)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.sampled_from(PARTS), min_size=1, max_size=20), min_size=2, max_size=4))
def test_packing_changes_nothing(stories: list[list[Part]]) -> None:
    """Several runs side by side get the same signals whether all of them are objects or all but one are bytes."""
    warm, chilled = Engine(), Engine()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cold, "HOT", 1)
        chilled = Engine()
    for number, each in enumerate(interleaved(stories)):
        assert chilled.observe(each) == warm.observe(each), number
    for number in range(len(stories)):
        assert chilled.summary(f"run{number}") == warm.summary(f"run{number}")
        assert chilled.end(f"run{number}") == warm.end(f"run{number}")


@pytest.mark.parametrize("fields", ODD)
def test_what_messagepack_cannot_hold_is_kept_all_the_same(one_hot: None, fields: dict[str, Any]) -> None:
    """A run with odd names or numbers is packed in another way, and goes on where it was."""
    engine, alone = Engine(), Engine()
    for second in range(5):
        assert engine.observe(at(second, "odd", **fields)) == alone.observe(at(second, "odd", **fields))
        engine.observe(at(second, "even"))
    summary = engine.summary("odd")
    assert summary is not None
    assert summary.calls == 5


def test_a_packed_run_is_asked_changed_and_ended(one_hot: None) -> None:
    """A look changes nothing; declared progress does; the end frees every byte."""
    engine = Engine()
    for second in range(4):
        for name in ("a", "b", "c"):
            engine.observe(at(second, name, group=name, progress_version=1))
    rehearsed = engine.rehearse(at(4, "a"))
    assert rehearsed.effort == 13
    engine.progress("a", 2)
    assert [engine.observe(at(5, name, group=name)).wasted for name in ("a", "b")] == [0, 1]
    ended = [engine.end(name) for name in ("a", "b", "c", "nobody")]
    assert [None if summary is None else summary.calls for summary in ended] == [5, 5, 4, None]
    assert (len(engine), engine._runs._runs.size, len(engine._groups), engine._groups.size) == (0, 0, 0, 0)


def test_packed_runs_are_saved_and_restored(one_hot: None) -> None:
    """The state holds all runs, without any result; both engines go on alike."""
    engine, other = Engine(), Engine()
    calls = [at(second, f"run{n}", group="all") for second in range(3) for n in range(5)]
    for each in calls:
        engine.observe(each)
    state = engine.save()
    assert b"wait" not in state
    for _ in range(2):
        other.restore(state)
    assert len(other) == 5
    later = [at(10 + second, f"run{n}", group="all") for second in range(3) for n in range(5)]
    assert [other.observe(each) for each in later] == [engine.observe(each) for each in later]


def test_packed_runs_grow_too_old(one_hot: None) -> None:
    """The time of the last call is known without unpacking; the summary of a dropped run is whole."""
    dropped: list[tuple[str, RunSummary]] = []
    engine = Engine(Settings(run_ttl_s=10), lambda reason, summary: dropped.append((reason, summary)))
    for second, name in enumerate("aabc"):
        engine.observe(at(second, name))
    engine.observe(at(12, "c"))
    assert [(reason, summary.run, summary.calls) for reason, summary in dropped] == [("ttl", "a", 2)]


def test_memory_is_capped() -> None:
    """Whatever runs hold, all of them together take no more than was said; the least recently active go first."""
    dropped: list[tuple[str, str]] = []
    engine = Engine(Settings(max_memory_mb=1), lambda reason, summary: dropped.append((reason, summary.run)))
    for number in range(300):
        for second in range(3):
            text = words(number * 10 + second)
            engine.observe(at(number, f"run{number}", result=text, group=f"run{number}"))
        assert engine._runs._runs.size + engine._groups.size <= 10**6
    assert 20 < len(engine) < 200
    assert dropped == [("capacity", f"run{number}") for number in range(300 - len(engine))]


def test_one_run_is_kept_whatever_it_takes() -> None:
    """A limit below the size of a single run leaves that one."""
    shelf = Shelf(PACKER, RUN_BYTES, max_bytes=1)
    shelf.put("a", Thing(1))
    assert not shelf.overfull
    shelf.put("b", Thing(2))
    assert shelf.overfull
    assert shelf.oldest() == ("a", 1)


class Thing(msgspec.Struct):
    """Something to keep."""

    number: int


PACKER = Packer(Thing, last_ns=lambda thing: thing.number)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["put", "use", "look", "pop"]), st.integers(0, 6)), max_size=60))
def test_a_shelf_is_an_ordered_dictionary(steps: list[tuple[str, int]]) -> None:
    """What is put, used and popped, in the order of use, with two things hot and the bytes counted right."""
    shelf = Shelf(PACKER, 1, max_bytes=8)
    plain: dict[str, Thing] = {}
    for number, (step, name) in enumerate(steps):
        key = f"key{name}"
        if step == "put":
            plain.pop(key, None)
            plain[key] = Thing(number)
            shelf.put(key, Thing(number))
        elif step == "use":
            assert shelf.use(key) == plain.get(key)
            if key in plain:
                plain[key] = plain.pop(key)
        elif step == "look":
            assert shelf.look(key) == plain.get(key)
        else:
            assert shelf.pop(key) == plain.pop(key, None)
        assert list(shelf.items()) == list(plain.items())
        assert len(shelf) == len(plain)
    assert shelf.size == len(shelf._hot) + sum(packed.size for packed in shelf._cold.values())
    assert len(shelf._hot) <= 2
