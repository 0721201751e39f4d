"""Real spans of real frameworks, where the collection lies beside the repository: from files, and as they came live."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from otel_loopwatch.model import ModelTurn, ToolCall
from otel_loopwatch.sources import SpansFile, read
from otel_loopwatch.spans import SpanData
from otel_loopwatch.tracker import Tracked, Tracker, replay

SHARED = Path(__file__).parents[3] / "shared" / "spans"
FILES = sorted(path for path in SHARED.glob("*.json") if not path.name.endswith((".live.json", ".logs.json")))
LIVE = [path for path in FILES if path.with_suffix(".live.json").exists()]
pytestmark = pytest.mark.skipif(not FILES, reason=f"no collection of spans at {SHARED}")

OTHER_SCRIPTS = ("_hook", "_noerrcb", "_mw__", "crewai__openllmetry", "_server__")
CLIENTS = ("anthropic__", "openai-chat", "openai-responses")
NO_CONTENT = ("native_sensitive136__",)
STANDARD = [
    path
    for path in FILES
    if path.name.endswith("__content.json") and not any(part in path.name for part in OTHER_SCRIPTS)
]
SCRIPT = Counter(get_order=1, search_docs=4, flaky=2)


def spans_in(path: Path) -> list[SpanData]:
    """The readable spans of a file."""
    file = read(path)
    assert isinstance(file, SpansFile)
    return list(file)


def by_file(paths: list[Path]) -> pytest.MarkDecorator:
    """One test per file, named after it."""
    return pytest.mark.parametrize("path", paths, ids=lambda path: path.stem)


def calls_of(told: list[Tracked]) -> list[ToolCall]:
    """The calls alone."""
    return [event for event in told if isinstance(event, ToolCall)]


@by_file(STANDARD)
def test_the_standard_script_is_read_back(path: Path) -> None:
    """One order, four equal searches and two failures, in one run."""
    calls = calls_of(list(replay(spans_in(path), Tracker())))
    searches = [call for call in calls if call.tool == "search_docs"]
    assert Counter(call.tool for call in calls if call.tool != "final_answer") == SCRIPT
    assert len({call.run for call in calls}) == 1
    assert len({str(call.arguments) for call in searches}) == 1
    assert len({str(call.result) for call in searches}) == 1
    assert (searches[0].arguments is None) == any(part in path.name for part in NO_CONTENT)
    if not path.name.startswith(CLIENTS):
        assert all(call.failed for call in calls if call.tool == "flaky")


class Seen(NamedTuple):
    """What must be the same live and from a file."""

    run: str
    batch: int | None
    tool: str
    arguments: object
    result: object
    failed: bool


def seen(told: list[Tracked]) -> list[Seen]:
    """The calls, in their runs and batches."""
    return [Seen(call.run, call.batch, call.tool, call.arguments, call.result, call.failed) for call in calls_of(told)]


def turns(told: list[Tracked]) -> list[str]:
    """The runs of the model turns."""
    return [event.run for event in told if isinstance(event, ModelTurn)]


class Growing:
    """A live span: what it did not say at its start comes at its end."""

    def __init__(self, data: SpanData, name: str, attributes: dict[str, Any]) -> None:
        self._data = data
        self.name, self.scope, self.attributes = name, data.scope, attributes
        self.trace_id, self.span_id, self.parent_id = data.trace_id, data.span_id, data.parent_id
        self.start_ns, self.end_ns = data.start_ns, 0
        self.events, self.failed, self.status_message, self.service = (), False, "", data.service

    def finish(self) -> Growing:
        """It ends, and tells all."""
        self.name, self.attributes = self._data.name, dict(self._data.attributes)
        self.events, self.failed = self._data.events, self._data.failed
        self.status_message, self.end_ns = self._data.status_message, self._data.end_ns
        return self


def log_of(path: Path) -> Iterator[tuple[bool, str, int, dict[str, Any]]]:
    """The live log of a run: whether it is an end, the span's name, its id and its attributes by then."""
    log = msgspec.json.decode(path.with_suffix(".live.json").read_bytes())
    for step in log.get("probe", ()):
        if step["ev"] in ("start", "end"):
            yield step["ev"] == "end", step["name"], int(step["span"], 16), step.get("attributes") or {}
    for kind, name, span_id, *rest in log.get("events", ()):
        yield kind == "end", name, int(span_id, 16), (rest[1] or {}) if kind == "start" else {}


def live(path: Path) -> list[Tracked]:
    """What a tracker makes of the run as it came."""
    finished = {span.span_id: span for span in spans_in(path)}
    first = min(finished.values(), key=lambda span: span.start_ns)
    tracker, told = Tracker(), list[Tracked]()
    growing: dict[int, Growing] = {}
    for ends, name, span_id, attributes in log_of(path):
        if ends:
            told += tracker.end(growing.pop(span_id).finish())
        else:
            never_ended = SpanData(first.trace_id, span_id, name=name, start_ns=first.start_ns)
            growing[span_id] = Growing(finished.get(span_id, never_ended), name, attributes)
            tracker.start(growing[span_id])
    return told + tracker.flush()


@by_file(LIVE)
def test_a_run_is_the_same_live_and_from_its_file(path: Path) -> None:
    """Spans that say little when they start lead to the same calls, runs, batches and turns as finished ones."""
    from_file = list(replay(spans_in(path), Tracker()))
    as_it_came = live(path)
    assert seen(as_it_came) == seen(from_file)
    assert turns(as_it_came) == turns(from_file)


SUB_AGENTS = [path for path in FILES if path.stem.endswith(("_subagent", "_agent_as_tool"))]


@by_file(SUB_AGENTS)
def test_each_invocation_of_a_sub_agent_is_a_run(path: Path) -> None:
    """Two calls of the researcher are two runs of two searches each, beside the support agent's."""
    calls = calls_of(list(replay(spans_in(path), Tracker())))
    assert sorted(Counter(call.run for call in calls).values()) == [2, 2, 2]
    assert {(call.tool, call.agent) for call in calls} == {
        ("ask_researcher", "support_agent"),
        ("search_docs", "researcher"),
    }


MCP = [path for path in FILES if path.name.startswith("mcp") and "_server__" not in path.name]


@by_file(MCP)
def test_a_call_through_mcp_counts_once(path: Path) -> None:
    """Client, transport and server tell one call."""
    calls = calls_of(list(replay(spans_in(path), Tracker())))
    assert Counter(call.tool for call in calls) == SCRIPT
