"""Whose calls were wasted: a loop through several tools wastes those of each in turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from otel_loopwatch.model import Observation, ToolCall


def wasted_by_tool(call: ToolCall, seen: Observation) -> Mapping[str, int]:
    """The calls newly known to be wasted, by tool; the newest was the one that closed the round."""
    round_of = seen.signals[0].tools if seen.signals else ()
    if len(round_of) < 2:
        return {call.tool: seen.wasted}
    return Counter(round_of[-1 - back % len(round_of)] for back in range(seen.wasted))
