from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sources.reading import Row, case, check

TRACE = "00000000-0000-4000-8000-000000000001"


def run(number: int, kind: str, name: str, inputs: Any, outputs: Any, **fields: Any) -> dict[str, Any]:
    """A run, ``number`` seconds after the first."""
    return {
        "id": f"00000000-0000-4000-8000-{number:012d}",
        "trace_id": TRACE,
        "parent_run_id": TRACE if number > 1 else None,
        "dotted_order": "20231114T221320000000Z" + TRACE,
        "run_type": kind,
        "name": name,
        "inputs": inputs,
        "outputs": outputs,
        "error": None,
        "start_time": f"2023-11-14T22:13:{20 + number}.000000",
        "end_time": f"2023-11-14T22:13:{21 + number}.000000" if number > 1 else "2023-11-14T22:20:00",
        **fields,
    }


ROOT = run(1, "chain", "guide", {}, {})
TOOL = run(2, "tool", "weather", {"city": "Oslo"}, {"output": "rain"})
MESSAGE = {"lc": 1, "type": "constructor", "id": ["ToolMessage"], "kwargs": {"content": "rain", "tool_call_id": "c1"}}
CALL = {"tool": "weather", "arguments": {"city": "Oslo"}, "result": "rain", "failed": False, "dialect": "langsmith"}
ASKING = {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "weather", "arguments": "{}"}}]}
ASKED = [ASKING, {"role": "tool", "tool_call_id": "c1", "content": "rain"}]

ROWS = [
    Row("one run per line", [ROOT, TOOL], [CALL]),
    Row("a list", [{"runs": [ROOT, TOOL]}], [CALL]),
    Row("runs within runs", [{**ROOT, "child_runs": [{**TOOL, "child_runs": []}]}], [CALL]),
    Row(
        "LangChain's input and output",
        [ROOT, run(2, "tool", "weather", {"input": "{'city': 'Oslo'}"}, {"output": MESSAGE})],
        [{**CALL, "call_id": "c1"}],
    ),
    Row(
        "a failure",
        [ROOT, run(2, "tool", "weather", {"city": "Oslo"}, None, error="TimeoutError('no answer')")],
        [{"failed": True, "result": None, "error": "TimeoutError: 'no answer'"}],
    ),
    Row(
        "an interrupt is no failure",
        [ROOT, run(2, "tool", "ask", {}, None, error="GraphInterrupt((Interrupt(value='?'),))")],
        [{"failed": False, "tool": "ask"}],
    ),
    Row(
        "a client's calls",
        [
            ROOT,
            run(2, "llm", "ChatOpenAI", {"messages": []}, {"choices": [{"message": ASKING}]}),
            run(3, "llm", "ChatOpenAI", {"messages": ASKED}, {"choices": [{"message": {"role": "assistant"}}]}),
        ],
        [{"tool": "weather", "result": "rain", "call_id": "c1"}],
    ),
    Row("no tool", [ROOT], []),
    Row("what is no run", [ROOT, {"id": 5, "run_type": "tool"}, TOOL], [CALL], skipped=1),
    Row("wrong types", [{"id": "x", "run_type": "tool", "name": 5, "inputs": [], "outputs": "y", "error": {}}], []),
]


@pytest.mark.parametrize("row", ROWS, ids=case)
def test_langsmith_runs_are_read(tmp_path: Path, row: Row) -> None:
    """Tools are runs of their own; with a bare client, they stand in its messages."""
    check(tmp_path, row, "LangSmith runs")
