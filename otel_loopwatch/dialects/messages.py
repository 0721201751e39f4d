"""Tool calls and their results in a model's messages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from msgspec.structs import replace

from otel_loopwatch.dialects.base import MessageCall, MessageResult
from otel_loopwatch.dialects.envelopes import open_arguments, open_result
from otel_loopwatch.dialects.values import decode, is_cut
from otel_loopwatch.spans import Span


class Exchange(NamedTuple):
    """Calls and results, each in the order of the messages."""

    calls: tuple[MessageCall, ...] = ()
    results: tuple[MessageResult, ...] = ()


def captured(span: Span, key: str, limit: int) -> object:
    """Messages under ``key``: an attribute (text or structure), or one of a span event."""
    value = span.attributes.get(key)
    if value is None:
        value = next((event.attributes[key] for event in span.events if key in event.attributes), None)
    return decode(value, limit)


def read(messages: object, limit: int, attribute_limit: int | None = None) -> Exchange:
    """What is called and answered in messages shaped ``[{"role", "parts": [{"type", ..}]}]``.

    What was cut at ``attribute_limit`` is unknown.
    """
    calls: list[MessageCall] = []
    results: list[MessageResult] = []
    for part in _parts(messages):
        if part.get("type") == "tool_call" and isinstance(part.get("name"), str):
            calls.append(_call(part, limit))
        elif part.get("type") == "tool_call_response":
            results.append(_result(part, limit))
    answered = _under_ids_of(calls, results)
    return Exchange(
        tuple(replace(each, arguments=None) if is_cut(each.arguments, attribute_limit) else each for each in calls),
        tuple(replace(each, result=None) if is_cut(each.result, attribute_limit) else each for each in answered),
    )


def flat(attributes: Mapping[str, Any], pattern: re.Pattern[str]) -> list[dict[str, Any]]:
    """Messages written one attribute per field, put back into the shape of the conventions.

    ``pattern`` names the groups ``message``, and ``field`` or ``call`` with ``of_call``: the indexes of message and
    call, and what the attribute holds (``role``, ``tool_call_id``, ``content``; ``id``, ``name``, ``arguments``).
    """
    fields: dict[int, dict[str, Any]] = {}
    calls: dict[int, dict[int, dict[str, Any]]] = {}
    for key, value in attributes.items():
        if (found := pattern.match(key)) is None:
            continue
        message = int(found["message"])
        if found["call"] is None:
            fields.setdefault(message, {})[found["field"]] = value
        else:
            of_message = calls.setdefault(message, {})
            of_message.setdefault(int(found["call"]), {"type": "tool_call"})[found["of_call"]] = value
    return [
        {"parts": [*_answer(fields.get(message, {})), *(call for _, call in sorted(calls.get(message, {}).items()))]}
        for message in sorted(fields.keys() | calls.keys())
    ]


def _answer(fields: Mapping[str, Any]) -> list[dict[str, Any]]:
    if fields.get("role") != "tool":
        return []
    return [{"type": "tool_call_response", "id": fields.get("tool_call_id"), "response": fields.get("content")}]


def _parts(messages: object) -> Iterator[Mapping[str, Any]]:
    for message in messages if isinstance(messages, list) else ():
        parts = message.get("parts") if isinstance(message, Mapping) else None
        yield from (part for part in (parts if isinstance(parts, list) else ()) if isinstance(part, Mapping))


def _call(part: Mapping[str, Any], limit: int) -> MessageCall:
    return MessageCall(_id(part), part["name"], open_arguments(part.get("arguments"), limit).value)


def _result(part: Mapping[str, Any], limit: int) -> MessageResult:
    response = part.get("response")
    opened = open_result(part.get("result") if response is None else response, limit)
    return MessageResult(_id(part), opened.value, opened.failed or part.get("is_error") is True)


def _id(part: Mapping[str, Any]) -> str | None:
    value = part.get("id")
    return value if isinstance(value, str) and value else None


def _under_ids_of(calls: list[MessageCall], results: list[MessageResult]) -> Iterator[MessageResult]:
    """Results whose id no call has are joined by position.

    With the Responses API, OpenLLMetry writes calls under item ids (``fc_..``), answers under call ids (``call_..``).
    """
    known, answered = {call.call_id for call in calls}, {result.call_id for result in results}
    open_calls = iter([call.call_id for call in calls if call.call_id not in answered])
    for result in results:
        if result.call_id in known:
            yield result
        else:
            yield MessageResult(next(open_calls, result.call_id), result.result, result.failed)
