"""Real spans of real frameworks, where the collection lies beside the repository."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from otel_loopwatch.dialects import CallContent, Role, read_call, read_turn, role
from otel_loopwatch.model import ToolCall
from otel_loopwatch.sources import CallsFile, SpansFile, read
from otel_loopwatch.spans import SpanData

SHARED = Path(__file__).parents[3] / "shared"
SPANS = sorted(
    path for path in (SHARED / "spans").glob("*.json") if not path.name.endswith((".live.json", ".logs.json"))
)
LIVE = [path for path in SPANS if path.with_suffix(".live.json").exists()]
CASES = sorted((SHARED / "cases").glob("*.jsonl")) + sorted((SHARED / "corpora").glob("*.jsonl.gz"))
pytestmark = pytest.mark.skipif(not SPANS, reason=f"no collection of spans at {SHARED}")

CLIENTS = ("anthropic__", "openai-chat", "openai-responses")
OTHER_SCRIPTS = ("_hook", "_noerrcb", "_mw__", "crewai__openllmetry", "_server__")
NO_CONTENT = ("native_sensitive136__",)
STANDARD = [
    path
    for path in SPANS
    if path.name.endswith("__content.json") and not any(part in path.name for part in OTHER_SCRIPTS)
]
SCRIPT = Counter(get_order=1, search_docs=4, flaky=2)


def tool_calls(path: Path) -> list[CallContent]:
    """The calls of a file's tool spans, the innermost of nested ones left out."""
    file = read(path)
    assert isinstance(file, SpansFile)
    tools = {span.span_id: span for span in file if role(span) is Role.TOOL}
    outer = [span for span in tools.values() if span.parent_id not in tools]
    calls = [read_call(span) for span in outer]
    assert file.records.broken_count == 0
    return [call for call in calls if call is not None]


@pytest.mark.parametrize("path", SPANS, ids=lambda path: path.name)
def test_every_file_is_read(path: Path) -> None:
    """No span breaks a reader, and every tool span is a call."""
    file = read(path)
    assert isinstance(file, SpansFile)
    for span in file:
        assert role(span) is not Role.TOOL or read_call(span) is not None
        read_turn(span)
    assert file.records.broken_count == 0


@pytest.mark.parametrize(
    "path", [path for path in STANDARD if not path.name.startswith(CLIENTS)], ids=lambda path: path.name
)
def test_the_standard_script_is_read_from_tool_spans(path: Path) -> None:
    """One order, four equal searches with equal known results, two failures."""
    calls = [call for call in tool_calls(path) if call.tool in SCRIPT]
    assert Counter(call.tool for call in calls) == SCRIPT
    searches = [call for call in calls if call.tool == "search_docs"]
    if not any(part in path.name for part in NO_CONTENT):
        assert len({repr(call.arguments) for call in searches}) == 1
        assert {call.result for call in searches} == {"0 results"}
        assert all(call.arguments is not None for call in calls)
    assert not any(call.failed for call in calls if call.tool != "flaky")
    assert "autogen__" in path.name or all(call.failed and call.error for call in calls if call.tool == "flaky")


@pytest.mark.parametrize(
    "path", [path for path in STANDARD if path.name.startswith(CLIENTS)], ids=lambda path: path.name
)
def test_the_standard_script_is_read_from_messages(path: Path) -> None:
    """Model spans ask for the same calls, and the last request holds all of them with their results."""
    file = read(path)
    assert isinstance(file, SpansFile)
    turns = [read_turn(span) for span in file if role(span) is Role.MODEL]
    asked = [call for turn in turns for call in turn.calls]
    assert Counter(call.tool for call in asked) == SCRIPT
    assert len({repr(call.arguments) for call in asked if call.tool == "search_docs"}) == 1
    last = max(turns, key=lambda turn: len(turn.history))
    results: dict[Any, Any] = {result.call_id: result.result for result in last.results}
    assert {results[call.call_id] for call in last.history if call.tool == "search_docs"} == {"0 results"}


@pytest.mark.parametrize(
    "path", [path for path in SPANS if "hidden" in path.name or "__nocontent" in path.name], ids=lambda path: path.name
)
def test_hidden_content_is_unknown(path: Path) -> None:
    """Nothing that was hidden is taken for a value; a failure may still show the text given to the model."""
    calls = tool_calls(path)
    assert calls
    assert {call.arguments for call in calls} == {None}
    assert {call.result for call in calls} == {None}


def starts(path: Path) -> list[tuple[int, SpanData]]:
    """The spans of a live log as they were when they started, with their ids."""
    log = msgspec.json.decode(path.with_suffix(".live.json").read_bytes())
    probed = [(e["name"], e["span"], e.get("attributes")) for e in log.get("probe", ()) if e["ev"] == "start"]
    logged = [(e[1], e[2], e[4]) for e in log.get("events", ()) if e[0] == "start"]
    return [(int(span, 16), SpanData(name=name, attributes=given or {})) for name, span, given in probed + logged]


@pytest.mark.parametrize("path", LIVE, ids=lambda path: path.name)
def test_a_span_is_never_taken_for_another_at_its_start(path: Path) -> None:
    """What a span is known to be when it starts, it still is when it ends."""
    file = read(path)
    assert isinstance(file, SpansFile)
    ended = {span.span_id: role(span) for span in file}
    changed = [span.name for key, span in starts(path) if key in ended and role(span) not in (ended[key], Role.OTHER)]
    assert changed == []


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name)
def test_every_case_is_read(path: Path) -> None:
    """All calls of all cases are read, none is skipped."""
    file = read(path)
    assert isinstance(file, CallsFile)
    assert any(isinstance(told, ToolCall) for told in file)
    assert file.records.broken_count == 0
