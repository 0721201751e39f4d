"""Two processors on one provider: an application's own, and one that a test or a second configuration adds."""

from __future__ import annotations

import pytest
from live_agent import rig

from otel_loopwatch import LoopHalted, LoopwatchSpanProcessor, current_run


@pytest.mark.parametrize("halting_first", [True, False])
def test_one_that_halts_is_enough(halting_first: bool) -> None:
    """The application's loop stops, whichever processor was registered first."""
    hooks = ("halt", "observe") if halting_first else ("observe", "halt")
    bench = rig(control_hook=hooks[0])
    bench.provider.add_span_processor(LoopwatchSpanProcessor(control_hook=hooks[1]))
    with bench.agent():
        for _ in range(8):
            bench.call()
        assert current_run().halted
        assert current_run().report() is not None
        with pytest.raises(LoopHalted):
            current_run().raise_if_halted()


def test_progress_is_told_to_both() -> None:
    """Neither signals a loop where the application declared progress at every call."""
    seen: list[str] = []
    bench = rig(control_hook=lambda signal, run: seen.append("first"))
    bench.provider.add_span_processor(LoopwatchSpanProcessor(control_hook=lambda signal, run: seen.append("second")))
    with bench.agent():
        for version in range(9):
            bench.call()
            current_run().progress(version)
    assert seen == []
