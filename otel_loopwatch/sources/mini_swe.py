"""mini-swe-agent's trajectories: messages in which the only tool, bash, is called in a code fence.

Newer versions call it as a tool, and keep the messages in an object beside ``info``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from otel_loopwatch.dialects import MessageCall, MessageResult
from otel_loopwatch.sources import chat
from otel_loopwatch.sources.formats import CallFormat
from otel_loopwatch.sources.records import Record, Records
from otel_loopwatch.sources.scalars import objects, text
from otel_loopwatch.sources.transcript import Transcript
from otel_loopwatch.tracker.events import Tracked

DIALECT = "mini-swe-agent"
TOOL = "bash"
_FENCE = re.compile(r"^```(?:mswea_bash_command|bash)\s*\n(.*?)\n?```\s*$", re.DOTALL | re.MULTILINE)
_RESULT = re.compile(r"\s*<returncode>(-?\d{1,9})</returncode>\s*")
_OUTPUT = re.compile(r"\A<output>\n?(.*?)\n?</output>\s*\Z", re.DOTALL)
_MARKS = ("```mswea_bash_command", "<returncode>")


def _recognises(record: Record) -> bool:
    if isinstance(record.get("messages"), list):
        found = text(record.get("trajectory_format")).startswith(DIALECT)
        return found or any(_is_marked(message) for message in objects(record["messages"][:4]))
    return _is_marked(record)


def _is_marked(message: Record) -> bool:
    return isinstance(message.get("role"), str) and any(mark in _said(message) for mark in _MARKS)


def _said(message: Record) -> str:
    """A message's text, also where it is a list of blocks."""
    blocks = objects(message.get("content"))
    return "\n".join(text(block.get("text")) for block in blocks) if blocks else text(message.get("content"))


def _read(records: Records) -> Iterator[Tracked]:
    whole: Transcript | None = None
    for line, record in records:
        if isinstance(record.get("messages"), list):
            one = Transcript(text(record.get("instance_id")) or f"{records.path.stem}-{line}", DIALECT)
            for message in objects(record["messages"]):
                yield from _heard(one, message)
            yield from one.end()
        elif isinstance(record.get("role"), str):
            whole = whole or Transcript(records.path.stem, DIALECT)
            yield from _heard(whole, record)
        else:
            records.skip(line, "not a message")
    if whole is not None:
        yield from whole.end()


def _heard(transcript: Transcript, message: Record) -> Iterator[Tracked]:
    if any(True for _ in chat.parts(message)):
        yield from transcript.hear(message)
        return
    role, said = chat.role(message), _said(message)
    commands = _FENCE.findall(said) if role == "assistant" else []
    if len(commands) == 1:
        yield from transcript.ask(MessageCall(None, TOOL, {"command": commands[0]}))
    elif role == "user":
        yield from transcript.answer(result(said))


def result(said: str) -> MessageResult:
    """What the shell said, out of its tags; anything but 0 is a failure."""
    code = _RESULT.match(said)
    if code is None:
        return MessageResult(None, said)
    output = said[code.end() :]
    found = _OUTPUT.match(output)
    return MessageResult(None, found[1] if found else output, int(code[1]) != 0)


FORMAT = CallFormat(
    name="mini-swe-agent trajectory",
    written_by="mini-swe-agent (`.traj.json`)",
    looks="messages with a `mswea_bash_command` fence or a `<returncode>`",
    recognises=_recognises,
    read=_read,
)
