"""Decisions from elsewhere without a network, and waiting for what another thread does."""

from __future__ import annotations

from collections.abc import Callable
from queue import Queue
from threading import Event
from time import monotonic
from typing import Any

from opentelemetry.sdk.metrics import MeterProvider
from receiver import DEADLINE_S

from otel_loopwatch.control.decisions import RunDecision
from otel_loopwatch.control.follower import Listener
from otel_loopwatch.control.gate import Gate, GatedRun
from otel_loopwatch.control.hook import ControlHook
from otel_loopwatch.control.remote import RemoteControl
from otel_loopwatch.model import Action


def until(condition: Callable[[], Any]) -> None:
    """Return when it holds; another thread has it so."""
    end = monotonic() + DEADLINE_S
    while not condition():
        assert monotonic() < end, "it did not come to hold in time"


class Said:
    """A follower that tells what a test says, and loses contact when it says so."""

    def __init__(self) -> None:
        self.follows = 0
        self.controls: list[RemoteControl] = []
        self._said: Queue[RunDecision | Exception | None] = Queue()
        self._taken: Queue[None] = Queue()

    def follow(self, listener: Listener) -> None:
        self.follows += 1
        listener.heard()
        while (said := self._said.get()) is not None:
            if isinstance(said, Exception):
                self._taken.put(None)
                raise said
            listener.decided(said)
            self._taken.put(None)

    def stop(self) -> None:
        self._said.put(None)

    def say(self, said: RunDecision | Exception) -> None:
        """Returns when it was taken."""
        self._said.put(said)
        self._taken.get(timeout=DEADLINE_S)

    def decide(self, action: Action, version: int, run: str = "run", by: str = "Ana", **more: Any) -> None:
        """One decision."""
        self.say(RunDecision(run=run, action=action, version=version, by=by, **more))


def at_once(closing: Event, seconds: float) -> None:
    """A pause that takes no time."""


def gated(control: ControlHook | str, **arguments: Any) -> GatedRun:
    """A run at a gate of its own."""
    return Gate(control, meter_provider=MeterProvider(shutdown_on_exit=False), **arguments).run("run", "support")


def remote(said: Said, **arguments: Any) -> RemoteControl:
    """A control that hears what a test says."""
    said.controls.append(RemoteControl(said, wait=at_once, **arguments))
    return said.controls[-1]
