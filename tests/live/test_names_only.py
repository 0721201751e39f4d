"""Agents whose instrumentation captures no arguments and no results: names, timing and outcome are all there is."""

from __future__ import annotations

import pytest
from live_agent import Rig, rig
from opentelemetry.trace import StatusCode

from otel_loopwatch.model import Level, LoopSignal, RunSummary
from otel_loopwatch.telemetry import names


def calls(bench: Rig, tools: list[str], error: str = "", arguments: str = "") -> None:
    """Calls of an agent, one after the other."""
    tracer = bench.provider.get_tracer("agents")
    with bench.agent():
        for tool in tools:
            attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool}
            span = tracer.start_span(f"execute_tool {tool}", attributes=attributes)
            if arguments:
                span.set_attribute("gen_ai.tool.call.arguments", arguments)
            if error:
                span.set_status(StatusCode.ERROR)
                span.set_attribute("error.type", error)
            span.end()


RUNS = [
    ("one tool", ["search"] * 60, ""),
    ("two tools in turns", ["read", "write"] * 30, ""),
    ("a round of three", ["plan", "search", "check"] * 20, ""),
    ("failures of one type", ["search"] * 60, "ConnectionError"),
    ("failures in turns", ["read", "fetch"] * 30, "ConnectionError"),
    ("a write", ["send_email"] * 60, ""),
]


@pytest.mark.parametrize(("tools", "error"), [run[1:] for run in RUNS], ids=[run[0] for run in RUNS])
def test_names_alone_stop_nobody(tools: list[str], error: str) -> None:
    """However often: no critical signal."""
    levels: list[Level] = []

    def note(signal: LoopSignal, run: RunSummary) -> None:
        levels.append(signal.level)

    bench = rig(control_hook=note)
    calls(bench, tools, error)
    assert Level.CRITICAL not in levels


def test_repeats_without_results_say_that_there_is_no_evidence() -> None:
    """The same arguments again and again, answers unknown: a warning, marked for what it is."""
    bench = rig()
    calls(bench, ["search"] * 30, arguments='{"query": "lamp"}')
    marked = [span.attributes for span in bench.spans() if names.LOOP_EVIDENCE in (span.attributes or {})]
    assert marked
    assert {(held or {})[names.LOOP_EVIDENCE] for held in marked} == {"none"}
    assert {(held or {})[names.LOOP_LEVEL] for held in marked} == {"warning"}
