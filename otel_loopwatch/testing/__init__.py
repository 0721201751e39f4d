"""What a user needs to test their own agent: does it go in circles, and does yesterday's stuck run still do so?

The pytest plugin (``otel_loopwatch.pytest_plugin``) has the fixture ``loopwatch``; all of it works without pytest, too.
"""

from __future__ import annotations

from otel_loopwatch.testing.findings import Loop, LoopFound
from otel_loopwatch.testing.recording import Content, recorded_calls, recorded_results
from otel_loopwatch.testing.scripted import Clock, ScriptedAgent
from otel_loopwatch.testing.spans import assert_no_loops, find_loops
from otel_loopwatch.testing.watch import Watch

__all__ = [
    "Clock",
    "Content",
    "Loop",
    "LoopFound",
    "ScriptedAgent",
    "Watch",
    "assert_no_loops",
    "find_loops",
    "recorded_calls",
    "recorded_results",
]
