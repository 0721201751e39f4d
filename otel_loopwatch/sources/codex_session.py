"""Session files of Codex (``~/.codex/sessions/**/rollout-*.jsonl``): items of the Responses API, one per line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from otel_loopwatch.dialects import MessageResult, messages
from otel_loopwatch.settings import MAX_VALUE_BYTES
from otel_loopwatch.sources import chat
from otel_loopwatch.sources.formats import CallFormat
from otel_loopwatch.sources.records import Record, Records
from otel_loopwatch.sources.scalars import from_json, mapping, nanoseconds, text
from otel_loopwatch.sources.transcript import Transcript
from otel_loopwatch.tracker.events import Tracked

DIALECT = "codex-session"
LINES = {"session_meta", "response_item", "event_msg", "turn_context", "compacted"}
_OUTPUT = re.compile(
    r"\A(?:Chunk ID: .*\n|Wall time: .*\n|Original token count: .*\n|Total output lines: .*\n"
    r"|(?:Exit code:|Process exited with code) (?P<code>-?\d{1,9})\n)+(?:Output:\n)?"
)
"""What Codex writes above a command's output: times and ids that differ on every call, and the exit code."""


def _recognises(record: Record) -> bool:
    if text(record.get("type")) in LINES and isinstance(record.get("payload"), Mapping):
        return True
    return _is_first_line(record)


def _is_first_line(record: Record) -> bool:
    """The first line as the first releases wrote it, before items had an envelope."""
    return isinstance(record.get("id"), str) and "timestamp" in record and "instructions" in record


def _read(records: Records) -> Iterator[Tracked]:
    transcript = Transcript(records.path.stem, DIALECT)
    for line, record in records:
        if not isinstance(record.get("type", record.get("record_type", "")), str):
            records.skip(line, "not a line of a session")
            continue
        item = record.get("payload", record)
        if record.get("type") == "event_msg" or not isinstance(item, Mapping):
            records.pass_over("other lines of a session")
        elif record.get("type") == "session_meta" and isinstance(item.get("id"), str):
            yield from transcript.end()
            transcript = Transcript(item["id"], DIALECT)
        else:
            yield from _heard(transcript, item, nanoseconds(record.get("timestamp")))
    yield from transcript.end()


def _heard(transcript: Transcript, item: Mapping[str, Any], at_ns: int) -> Iterator[Tracked]:
    if chat.role(item) == "user":
        transcript.user_spoke()
    exchange = messages.read(chat.conventional(item), MAX_VALUE_BYTES)
    for call in exchange.calls:
        yield from transcript.ask(call, at_ns)
    for result in exchange.results:
        yield from transcript.answer(opened(result), at_ns)


def opened(result: MessageResult) -> MessageResult:
    """The output of a command out of what Codex puts around it: an object of two versions, or lines above the text."""
    envelope = mapping(from_json(result.result, "{"))
    if not envelope.keys() & {"output", "content"}:
        return _without_head(result)
    code = mapping(envelope.get("metadata")).get("exit_code")
    failed = result.failed or envelope.get("success") is False or (isinstance(code, int) and code != 0)
    inner = envelope["output"] if "output" in envelope else envelope["content"]
    return _without_head(MessageResult(result.call_id, inner, failed))


def _without_head(result: MessageResult) -> MessageResult:
    head = _OUTPUT.match(text(result.result))
    if head is None:
        return result
    failed = result.failed or (head["code"] is not None and int(head["code"]) != 0)
    return MessageResult(result.call_id, text(result.result)[head.end() :], failed)


FORMAT = CallFormat(
    name="Codex session",
    written_by="Codex (`~/.codex/sessions`)",
    looks="lines with `type` (`session_meta`, `response_item`) and `payload`",
    recognises=_recognises,
    read=_read,
)
