"""The line at work on live spans."""

from __future__ import annotations

from fractions import Fraction

import pytest
from live_agent import Rig, rig

from otel_loopwatch.calibration import Calibration, GoodRuns
from otel_loopwatch.control.run import LoopHalted

LINE = Calibration(Fraction(1, 2), {"support": GoodRuns(1, (4.0,))})
CALLS = 9


def work(bench: Rig, agent: str) -> None:
    """An agent's run, every call of which brings something new."""
    with bench.agent(agent):
        for number in range(CALLS):
            bench.call(arguments=f'{{"query": "knot {number}k"}}', result=f"Knot {number}k is tied in {number}k steps.")


def test_a_run_beyond_its_line_is_halted() -> None:
    """By the built-in hook, before its next call; the stop report and the spans name the budget."""
    bench = rig(control_hook="halt", enforcement="raise", calibration=LINE)
    with pytest.raises(LoopHalted) as halted:
        work(bench, "support")
    assert halted.value.report.reason.startswith("The run reached 4.")
    (agent,) = bench.spans("invoke_agent")
    assert agent.attributes is not None
    assert agent.attributes["loopwatch.run.stop_reason"] == "budget"
    assert len(bench.spans("execute_tool")) == 4


def test_other_agents_go_on() -> None:
    """An agent whose good runs nobody looked at has no line."""
    bench = rig(control_hook="halt", enforcement="raise", calibration=LINE)
    work(bench, "research")
    assert len(bench.spans("execute_tool")) == CALLS
