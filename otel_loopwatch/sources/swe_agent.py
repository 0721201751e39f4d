"""SWE-agent's ``.traj``: one object, whose ``trajectory`` has an action and an observation per step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from otel_loopwatch.dialects import MessageCall, MessageResult
from otel_loopwatch.dialects.values import first
from otel_loopwatch.sources.formats import CallFormat
from otel_loopwatch.sources.records import Record, Records
from otel_loopwatch.sources.scalars import text
from otel_loopwatch.sources.transcript import Transcript
from otel_loopwatch.tracker.events import Tracked

DIALECT = "swe-agent"
TOOL = "bash"
"""Every action is a line for the shell, in which SWE-agent's own commands are installed."""


def _recognises(record: Record) -> bool:
    steps = record.get("trajectory")
    return isinstance(steps, list) and all(isinstance(step, Mapping) and "action" in step for step in steps[:1])


def _read(records: Records) -> Iterator[Tracked]:
    for line, record in records:
        if not _recognises(record):
            records.skip(line, "not a trajectory")
            continue
        transcript = Transcript(_name(record, records, line), DIALECT)
        for step in record["trajectory"]:
            if isinstance(step, Mapping):
                yield from _step(transcript, step, records)
            else:
                records.skip(line, "not a step")
        yield from transcript.end()


def _name(record: Record, records: Records, line: int) -> str:
    return text(first(record, "instance_id", "id")) or (f"line-{line}" if line > 1 else records.path.stem)


def _step(transcript: Transcript, step: Mapping[str, Any], records: Records) -> Iterator[Tracked]:
    action = text(step.get("action"))
    if not action.strip():
        records.pass_over("steps without an action")
        return
    yield from transcript.ask(MessageCall(None, TOOL, {"command": action}))
    yield from transcript.answer(MessageResult(None, step.get("observation")))


FORMAT = CallFormat(
    name="SWE-agent trajectory",
    written_by="SWE-agent (`.traj`)",
    looks="an object with `trajectory`, a list of steps with `action`",
    recognises=_recognises,
    read=_read,
)
