"""Loop detectors that install from PyPI, behind the protocol of the scoreboard; ``requirements.txt`` here pins them.

An adapter is one small module with a function that opens a session. It keeps its package at its documented defaults and
gives it all it can take; its docstring says what, and by which rule the package fires. No adapter uses the network,
writes outside a temporary directory or sleeps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import cast

from ..detector import Call, Fired, Session

REQUIREMENTS = "benchmarks/quality/rivals/requirements.txt"


class NotInstalled(ImportError):
    """A rival's package is not in this environment; the message says how to get it."""


@dataclass(frozen=True, slots=True)
class Rival:
    """A package under test: a :class:`~benchmarks.quality.detector.Detector` that imports its adapter on starting."""

    name: str
    package: str
    """Its name on PyPI."""
    adapter: str
    """``module:function`` in this directory; the function opens a session."""
    learns: bool = False
    """The function takes :attr:`good_runs`."""
    good_runs: tuple[int, ...] = ()
    """Numbers of calls of past good runs, for a rival that learns from them; without any, it only watches."""

    @property
    def installed(self) -> bool:
        """Whether the package is in this environment."""
        return _version(self.package) is not None

    @property
    def version(self) -> str:
        """The installed version; :exc:`NotInstalled` without one."""
        found = _version(self.package)
        if found is None:
            raise NotInstalled(f"{self.package} is not installed; pip install -r {REQUIREMENTS}")
        return found

    def start(self) -> Session:
        """A session that knows nothing of earlier ones; :exc:`NotInstalled` without the package."""
        module, _, function = self.adapter.partition(":")
        try:
            opener = getattr(import_module(f".{module}", __name__), function)
        except ModuleNotFoundError:
            self.version  # noqa: B018 - says what is missing, if it is the package
            raise
        return _Guards(partial(opener, self.good_runs) if self.learns else cast("Callable[[], Session]", opener))


@dataclass(slots=True)
class _Guards:
    """One guard per agent, as an owner who knows them sets it up; no rival is right more often with one for all."""

    open: Callable[[], Session]
    by_run: dict[str, Session] = field(default_factory=dict)

    def observe(self, call: Call) -> Fired:
        if call.run not in self.by_run:
            self.by_run[call.run] = self.open()
        return self.by_run[call.run].observe(call)


def installed() -> list[Rival]:
    """The rivals that this environment can run, in the order of the scoreboard."""
    return [rival for rival in RIVALS if rival.installed]


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


RIVALS: tuple[Rival, ...] = (
    Rival("loopbrake", "loopbrake", "loopbrake:start", learns=True),
    Rival("runbound", "runbound", "runbound:start"),
    Rival("trajectory-fuse", "trajectory-fuse", "trajectory_fuse:start"),
    Rival("agentguard47", "agentguard47", "agentguard47:start"),
    Rival("agentguard47, fuzzy", "agentguard47", "agentguard47:start_fuzzy"),
    Rival("unwedge", "unwedge", "unwedge:start"),
    Rival("aura-guard", "aura-guard", "aura_guard:start"),
    Rival("aura-guard, told of acts", "aura-guard", "aura_guard:start_told_of_acts"),
    Rival("nudgeops", "nudgeops", "nudgeops:start"),
    Rival("agentbelt-loop", "agentbelt-loop", "agentbelt_loop:start"),
    Rival("able-harness-kit", "able-harness-kit", "able_harness_kit:start"),
    Rival("langchain-tool-recover", "langchain-tool-recover", "langchain_tool_recover:start"),
    Rival("agent-patrol", "agent-patrol", "agent_patrol:start"),
    Rival("snagtrace", "snagtrace", "snagtrace:start"),
    Rival("agent-watchdog", "agent-watchdog", "agent_watchdog:start"),
    Rival("savi-loop-guard", "savi-loop-guard", "savi_loop_guard:start"),
    Rival("tokencircuit", "tokencircuit", "tokencircuit:start"),
    Rival("agent-vitals", "agent-vitals", "agent_vitals:start"),
    Rival("agent-loop-detector", "agent-loop-detector", "agent_loop_detector:start"),
    Rival("agent-supra", "agent-supra", "agent_supra:start"),
)
