"""Plain messages: a conversation per file, per list on a line, or per object with ``messages``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from otel_loopwatch.dialects.values import first
from otel_loopwatch.sources import chat
from otel_loopwatch.sources.formats import CallFormat
from otel_loopwatch.sources.records import Record, Records
from otel_loopwatch.sources.scalars import nanoseconds, objects
from otel_loopwatch.sources.transcript import Transcript
from otel_loopwatch.tracker.events import Tracked

DIALECT = "messages"
ROLES = {"system", "developer", "user", "assistant", "tool", "function", "model", "human", "ai"}
ITEMS = {"function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output", "reasoning"}
"""Items of the Responses API that have no role."""
_SAID = ("content", "tool_calls", "parts", "function_call", "kwargs", "data")
_TIMES = ("timestamp", "created_at", "time")


def is_message(record: Record) -> bool:
    """Whether an object is a message, or an item of the Responses API."""
    role = chat.role(record)
    if role in ROLES:
        return any(key in record for key in _SAID)
    return isinstance(record.get("type"), str) and record["type"] in ITEMS and ("call_id" in record or "id" in record)


def conversation(record: Record) -> list[Record]:
    """The messages of an object that holds a conversation: a request's, with its response's if they are there."""
    given = first(record, "messages", "input", "history")
    answer = record.get("response", record.get("output"))
    found = [*objects(given if isinstance(given, list) else None), *_answers(answer)]
    return found if any(is_message(message) for message in found[:10]) else []


def _answers(answer: Any) -> list[Record]:
    return objects(chat.of_response({"output": answer} if isinstance(answer, list) else answer) or None)


def _recognises(record: Record) -> bool:
    return is_message(record) or bool(conversation(record))


def _read(records: Records) -> Iterator[Tracked]:
    whole: Transcript | None = None
    last_line, several_on_it = 0, False
    for line, record in records:
        held = conversation(record)
        if held:
            found = record.get("id")
            one = Transcript(str(found) if isinstance(found, (str, int)) else f"line-{line}", DIALECT)
            yield from _heard(one, held)
            yield from one.end()
        elif is_message(record):
            if whole is not None and several_on_it and line != last_line:
                yield from whole.end()
                whole = Transcript(f"line-{line}", DIALECT)
            last_line, several_on_it = line, line == last_line
            whole = whole or Transcript(records.path.stem, DIALECT)
            yield from _heard(whole, [record])
        else:
            records.skip(line, "not a message")
    if whole is not None:
        yield from whole.end()


def _heard(transcript: Transcript, messages: list[Record]) -> Iterator[Tracked]:
    for message in messages:
        asks = list(chat.parts(message))
        if chat.role(message) in ("user", "human") and not asks:
            transcript.user_spoke()
        yield from transcript.hear(message, nanoseconds(first(message, *_TIMES)))


FORMAT = CallFormat(
    name="messages",
    written_by="OpenAI (chat and Responses), Anthropic, Gemini, Bedrock, LangChain and Vercel messages, saved as JSON",
    looks="messages with `role` in a list or one per line, or objects with `messages`",
    recognises=_recognises,
    read=_read,
)
