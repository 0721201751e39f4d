"""Tool-call sequences: one case per line, ``{"id", "calls": [{"tool", "args", "result", "error", ..}]}``.

Of a call, ``args``, ``result`` and ``error`` may be null or missing: unknown. ``error`` is a text, or ``true`` with the
text in ``result``. ``at_ms`` is its start; a call lasts until just before the next one starts, or, for calls with the
same ``batch`` (siblings of one model response), before the next one outside the batch. ``result_sha`` completes a
result that was cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import NoneType
from typing import Any

from otel_loopwatch.dialects.envelopes import Opened, open_result
from otel_loopwatch.model import ToolCall
from otel_loopwatch.settings import MAX_VALUE_BYTES
from otel_loopwatch.sources.formats import CallFormat
from otel_loopwatch.sources.records import Records
from otel_loopwatch.tracker.events import RunEnded, Tracked

NS_PER_MS = 1_000_000
DEFAULT_GAP_MS = 1000
"""Between calls whose times are unknown."""
NO_TOOL = "unknown"
"""For a call in which the model named no tool: an attempt all the same."""
CUT_AT = 2000
"""Characters from which a result with a ``result_sha`` may have been cut."""


def is_case(record: Mapping[str, Any]) -> bool:
    """Whether an object is a case."""
    return isinstance(record.get("calls"), list)


def case_id(record: Mapping[str, Any], line: int) -> str:
    """Id of the case; a case without one is called after its line."""
    found = record.get("id")
    return str(found) if isinstance(found, (str, int)) else f"line-{line}"


def calls(record: Mapping[str, Any], case: str) -> list[ToolCall | None]:
    """The calls in their order; ``None`` for each that cannot be read.

    One agent: the run is the case. Several: each is its own run, ``case/agent``. They share the group, the case.
    """
    entries = [entry if _is_call(entry) else None for entry in record["calls"]]
    known = [entry for entry in entries if entry is not None]
    several = len({_text(entry.get("agent")) for entry in known}) > 1
    times = iter(_times(known))
    return [None if entry is None else _call(entry, case, several, *next(times)) for entry in entries]


def _read(records: Records) -> Iterator[Tracked]:
    """Calls of case after case; a case is over with its last call."""
    for line, record in records:
        if not is_case(record):
            records.skip(line, "not a case")
            continue
        found = calls(record, case_id(record, line))
        for _ in range(found.count(None)):
            records.skip(line, "not a call")
        known = [call for call in found if call is not None]
        yield from known
        yield from (RunEnded(run, "ended") for run in dict.fromkeys(call.run for call in known))


def _is_call(entry: object) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("tool", 0), (str, NoneType))


def _call(entry: Mapping[str, Any], case: str, several: bool, start_ns: int, end_ns: int) -> ToolCall:
    agent, error, opened = _text(entry.get("agent")), entry.get("error"), _result(entry)
    result = opened.value
    if error is True and isinstance(result, str):
        error = result
    return ToolCall(
        run=f"{case}/{agent}" if several and agent else case,
        group=case,
        tool=entry["tool"] or NO_TOOL,
        arguments=entry.get("args"),
        result=result,
        failed=opened.failed or error is True or isinstance(error, str),
        error=_text(error),
        agent=agent,
        batch=_integer(entry.get("batch")),
        user_turn=_integer(entry.get("turn")),
        start_ns=start_ns,
        end_ns=end_ns,
        dialect="case",
    )


def _result(entry: Mapping[str, Any]) -> Opened:
    """The result out of its envelope; one that was cut gets the digest of the whole, so that different stays so."""
    result, digest = entry.get("result"), entry.get("result_sha")
    if isinstance(result, str) and isinstance(digest, str) and len(result) >= CUT_AT:
        return Opened(f"{result} [{digest}]")
    return open_result(result, MAX_VALUE_BYTES)


def _times(entries: list[Mapping[str, Any]]) -> list[tuple[int, int]]:
    """Start and end of each call in ns."""
    starts: list[int] = []
    for entry in entries:
        start = _integer(entry.get("at_ms"))
        following = starts[-1] + DEFAULT_GAP_MS * NS_PER_MS if starts else 0
        starts.append(following if start is None else start * NS_PER_MS)
    ends = [0] * len(starts)
    end = starts[-1] + DEFAULT_GAP_MS * NS_PER_MS if starts else 0
    for index in range(len(starts) - 1, -1, -1):
        ends[index] = max(starts[index], end - 1)
        if index and not _siblings(entries[index - 1], entries[index]):
            end = starts[index]
    return list(zip(starts, ends, strict=True))


def _siblings(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    batch = _integer(one.get("batch"))
    return batch is not None and batch == _integer(other.get("batch"))


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _integer(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


FORMAT = CallFormat(
    name="cases",
    written_by="`otel_loopwatch.scenarios`, and anything that writes its calls down",
    looks="objects with `calls`",
    recognises=is_case,
    read=_read,
)
