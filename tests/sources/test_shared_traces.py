"""Traces people published, where the collection lies beside the repository."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from sources.reading import calls

from otel_loopwatch.cli import main
from otel_loopwatch.sources import read

SHARED = Path(__file__).parents[3] / "shared"
TRACES, LOGS = SHARED / "traces", sorted((SHARED / "spans").glob("*.logs.json"))
INDEX = TRACES / "INDEX.jsonl"
ENTRIES: list[dict[str, Any]] = (
    [json.loads(line) for line in INDEX.read_text(encoding="utf-8").splitlines()] if INDEX.exists() else []
)
pytestmark = pytest.mark.skipif(not ENTRIES, reason=f"no collection of traces at {TRACES}")

SCRIPT = {"get_order": 1, "search_docs": 4, "flaky": 2}


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["file"])
def test_exactly_the_calls_of_a_trace_are_read(entry: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    """No more, no fewer; nothing of a sound file is skipped, and where there is no call, something is said."""
    path = TRACES / entry["file"]
    file = read(path)
    assert Counter(call.tool for call in calls(file)) == Counter(entry["tools"])
    assert file.records.broken_count == 0
    assert main(["calls", str(path)]) == 0
    assert ("no tool calls: " in capsys.readouterr().out) is not bool(entry["tools"])


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_events_tell_the_calls_of_their_script(path: Path) -> None:
    """Clients that write events instead of content on spans tell as much, results included."""
    found = calls(read(path))
    assert Counter(call.tool for call in found) == SCRIPT
    assert {call.result for call in found if call.tool == "search_docs"} == {"0 results"}
    assert all(call.arguments is not None for call in found)
