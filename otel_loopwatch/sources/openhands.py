"""OpenHands' trajectories: a list of events, or a line of ``output.jsonl`` with such a list as its ``history``.

Actions and observations are events of their own: in version 0, an observation names its action as its ``cause``; in
version 1, both have the call's id.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from otel_loopwatch.dialects import MessageCall, MessageResult
from otel_loopwatch.dialects.envelopes import open_arguments, open_result
from otel_loopwatch.dialects.values import first
from otel_loopwatch.settings import MAX_VALUE_BYTES
from otel_loopwatch.sources.formats import CallFormat
from otel_loopwatch.sources.records import Record, Records
from otel_loopwatch.sources.scalars import mapping, nanoseconds, objects, text
from otel_loopwatch.sources.transcript import Transcript
from otel_loopwatch.tracker.events import Tracked

DIALECT = "openhands"
NOT_CALLS = {
    "message", "system", "recall", "change_agent_state", "null", "finish", "reject", "think", "pause", "resume", "stop",
    "start", "initialize", "condensation", "condensation_request", "delegate", "add_task", "modify_task",
}  # fmt: skip
_THOUGHTS = {"thought", "thinking", "blocking", "hidden", "confirmation_state", "security_risk", "is_confirmed"}
"""What an action's arguments hold beside what the tool is told."""


def _is_event(event: Mapping[str, Any]) -> bool:
    if isinstance(event.get("kind"), str):
        return event["kind"].endswith(("Event", "Observation")) and "source" in event
    return isinstance(event.get("source"), str) and (
        isinstance(event.get("action"), str) or isinstance(event.get("observation"), str)
    )


def _history(record: Record) -> list[Mapping[str, Any]]:
    """The events of a line of ``output.jsonl``, where older versions keep them in pairs."""
    history = record.get("history")
    events = [item for one in history for item in (one if isinstance(one, list) else [one])] if history else []
    return [event for event in events if isinstance(event, Mapping)]


def _recognises(record: Record) -> bool:
    if _is_event(record):
        return True
    return isinstance(record.get("history"), list) and any(_is_event(event) for event in _history(record)[:2])


def _read(records: Records) -> Iterator[Tracked]:
    whole: Transcript | None = None
    for line, record in records:
        if _is_event(record):
            whole = whole or Transcript(records.path.stem, DIALECT)
            yield from _event(whole, record, records)
        elif _recognises(record):
            one = Transcript(text(record.get("instance_id")) or f"line-{line}", DIALECT)
            for event in _history(record):
                yield from _event(one, event, records)
            yield from one.end()
        else:
            records.skip(line, "not an event")
    if whole is not None:
        yield from whole.end()


def _event(transcript: Transcript, event: Mapping[str, Any], records: Records) -> Iterator[Tracked]:
    at_ns = nanoseconds(event.get("timestamp"))
    if _says_user(event):
        transcript.user_spoke()
    call, result = _call(event), _result(event)
    if call is not None:
        yield from transcript.ask(call, at_ns, _response(event))
    elif result is not None:
        yield from transcript.answer(result, at_ns)
    else:
        records.pass_over("other events")


def _says_user(event: Mapping[str, Any]) -> bool:
    return event.get("source") == "user" and "message" in (event.get("action"), text(event.get("kind"))[:7].lower())


def _response(event: Mapping[str, Any]) -> object:
    """The model response that an action is from."""
    metadata = mapping(event.get("tool_call_metadata"))
    return first(event, "llm_response_id") or mapping(metadata.get("model_response")).get("id")


def _call(event: Mapping[str, Any]) -> MessageCall | None:
    if event.get("kind") == "ActionEvent":
        called = mapping(event.get("tool_call"))
        function = mapping(called.get("function")) or called
        arguments = first(function, "arguments") or event.get("action")
        tool = text(event.get("tool_name")) or text(function.get("name"))
        return _message_call(_id(event.get("tool_call_id")), tool, arguments)
    action = event.get("action")
    if not isinstance(action, str) or action in NOT_CALLS or event.get("source") != "agent":
        return None
    metadata = mapping(event.get("tool_call_metadata"))
    arguments = _asked_arguments(metadata) or _told(mapping(event.get("args")))
    return _message_call(_id(event.get("id")), text(metadata.get("function_name")) or action, arguments)


def _message_call(call_id: str | None, tool: str, arguments: object) -> MessageCall | None:
    return MessageCall(call_id, tool, open_arguments(arguments, MAX_VALUE_BYTES).value) if tool else None


def _asked_arguments(metadata: Mapping[str, Any]) -> object:
    """The arguments as the model wrote them; an action's own hold more, such as the file as it was."""
    for choice in objects(mapping(metadata.get("model_response")).get("choices")):
        for called in objects(mapping(choice.get("message")).get("tool_calls")):
            if called.get("id") == metadata.get("tool_call_id"):
                return mapping(called.get("function")).get("arguments")
    return None


def _told(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in arguments.items() if key not in _THOUGHTS}


def _result(event: Mapping[str, Any]) -> MessageResult | None:
    if text(event.get("kind")) in ("ObservationEvent", "AgentErrorEvent", "UserRejectObservation"):
        found = event.get("observation")
        content = first(event, "error", "rejection_reason") if found is None else mapping(found).get("content", found)
        opened = open_result(content, MAX_VALUE_BYTES)
        failed = opened.failed or event["kind"] == "AgentErrorEvent" or mapping(found).get("is_error") is True
        return MessageResult(_id(event.get("tool_call_id")), opened.value, failed)
    if event.get("observation") in (None, "null") or event.get("cause") is None:
        return None
    return MessageResult(_id(event["cause"]), event.get("content"), event["observation"] == "error" or _exited(event))


def _exited(event: Mapping[str, Any]) -> bool:
    """Whether a command ended with a failure; -1 says that it is still running."""
    extras = mapping(event.get("extras"))
    code = first(mapping(extras.get("metadata")), "exit_code")
    code = extras.get("exit_code") if code is None else code
    return isinstance(code, int) and code > 0


def _id(value: object) -> str | None:
    return str(value) if isinstance(value, (str, int)) and value != "" else None


FORMAT = CallFormat(
    name="OpenHands trajectory",
    written_by="OpenHands (trajectory download, `output.jsonl`)",
    looks="events with `source` and `action` or `observation`, in a list or under `history`",
    recognises=_recognises,
    read=_read,
)
