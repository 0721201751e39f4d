from __future__ import annotations

import json
from typing import Any

import pytest

from otel_loopwatch.dialects.envelopes import Opened, open_arguments, open_result

LIMIT = 1000
ROW = {"sky": "grey", "rain": [1, 2]}
ROW_TEXT = json.dumps(ROW)

RESULTS: list[tuple[str, Any, Opened]] = [
    ("plain text", "0 results", Opened("0 results")),
    ("JSON text stays text", ROW_TEXT, Opened(ROW_TEXT)),
    ("a value stays a value", ROW, Opened(ROW)),
    ("nothing", None, Opened(None)),
    ("a result object", '{"result": "rain"}', Opened("rain")),
    ("a result object with its flag", '{"result": "no", "is_error": true}', Opened("no", failed=True)),
    ("a result beside other keys is the tool's own", '{"result": 1, "more": 2}', Opened('{"result": 1, "more": 2}')),
    ("a result object around null is known", '{"result": null}', Opened('{"result": null}')),
    ("an output object", '{"output": "rain"}', Opened("rain")),
    ("the JSON block of Strands", json.dumps([{"json": ROW}]), Opened(ROW)),
    ("many envelopes", '{"output": ' * 9 + "1" + "}" * 9, Opened({"output": {"output": {"output": {"output": 1}}}})),
    ("text blocks", '[{"text": "a"}, {"text": "b"}]', Opened("a\nb")),
    ("typed text blocks", '[{"type": "text", "text": "rain"}]', Opened("rain")),
    ("a double encoded block", json.dumps([{"text": '{"result": "rain"}'}]), Opened("rain")),
    ("blocks of other kinds stay", '[{"text": "a"}, {"image": 1}]', Opened('[{"text": "a"}, {"image": 1}]')),
    ("an MCP result", '{"content": [{"type": "text", "text": "rain"}], "isError": false}', Opened("rain")),
    ("an MCP error", '{"content": [{"type": "text", "text": "no"}], "isError": true}', Opened("no", failed=True)),
    ("an MCP result of structure alone", '{"content": [], "structuredContent": {"a": 1}}', Opened({"a": 1})),
    ("a page of content is no envelope", '{"content": ["a"], "page": 2}', Opened('{"content": ["a"], "page": 2}')),
    (
        "a LangChain message",
        json.dumps({"type": "tool", "data": {"content": "rain", "tool_call_id": "c", "status": "success"}}),
        Opened("rain", call_id="c"),
    ),
    (
        "a LangChain constructor",
        json.dumps({"lc": 1, "kwargs": {"content": "no", "tool_call_id": "c", "status": "error"}}),
        Opened("no", failed=True, call_id="c"),
    ),
    (
        "a tool result block",
        {"type": "tool_result", "tool_use_id": "c", "content": [{"type": "text", "text": "rain"}]},
        Opened("rain", call_id="c"),
    ),
    (
        "a function response",
        json.dumps({"id": "c", "name": "weather", "response": {"result": "rain"}}),
        Opened("rain", call_id="c"),
    ),
    (
        "an object with a response of its own",
        json.dumps({"id": "c", "response": {"sky": 1}, "more": 2}),
        Opened(json.dumps({"id": "c", "response": {"sky": 1}, "more": 2})),
    ),
    (
        "a LlamaIndex output",
        json.dumps({"blocks": [], "tool_name": "t", "raw_output": ROW, "is_error": False}),
        Opened(ROW),
    ),
    (
        "a LlamaIndex output of a call",
        json.dumps({"tool_name": "t", "tool_id": "c", "tool_output": {"raw_output": "no", "is_error": True}}),
        Opened("no", failed=True, call_id="c"),
    ),
    ("data and success", json.dumps({"success": True, "data": ROW}), Opened(ROW)),
    ("an output item", json.dumps({"type": "function_call_output", "output": "rain"}), Opened("rain")),
    (
        "an output item of a call",
        json.dumps({"type": "function_call_output", "call_id": "c", "output": "rain"}),
        Opened("rain", call_id="c"),
    ),
    (
        "an AI SDK text",
        json.dumps({"type": "tool-result", "toolCallId": "c", "output": {"type": "text", "value": "rain"}}),
        Opened("rain", call_id="c"),
    ),
    (
        "an AI SDK value",
        json.dumps({"type": "tool-result", "toolCallId": "c", "output": {"type": "json", "value": ROW}}),
        Opened(ROW, call_id="c"),
    ),
    (
        "an AI SDK error",
        json.dumps({"type": "tool-result", "toolCallId": "c", "output": {"type": "error-text", "value": "no"}}),
        Opened("no", failed=True, call_id="c"),
    ),
    ("an AI SDK bare output", json.dumps({"type": "tool-result", "output": "rain"}), Opened("rain")),
    ("a result and what it cost", '{"result": "rain", "duration_ms": 3, "usage": {"in": 4}}', Opened("rain")),
    ("a failure and what it cost", '{"result": "no", "tookMs": 3, "isError": true}', Opened("no", failed=True)),
    ("a printed message", "content='rain' name='t' tool_call_id='c'", Opened("rain")),
    ("quotes in a printed message", """content="it's" tool_call_id='c'""", Opened("it's")),
    ("both quotes", r"""content='say "it\'s"' tool_call_id='c'""", Opened('say "it\'s"')),
    ("lines in a printed message", r"content='a\nb' tool_call_id='c'", Opened("a\nb")),
    ("an empty printed message", "content='' name='t' tool_call_id='c'", Opened("")),
    ("a printed error", "content='no' name='t' tool_call_id='c' status='error'", Opened("no", failed=True)),
    (
        "a printed message in full",
        "content='rain' additional_kwargs={} response_metadata={} id='x' tool_call_id='c' artifact=None",
        Opened("rain"),
    ),
    ("a printed message with JSON in it", """content='{"result": "rain"}' tool_call_id='c'""", Opened("rain")),
    ("a quoted string", '"0 results"', Opened("0 results")),
    ("a quotation", '"Yes", she said', Opened('"Yes", she said')),
    ("a Python dictionary", "{'sky': 'grey', 'rain': None}", Opened({"sky": "grey", "rain": None})),
    (
        "escapes of a Python dictionary",
        str({"path": "C:\\docs\n", "id": "3rd"}),
        Opened({"path": "C:\\docs\n", "id": "3rd"}),
    ),
    ("a Python object", "{'sky': <Sky>}", Opened("{'sky': <Sky>}")),
    ("a long envelope stays closed", '{"result": "%s"}' % ("x" * LIMIT), Opened('{"result": "%s"}' % ("x" * LIMIT))),
    ("broken JSON stays text", '{"result": ', Opened('{"result": ')),
    ("redacted", "__REDACTED__", Opened(None)),
    ("redacted within", '{"result": "__REDACTED__"}', Opened(None)),
    ("scrubbed within", '{"a": "[Scrubbed due to \'a\']"}', Opened(None)),
    ("scrubbed within a value", {"a": ["[Scrubbed due to 'a']"]}, Opened(None)),
]


NEARLY = [
    '{"success": false, "data": 1}',
    '{"success": true, "data": null}',
    '{"success": true, "data": 1, "more": 2}',
    '{"success": 1, "data": 1}',
    '{"data": 1}',
    '{"type": "function_call_output", "call_id": "c"}',
    '{"type": "tool-result", "toolCallId": "c", "result": "rain"}',
    '{"type": "tool-box", "output": "rain"}',
    '{"result": "rain", "sky": "grey"}',
    "content='rain'",
    "content='rain' and more",
    "content='rain' name='t' and more",
    "content='rain' colour='t'",
    "content='rain",
    "content='it's' name='t'",
    "contents='rain' name='t'",
    "content=[{'a': 1}] name='t'",
    r"content='\N{NO SUCH NAME}' name='t'",
]


@pytest.mark.parametrize("text", NEARLY)
def test_what_only_looks_like_an_envelope_passes_unchanged(text: str) -> None:
    """Other keys, other values, other words behind: the tool's own."""
    assert open_result(text, LIMIT) == Opened(text)


def test_a_long_printed_message_is_opened() -> None:
    """Up to the limit, as all envelopes are; what changes on it from call to call is no result."""
    rain = "rain " * 2_000
    assert open_result(f"content={rain!r} tool_call_id='c'", 20_000) == Opened(rain)
    assert open_result(f"content={rain!r} tool_call_id='c'", 5_000).value == f"content={rain!r} tool_call_id='c'"


@pytest.mark.parametrize(("value", "expected"), [row[1:] for row in RESULTS], ids=[row[0] for row in RESULTS])
def test_a_result_is_what_the_tool_returned(value: Any, expected: Opened) -> None:
    """Envelopes come off, flags on them count, everything else passes unchanged, hidden content is unknown."""
    assert open_result(value, LIMIT) == expected


ARGUMENTS: list[tuple[str, Any, Opened]] = [
    ("JSON text stays text", ROW_TEXT, Opened(ROW_TEXT)),
    ("a value stays a value", ROW, Opened(ROW)),
    ("no arguments are known", "{}", Opened("{}")),
    ("nothing", None, Opened(None)),
    ("keyword arguments", json.dumps({"kwargs": ROW}), Opened(ROW)),
    ("keyword arguments as a value", {"args": [], "kwargs": ROW}, Opened(ROW)),
    ("positional arguments stay", '{"args": [1], "kwargs": {"a": 2}}', Opened('{"args": [1], "kwargs": {"a": 2}}')),
    ("a tool's name beside them", json.dumps({"tool_name": "t", "arguments": ROW}), Opened(ROW)),
    (
        "LangChain's run",
        json.dumps({"input_str": "{}", "inputs": ROW, "kwargs": {"tool_call_id": "c"}}),
        Opened(ROW, call_id="c"),
    ),
    ("encoded twice", json.dumps(ROW_TEXT), Opened(ROW_TEXT)),
    ("a Python dictionary", str(ROW), Opened(ROW)),
    ("a bare word", "Oslo", Opened("Oslo")),
    ("redacted", "__REDACTED__", Opened(None)),
]


@pytest.mark.parametrize(("value", "expected"), [row[1:] for row in ARGUMENTS], ids=[row[0] for row in ARGUMENTS])
def test_arguments_are_what_the_tool_was_called_with(value: Any, expected: Opened) -> None:
    """Wrappers come off, everything else passes unchanged, hidden content is unknown."""
    assert open_arguments(value, LIMIT) == expected


@pytest.mark.parametrize("nested", ["[" * 100_000, '{"result":' * 50_000, "{'a':" * 700, '{"kwargs":' * 50_000])
def test_deep_nesting_is_survived(nested: str) -> None:
    """Text nested beyond any stack stays text."""
    assert open_result(nested, 10**7).value == nested
    assert open_arguments(nested, 10**7).value == nested


def test_a_value_nested_too_deeply_is_unknown() -> None:
    """A structure without end is not walked without end."""
    endless: list[Any] = []
    endless.append(endless)
    assert open_result(endless, LIMIT) == Opened(None)


@pytest.mark.parametrize("text", [r"{'path': 'C:\docs'}", "{'a': 1or 2}", r"{'pattern': '\d+'}"])
def test_text_that_only_looks_like_python_is_left_alone(text: str, recwarn: pytest.WarningsRecorder) -> None:
    """The Python parser's warnings do not reach the application."""
    assert open_result(text, LIMIT).value == text
    assert not recwarn.list
