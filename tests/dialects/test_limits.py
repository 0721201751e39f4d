from __future__ import annotations

import pytest

from otel_loopwatch.dialects import read_call
from otel_loopwatch.spans import SpanData

TOOL = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weather"}


@pytest.mark.parametrize(("length", "truncated"), [(99, False), (100, True), (101, False)])
def test_a_text_as_long_as_the_attribute_limit_was_cut(length: int, truncated: bool) -> None:
    """Exactly the limit's length is what the SDK leaves of a longer text."""
    span = SpanData(attributes={**TOOL, "gen_ai.tool.call.result": "x" * length})
    call = read_call(span, attribute_limit=100)
    assert call is not None
    assert call.truncated is truncated


def test_without_a_limit_nothing_counts_as_cut() -> None:
    """A long text alone proves nothing."""
    call = read_call(SpanData(attributes={**TOOL, "gen_ai.tool.call.result": "x" * 100}))
    assert call is not None
    assert call.truncated is False


def test_a_span_without_a_tools_name_is_no_call() -> None:
    """What cannot be named cannot be judged."""
    assert read_call(SpanData(name="x", attributes={"gen_ai.operation.name": "execute_tool"})) is None
