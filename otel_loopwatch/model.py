"""The words of loop detection: a call, what it yields, and the signal raised about it.

Nothing here knows OpenTelemetry. Unknown content is ``None`` everywhere: it equals nothing, not even another ``None``.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import msgspec
import xxhash


class Outcome(str, Enum):
    """What a result says, readable by a machine."""

    SUCCESS = "success"
    """The call did what it should and says something."""
    EMPTY = "empty"
    """The call worked and found nothing."""
    PENDING = "pending"
    """The answer is not there yet: ask again later."""
    RETRYABLE = "retryable"
    """A failure that may pass: rate limit, time-out, outage."""
    PRECONDITION = "precondition"
    """A failure that needs something changed first: permission, missing input, not found."""
    FATAL = "fatal"
    """A failure that the same call will always give."""
    UNKNOWN = "unknown"
    """Nothing was captured that would tell."""


class Kind(str, Enum):
    """The shape of a loop."""

    IDENTICAL = "identical"
    """The same call with the same result, over and over."""
    DRIFT = "drift"
    """One question in ever new words, the same answer."""
    PING_PONG = "ping_pong"
    """Two calls taking turns."""
    CYCLE = "cycle"
    """Three or more calls going round."""
    NO_PROGRESS = "no_progress"
    """Busy, but nothing new comes back."""
    RETRY_STORM = "retry_storm"
    """The same failure, tried again and again."""
    DUPLICATE_WRITE = "duplicate_write"
    """A side effect that succeeded is executed once more."""
    BUDGET = "budget"
    """A limit the user set was passed."""


class Level(str, Enum):
    """How serious a signal is."""

    WARNING = "warning"
    """Tell somebody, nudge the model."""
    CRITICAL = "critical"
    """Stop it."""


class Action(str, Enum):
    """What is to be done about a signal."""

    CONTINUE = "continue"
    """Nothing: go on."""
    NUDGE = "nudge"
    """Tell the model, in the tool's own answer."""
    BLOCK = "block"
    """Refuse the next such call; the run goes on."""
    HALT = "halt"
    """End the run."""


class Evidence(str, Enum):
    """What an equal result proves."""

    STRONG = "strong"
    """Informative text seen again, or weak evidence that something else bears out: number, pace, what is varied."""
    WEAK = "weak"
    """An acknowledgement, an empty answer, "still running", or a word that may mean any of them."""
    NONE = "none"
    """No content was captured: only names and times speak."""


class ToolCall(msgspec.Struct, frozen=True, kw_only=True):
    """One tool call, as read from a span, a model's messages or a file.

    ``arguments`` and ``result`` hold what was captured: JSON text (``str``) or decoded values; ``None`` is unknown.
    Times are nanoseconds since the epoch. A struct rather than a dataclass because one is made per call on the hot
    path: 0.3 us instead of 2.5 us.
    """

    run: str
    """Key of the run: one agent's work in one trace."""
    tool: str
    group: str | None = None
    """What several runs share (trace id, case id): hand-offs between agents are seen here."""
    arguments: object = None
    result: object = None
    failed: bool = False
    """Whether the call failed, by its span's status or what carried it."""
    error: str | None = None
    """Text or type of the failure, if any was captured."""
    outcome: Outcome | None = None
    """Outcome the application declared; wins over what is read from the content."""
    agent: str | None = None
    call_id: str | None = None
    batch: int | None = None
    """Calls of one run with the same number are siblings of one model response."""
    user_turn: int | None = None
    start_ns: int = 0
    end_ns: int = 0
    tokens: int = 0
    """Model tokens spent on deciding this call, where known."""
    trace_id: int = 0
    span_id: int = 0
    scope_span_id: int = 0
    """Span whose end ends the run (the agent's span, or the root); 0 where there is none."""
    progress_version: int | None = None
    """Monotonic version the application declared; rising means progress."""
    state: str | None = None
    """Fingerprint of the state the application declared."""
    truncated: bool = False
    """A captured value was cut: it must not be taken for equal."""
    dialect: str = ""


class ModelTurn(msgspec.Struct, frozen=True, kw_only=True):
    """One model response of a run, for turns and budgets."""

    run: str
    start_ns: int = 0
    end_ns: int = 0
    tokens: int = 0
    scope_span_id: int = 0
    """As of a call: span whose end ends the run."""


@dataclass(frozen=True, slots=True)
class LoopSignal:
    """A loop was seen."""

    kind: Kind
    level: Level
    run: str
    tools: tuple[str, ...]
    """Tools of the loop, in the order of one round."""
    count: int
    """Attempts (identical, drift, ...) or rounds (ping_pong, cycle) seen so far."""
    period: int
    """Attempts per round; 1 for anything but ping_pong and cycle."""
    wasted_calls: int
    """Calls of this loop that brought nothing new."""
    evidence: Evidence
    reason: str
    """One sentence for people, without argument values."""
    advice: str
    """Two or three sentences for the model: what repeats, and what to do instead."""
    call: int
    """1-based position of the call within its run."""
    span_id: int = 0
    trace_id: int = 0
    first_span_id: int = 0
    """The call with which the loop began."""
    agent: str | None = None

    @property
    def id(self) -> str:
        """32 hex digits, the same for the same signal of the same run on every machine and in every repetition.

        Whoever hears of a signal twice, as after a broken connection or a crash, knows by it that it is the same.
        """
        told = (self.run, self.kind.value, self.level.value, self.call, self.count, f"{self.span_id:x}")
        return xxhash.xxh3_128_hexdigest("\0".join(map(str, told)).encode("utf-8", "surrogatepass"))


class Observation(msgspec.Struct, frozen=True):
    """What the engine made of one call; a struct as calls are."""

    arguments_fingerprint: int | None
    result_fingerprint: int | None
    outcome: Outcome
    signals: tuple[LoopSignal, ...] = ()
    recovered: tuple[LoopSignal, ...] = ()
    """Loops signalled earlier that this call got out of."""
    wasted: int = 0
    """Calls newly known to be wasted (several at the first signal, then one by one)."""
    effort: int = 0
    """Calls of the run so far, those that failed or brought nothing new counted three times."""
    changed: bool = False
    """The call changed the state of the world: what was tried before may come out differently now."""
    refused: bool = False
    """Loopwatch had refused the call: it never ran, and is not judged."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run as it stands, or as it ended."""

    run: str
    agent: str | None = None
    calls: int = 0
    turns: int = 0
    tokens: int = 0
    wasted_calls: int = 0
    repeat_max: int = 0
    """Most times any one call was attempted within the window."""
    progressed: bool = True
    """Whether the last call brought something new."""
    signals: int = 0
    looping: bool = False
    """A loop was signalled and the run has not moved on since."""
    first_ns: int = 0
    last_ns: int = 0
    last_progress_ns: int = 0
