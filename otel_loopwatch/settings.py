"""What can be set, and the defaults. Where values come from is ``config``'s business."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from fnmatch import fnmatchcase

from otel_loopwatch.calibration.lines import Calibration
from otel_loopwatch.model import Kind


@dataclass(frozen=True, slots=True)
class Threshold:
    """When a kind is signalled: attempts (or rounds, for ping_pong and cycle) at each level."""

    warning: int
    critical: int


THRESHOLDS: dict[Kind, Threshold] = {
    Kind.IDENTICAL: Threshold(3, 5),
    Kind.DRIFT: Threshold(5, 10),
    Kind.PING_PONG: Threshold(3, 6),
    Kind.CYCLE: Threshold(3, 5),
    Kind.NO_PROGRESS: Threshold(5, 10),
    Kind.RETRY_STORM: Threshold(3, 5),
    Kind.DUPLICATE_WRITE: Threshold(2, 5),
}
"""Defaults for strong evidence; weak evidence needs more (see ``detectors``). Budget has limits, not thresholds."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one run; ``None`` is no limit."""

    calls: int | None = None
    turns: int | None = None
    calls_per_tool: int | None = None
    seconds: float | None = None
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ToolPolicy:
    """What the user told us about a tool (or about an agent's tools)."""

    polling: bool | None = None
    """The tool is meant to be asked again: only a long or busy poll is a loop."""
    side_effect: bool | None = None
    """The tool changes the world: once more is a duplicate. ``None``: judged by its name."""
    ignore: bool = False
    """Never judged (still counted)."""
    thresholds: dict[Kind, Threshold] = field(default_factory=dict)
    volatile_keys: frozenset[str] = frozenset()
    """Keys, of arguments or JSON results, whose values never count as a difference."""
    identity_keys: frozenset[str] = frozenset()
    """If set, only these arguments make up the call's identity."""


MAX_VALUE_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything the engine needs to know."""

    thresholds: dict[Kind, Threshold] = field(default_factory=lambda: dict(THRESHOLDS))
    budget: Budget = Budget()
    calibration: Calibration | None = None
    """What was learnt from good runs: a run that crosses its agent's line is over budget."""
    window: int = 32
    """Attempts remembered per run."""
    max_runs: int = 10_000
    """Runs remembered; beyond it the least recently active one is dropped."""
    max_memory_mb: int = 256
    """Memory that runs may take, in units of 10^6 bytes; beyond it the least recently active one is dropped."""
    run_ttl_s: float = 3600.0
    """Seconds without a call after which a run is dropped."""
    max_value_bytes: int = MAX_VALUE_BYTES
    """A larger argument or result is digested as raw bytes, whole, without being parsed."""
    patient_gap_s: float = 45.0
    """A poll with at least this gap between calls is patient, not busy."""
    tools: tuple[tuple[str, ToolPolicy], ...] = ()
    """Glob pattern of tool names, policy; the first that matches wins."""
    agents: tuple[tuple[str, ToolPolicy], ...] = ()
    """Glob pattern of agent names, policy; consulted where no tool pattern matches."""

    @property
    def max_bytes(self) -> int:
        """``max_memory_mb`` in bytes."""
        return self.max_memory_mb * 10**6

    def policy(self, tool: str, agent: str | None = None) -> ToolPolicy:
        """The policy of a tool as called by an agent."""
        for pattern, policy in self.tools:
            if fnmatchcase(tool, pattern):
                return policy
        for pattern, policy in self.agents:
            if agent is not None and fnmatchcase(agent, pattern):
                return policy
        return NO_POLICY


NO_POLICY = ToolPolicy()


class Control(str, Enum):
    """The built-in control hooks."""

    OBSERVE = "observe"
    """See, mark and count; stop nothing."""
    DRY_RUN = "dry_run"
    """Record what would have been done, and do nothing."""
    HALT = "halt"
    """Halt a run at its first critical signal."""
    TIERED = "tiered"
    """Nudge, then refuse the call, then halt: with a gate in the way of the tools."""


class Enforcement(str, Enum):
    """How a halted run is made to stop."""

    NONE = "none"
    """The application asks (``raise_if_halted``)."""
    RAISE = "raise"
    """``LoopHalted`` is raised when the next tool span of a halted run starts."""


class ContentPolicy(str, Enum):
    """What becomes of captured arguments, results and messages once they were judged."""

    KEEP = "keep"
    """They stay on the spans."""
    DIGEST = "digest"
    """A digest takes their place: equal values stay equal, and that is all that can be told."""
    DROP = "drop"
    """They are removed."""


@dataclass(frozen=True, slots=True)
class WebhookTarget:
    """Where stop reports are delivered. Neither part is shown: paths of receivers hold keys, too."""

    url: str = field(repr=False)
    secret: str | None = field(default=None, repr=False)
    """Signs what is sent, so that the receiver knows who sent it."""
    insecure: bool = False
    """Plain http to other machines is permitted."""


@dataclass(frozen=True, slots=True)
class Options:
    """Everything the span processor needs to know: how to judge, and what to do about it."""

    settings: Settings = Settings()
    disabled: bool = False
    """Do nothing at all."""
    control: Control = Control.OBSERVE
    """The hook used where the application passes none."""
    enforcement: Enforcement = Enforcement.NONE
    run_key: str = "trace"
    """What makes calls belong together: ``trace``, ``conversation``, or the name of a span attribute."""
    max_tool_names: int = 200
    """Distinct tool names used as metric labels; the rest are counted as ``_OTHER``."""
    content: ContentPolicy = ContentPolicy.KEEP
    digest_key: str | None = field(default=None, repr=False)
    """Secret of the digests and fingerprints that leave the process."""
    webhook: WebhookTarget | None = None
    """Where the stop report of each halted run is delivered."""
