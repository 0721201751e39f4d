"""Loopwatch's engine, shown calls as `otel-loopwatch replay` shows it those of a case file: by default, and strict."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import msgspec

from otel_loopwatch.config import load
from otel_loopwatch.engine import Engine
from otel_loopwatch.model import Level, ToolCall
from otel_loopwatch.settings import Settings
from otel_loopwatch.sources import cases as case_format

from .detector import Call, Fired

STRICT = Path(__file__).parents[2] / "examples" / "strict.yaml"
FIRED = {Level.WARNING: Fired.WARNED, Level.CRITICAL: Fired.STOPPED}


@dataclass(frozen=True, slots=True)
class Loopwatch:
    """This package, as it comes unless ``settings`` say otherwise."""

    name: str = "otel-loopwatch"
    settings: Settings = Settings()
    version: str = metadata.version("otel-loopwatch")

    def start(self) -> LoopwatchSession:
        """An engine of its own."""
        return LoopwatchSession(self.settings)


def strict() -> Loopwatch:
    """This package with the strict configuration of the examples."""
    return Loopwatch("otel-loopwatch, strict", load(str(STRICT), env={}).settings)


class LoopwatchSession:
    """An engine at work; ``kind`` is that of the first signal of the last call that raised one."""

    def __init__(self, settings: Settings) -> None:
        self.kind: str | None = None
        self._engine = Engine(settings)

    def observe(self, call: Call) -> Fired:
        """The worst level of the signals this call raised."""
        signals = self._engine.observe(tool_call(call)).signals
        if signals:
            self.kind = signals[0].kind.value
        return max((FIRED[signal.level] for signal in signals), default=Fired.NOTHING)


def tool_call(call: Call) -> ToolCall:
    """The call as the reader of case files makes it, with the run and the times it has among its neighbours."""
    entry = {
        "tool": call.tool,
        "args": call.arguments,
        "result": call.result,
        "error": call.error,
        "agent": call.agent,
        "batch": call.batch,
        "turn": call.turn,
    }
    (read,) = case_format.calls({"calls": [entry]}, call.case)
    assert read is not None, "a call of the benchmark is a call to the reader"  # noqa: S101
    start_ns = call.at_ms * case_format.NS_PER_MS
    return msgspec.structs.replace(read, run=call.run, start_ns=start_ns, end_ns=call.end_ns)
