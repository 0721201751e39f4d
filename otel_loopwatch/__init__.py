"""Sees tool-call loops of AI agents in their OpenTelemetry spans while they form, and can stop them.

``provider.add_span_processor(LoopwatchSpanProcessor())`` is all it takes.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from otel_loopwatch.control.gate import Gate
    from otel_loopwatch.control.hook import ControlHook, DryRun, dry_run, halt, observe
    from otel_loopwatch.control.policy import ResponsePolicy
    from otel_loopwatch.control.remote import RemoteControl
    from otel_loopwatch.control.report import RunStatus, StopReport
    from otel_loopwatch.control.run import LoopHalted, RunView, current_run, progress
    from otel_loopwatch.engine import Engine
    from otel_loopwatch.installation import install
    from otel_loopwatch.model import (
        Action,
        Evidence,
        Kind,
        Level,
        LoopSignal,
        ModelTurn,
        Observation,
        Outcome,
        RunSummary,
        ToolCall,
    )
    from otel_loopwatch.processor import LoopwatchSpanProcessor
    from otel_loopwatch.sampling import LoopwatchSampler
    from otel_loopwatch.settings import Budget, Control, Enforcement, Options, Settings, Threshold, ToolPolicy

__all__ = [
    "Action",
    "Budget",
    "Control",
    "ControlHook",
    "DryRun",
    "Enforcement",
    "Engine",
    "Evidence",
    "Gate",
    "Kind",
    "Level",
    "LoopHalted",
    "LoopSignal",
    "LoopwatchSampler",
    "LoopwatchSpanProcessor",
    "ModelTurn",
    "Observation",
    "Options",
    "Outcome",
    "RemoteControl",
    "ResponsePolicy",
    "RunStatus",
    "RunSummary",
    "RunView",
    "Settings",
    "StopReport",
    "Threshold",
    "ToolCall",
    "ToolPolicy",
    "current_run",
    "dry_run",
    "halt",
    "install",
    "observe",
    "progress",
]

# Names are imported when they are first used: the engine does not need the SDK, and the command needs little of both.
_HOMES = {
    "control.gate": ("Gate",),
    "control.hook": ("ControlHook", "DryRun", "dry_run", "halt", "observe"),
    "control.policy": ("ResponsePolicy",),
    "control.remote": ("RemoteControl",),
    "control.report": ("RunStatus", "StopReport"),
    "control.run": ("LoopHalted", "RunView", "current_run", "progress"),
    "engine": ("Engine",),
    "installation": ("install",),
    "model": (
        "Action", "Evidence", "Kind", "Level", "LoopSignal",
        "ModelTurn", "Observation", "Outcome", "RunSummary", "ToolCall",
    ),
    "processor": ("LoopwatchSpanProcessor",),
    "sampling": ("LoopwatchSampler",),
    "settings": ("Budget", "Control", "Enforcement", "Options", "Settings", "Threshold", "ToolPolicy"),
}  # fmt: skip
_HOME_OF = {name: home for home, exported in _HOMES.items() for name in exported}


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
