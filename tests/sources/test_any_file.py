"""Whatever a file holds, reading it raises nothing but UnreadableFile."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sources.reading import opened, tracked

from otel_loopwatch.sources import FORMATS, LAST_RESORT, UnreadableFile

KEYS = """
    resourceSpans resourceLogs scopeSpans scopeLogs spans logRecords batches trace traces data observations
    runs messages calls trajectory history info context span_kind trace_id traceId traceID span_id spanId
    spanID id type run_type name operationName attributes metadata events logs tags references status
    start_time startTime timestamp input output inputs outputs payload message sessionId session_id uuid
    isSidechain role content tool_calls function function_call parts kwargs lc source action observation
    cause kind tool_call_metadata tool_name eventName body key value type text arguments
""".split()
WORDS = """
    tool TOOL assistant user function_call tool_use tool_result response_item session_meta GENERATION SPAN
    llm agent gen_ai.choice gen_ai.tool.message codex.tool_result execute_tool ActionEvent ObservationEvent
    run constructor tools
""".split()
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(WORDS)
    | st.just('{"a": 1}')
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=4), inner, max_size=6)
    ),
    max_leaves=25,
)
SEEDS: list[dict[str, Any]] = [
    {"resourceSpans": [{"scopeSpans": [{"spans": [{}]}]}]},
    {"resourceLogs": [{"scopeLogs": [{"logRecords": [{"eventName": "gen_ai.choice"}]}]}]},
    {"calls": [{"tool": "a"}]},
    {"data": [{"traceID": "a", "spans": [{"spanID": "b", "tags": [{}], "references": [{}], "logs": [{}]}]}]},
    {"trace": {}, "observations": [{"id": "a", "traceId": "b", "type": "TOOL", "metadata": {}}]},
    {"info": {}, "data": {"spans": [{"trace_id": "a", "span_id": "b", "name": "c"}]}},
    {"id": "a", "run_type": "llm", "inputs": {"messages": [{}]}, "outputs": {"generations": [[{"message": {}}]]}},
    {"context": {"trace_id": "a", "span_id": "b"}, "span_kind": "TOOL", "name": "c", "attributes": {}},
    {"trace_id": "a", "span_id": "b", "name": "c"},
    {"type": "assistant", "uuid": "u", "message": {"content": [{"type": "tool_use"}]}},
    {"type": "response_item", "payload": {"type": "function_call", "name": "a"}},
    {"trajectory": [{"action": "ls"}]},
    {"source": "agent", "action": "run", "id": 1, "tool_call_metadata": {}},
    {"role": "user", "content": "<returncode>0</returncode>"},
    {"role": "assistant", "content": [{}], "tool_calls": [{}]},
]
"""A record of each format, into which anything is put."""


def read_all(content: bytes) -> None:
    """Read a file to its end, however it begins."""
    with tempfile.TemporaryDirectory() as directory:
        try:
            file = opened(Path(directory), content)
        except UnreadableFile:
            return
        told = tracked(file)
        assert file.records.position == file.records.size
        assert all(one.run for one in told)


@st.composite
def spoilt(draw: st.DrawFn) -> Any:
    """A record of a format with some of its values, at any depth, replaced or added."""
    record = json.loads(json.dumps(draw(st.sampled_from(SEEDS))))
    for _ in range(draw(st.integers(1, 4))):
        place: Any = record
        while isinstance(place, (dict, list)) and place:
            key = (
                draw(st.sampled_from(sorted(place)))
                if isinstance(place, dict)
                else draw(st.integers(0, len(place) - 1))
            )
            if not isinstance(place[key], (dict, list)) or not place[key] or draw(st.booleans()):
                break
            place = place[key]
        if isinstance(place, dict) and (not place or draw(st.booleans())):
            key = draw(st.sampled_from(KEYS))
        place[key] = draw(VALUES)
    return record


@settings(max_examples=80, deadline=None)
@given(VALUES)
def test_any_json_value_is_survived(value: Any) -> None:
    """As a document, and as a line among others."""
    read_all(json.dumps(value).encode())


@settings(max_examples=100, deadline=None)
@given(st.lists(spoilt(), min_size=1, max_size=4))
def test_any_spoilt_record_is_survived(records: list[Any]) -> None:
    """Each format's own keys, with anything in them."""
    read_all("\n".join(json.dumps(record) for record in records).encode())


@settings(max_examples=40, deadline=None)
@given(
    st.binary(max_size=60),
    st.sampled_from([b"", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\x00\x00\x00\x05\x28\xb5\x2f\xfd", b"["]),
)
def test_any_bytes_are_survived(content: bytes, head: bytes) -> None:
    """Also those that begin like something."""
    read_all(head + content)


@pytest.mark.parametrize("seed", SEEDS, ids=" ".join)
def test_each_format_is_among_the_seeds(tmp_path: Path, seed: dict[str, Any]) -> None:
    """Every record that is spoilt above is one of a format."""
    assert opened(tmp_path, json.dumps(seed).encode()).format in (*FORMATS, *LAST_RESORT)


def test_every_format_has_a_seed(tmp_path: Path) -> None:
    """A new reader is spoilt, too."""
    found = {opened(tmp_path, json.dumps(seed).encode()).format.name for seed in SEEDS}
    assert found == {format_.name for format_ in (*FORMATS, *LAST_RESORT)}


@pytest.mark.parametrize("seed", SEEDS, ids=" ".join)
def test_deep_nesting_is_survived(seed: dict[str, Any]) -> None:
    """A value nested far deeper than Python's stack."""
    deep = '{"content": [' * 3000 + "1" + "]}" * 3000
    for key in seed:
        read_all((json.dumps({**seed, key: 0})[:-1] + f', "{key}": {deep}}}').encode())
        read_all((json.dumps(seed)[:-1] + f', "attributes": {deep}, "metadata": {deep}}}').encode())
