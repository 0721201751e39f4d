"""Session files of Claude Code (``~/.claude/projects/*/*.jsonl``), and what ``claude -p --output-format stream-json``
and the Claude Agent SDK print.

Every content block of a response is a line of its own, under the response's id; a subagent's lines stand between those
of the agent that called it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from otel_loopwatch.dialects.values import first
from otel_loopwatch.sources import chat
from otel_loopwatch.sources.formats import CallFormat
from otel_loopwatch.sources.records import Record, Records
from otel_loopwatch.sources.scalars import mapping, nanoseconds, text
from otel_loopwatch.sources.transcript import Transcript
from otel_loopwatch.tracker.events import Tracked

DIALECT = "claude-code-session"
_SESSION = ("sessionId", "session_id")


def _recognises(record: Record) -> bool:
    said = record.get("type") in ("assistant", "user") and isinstance(record.get("message"), Mapping)
    return said and isinstance(first(record, *_SESSION, "uuid"), str)


def _read(records: Records) -> Iterator[Tracked]:
    chains = _Chains()
    runs: dict[str, Transcript] = {}
    for line, record in records:
        if not _recognises(record):
            _tell_other(records, line, record)
            continue
        session = text(first(record, *_SESSION)) or records.path.stem
        chain = chains.of(record)
        run = f"{session}/{chain}" if chain else session
        transcript = runs.get(run) or runs.setdefault(run, Transcript(run, DIALECT, group=session, agent=chain or None))
        yield from _heard(transcript, record, mapping(record["message"]))
    for transcript in runs.values():
        yield from transcript.end()


def _heard(transcript: Transcript, record: Record, message: Mapping[str, Any]) -> Iterator[Tracked]:
    if record["type"] == "user" and not record.get("isMeta") and not list(chat.parts(message)):
        transcript.user_spoke()
    yield from transcript.hear(message, nanoseconds(record.get("timestamp")), message.get("id"))


def _tell_other(records: Records, line: int, record: Record) -> None:
    """Summaries, snapshots and the like are part of a session; an object without a type is not."""
    if isinstance(record.get("type"), str):
        records.pass_over("other lines of a session")
    else:
        records.skip(line, "not a line of a session")


class _Chains:
    """Which subagent a line belongs to: by its name, by the call that started it, or by its chain of parents."""

    def __init__(self) -> None:
        self._heads: dict[str, str] = {}

    def of(self, record: Record) -> str:
        """The subagent; empty for the agent itself."""
        named = text(first(record, "agentId", "parent_tool_use_id"))
        if named or not record.get("isSidechain"):
            return named
        own = text(record.get("uuid"))
        head = self._heads.get(text(record.get("parentUuid")), own)
        self._heads[own] = head
        return head


FORMAT = CallFormat(
    name="Claude Code session",
    written_by="Claude Code (`~/.claude/projects`), `claude --output-format stream-json`",
    looks="lines with `type` (`user`, `assistant`), `message` and `sessionId`",
    recognises=_recognises,
    read=_read,
)
