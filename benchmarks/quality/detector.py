"""What a detector of loops is to the scoreboard: it is shown one run's calls in their order, and says when it fires."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Protocol


class Fired(IntEnum):
    """What a detector did about a call; more is worse."""

    NOTHING = 0
    WARNED = 1
    """It logged, hinted, nudged: the call and the run go on."""
    STOPPED = 2
    """It raised, blocked the call, answered from a cache or stopped the run."""


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call of a case or of a recorded run, with its outcome.

    ``result`` and ``error`` are never both set; ``None`` is unknown, and equals nothing.
    """

    case: str
    """Id of the case or recorded run: the same for all calls of a session."""
    run: str
    """The case, or ``case/agent`` where several agents work in it."""
    tool: str
    arguments: Any = None
    """A JSON value."""
    result: Any = None
    """A JSON value."""
    error: str | None = None
    agent: str | None = None
    at_ms: int = 0
    """When it started."""
    end_ns: int = 0
    """When it ended, on the clock of ``at_ms``: just before the next call outside its batch starts."""
    batch: int | None = None
    """Calls with the same number are siblings of one model response."""
    turn: int | None = None
    """The user turn it was made in."""


class Session(Protocol):
    """A detector at work on one case or run."""

    def observe(self, call: Call) -> Fired:
        """Take in the next call, before and after it is made, and say what came of it."""


class Detector(Protocol):
    """A package, a product's rule or a plain rule under test."""

    @property
    def name(self) -> str:
        """What the scoreboard calls it."""

    @property
    def version(self) -> str:
        """Of the package; empty for a plain rule."""

    def start(self) -> Session:
        """A session that knows nothing of earlier ones."""
