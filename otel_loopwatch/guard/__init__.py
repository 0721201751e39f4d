"""A guard around the tool calls of an agent: what may run is decided before it runs.

``with run("order-4711", limits=Limits(tool_calls=40)) as r: r.call(search, {"query": "lamp"})``
"""

from otel_loopwatch.guard.guarded import GuardedRun
from otel_loopwatch.guard.kinds import After, Attempt, Before, Result, ResultKind, Stopped
from otel_loopwatch.guard.limits import Backoff, Limits
from otel_loopwatch.guard.resuming import NotResumable, resume
from otel_loopwatch.guard.tools import Tool, tool

run = GuardedRun

__all__ = [
    "After",
    "Attempt",
    "Backoff",
    "Before",
    "GuardedRun",
    "Limits",
    "NotResumable",
    "Result",
    "ResultKind",
    "Stopped",
    "Tool",
    "resume",
    "run",
    "tool",
]
