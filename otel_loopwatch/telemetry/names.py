"""The catalogue: every attribute, event and metric, once. Code, documentation, dashboards and tests are made from it.

Own names live under ``loopwatch.``; GenAI attributes are reused where they exist (OpenTelemetry semantic conventions
for generative AI). A unit in braces is an annotation, as in UCUM.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

SCOPE = "otel_loopwatch"
"""Name of the meter and of the logger."""


class ValueType(str, Enum):
    """Type of an attribute's value on the wire."""

    STRING = "string"
    INT = "int"
    BOOLEAN = "boolean"
    STRINGS = "string[]"


class On(str, Enum):
    """What carries an attribute."""

    CALL = "tool span"
    LOOP = "tool span that completes a loop, enclosing agent span, loop event"
    RUN = "agent span"
    METRIC = "metrics"


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute: its name, the type of its value, where it is found and what it says."""

    name: str
    type: ValueType
    on: On
    description: str


class InstrumentKind(str, Enum):
    """How a metric is recorded."""

    COUNTER = "counter"
    OBSERVABLE_COUNTER = "observable counter"
    OBSERVABLE_UPDOWN = "observable up-down counter"
    HISTOGRAM = "histogram"


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric: instrument, unit, labels and, for histograms, the advised bucket boundaries."""

    name: str
    kind: InstrumentKind
    unit: str
    description: str
    attributes: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()


TOOL_NAME = "gen_ai.tool.name"
ERROR_TYPE = "error.type"

LOOP_EVENT = "loopwatch.loop"
LOOP_DETECTED = "loopwatch.loop.detected"
LOOP_KIND = "loopwatch.loop.kind"
LOOP_LEVEL = "loopwatch.loop.level"
LOOP_COUNT = "loopwatch.loop.count"
LOOP_PERIOD = "loopwatch.loop.period"
LOOP_TOOLS = "loopwatch.loop.tools"
LOOP_FIRST_SPAN_ID = "loopwatch.loop.first_span_id"
LOOP_REASON = "loopwatch.loop.reason"
LOOP_ACTION = "loopwatch.loop.action"
LOOP_DRY_RUN = "loopwatch.loop.dry_run"

CALL_FINGERPRINT = "loopwatch.call.fingerprint"
RESULT_FINGERPRINT = "loopwatch.result.fingerprint"
CALL_OUTCOME = "loopwatch.call.outcome"

RUN_REPEAT_MAX = "loopwatch.run.repeat_max"
RUN_PROGRESSED = "loopwatch.run.progressed"
RUN_WASTED_CALLS = "loopwatch.run.wasted_calls"
RUN_STATUS = "loopwatch.run.status"
RUN_STOP_REASON = "loopwatch.run.stop_reason"
RUN_STOP_REPORT = "loopwatch.run.stop_report"

ACTION = "loopwatch.action"
REASON = "loopwatch.reason"

SHUTDOWN = "shutdown"
EVICTIONS = ("ttl", "capacity", SHUTDOWN)
"""Why runs are dropped before their end is seen."""

OTHER = "_OTHER"
"""Label value for what is not told apart: the name semantic conventions give to it."""

ATTRIBUTES = (
    Attribute(CALL_FINGERPRINT, ValueType.STRING, On.CALL, "Digest of the canonical arguments, 16 hex digits."),
    Attribute(RESULT_FINGERPRINT, ValueType.STRING, On.CALL, "Digest of the masked result, 16 hex digits."),
    Attribute(CALL_OUTCOME, ValueType.STRING, On.CALL, "What the result says: success, empty, pending, ..."),
    Attribute(LOOP_DETECTED, ValueType.BOOLEAN, On.LOOP, "True where a loop was signalled."),
    Attribute(LOOP_KIND, ValueType.STRING, On.LOOP, "Shape of the loop: identical, drift, ping_pong, ..."),
    Attribute(LOOP_LEVEL, ValueType.STRING, On.LOOP, "warning or critical."),
    Attribute(LOOP_COUNT, ValueType.INT, On.LOOP, "Attempts or rounds so far."),
    Attribute(LOOP_PERIOD, ValueType.INT, On.LOOP, "Attempts per round."),
    Attribute(LOOP_TOOLS, ValueType.STRINGS, On.LOOP, "Tools of one round, in order."),
    Attribute(LOOP_FIRST_SPAN_ID, ValueType.STRING, On.LOOP, "Span of the first call of the loop, 16 hex digits."),
    Attribute(LOOP_REASON, ValueType.STRING, On.LOOP, "One sentence for people, without argument values."),
    Attribute(LOOP_ACTION, ValueType.STRING, On.LOOP, "What the control decided: continue, nudge, block or halt."),
    Attribute(LOOP_DRY_RUN, ValueType.BOOLEAN, On.LOOP, "True where the action was only recorded, not enforced."),
    Attribute(RUN_REPEAT_MAX, ValueType.INT, On.RUN, "Most attempts of any one call within the window."),
    Attribute(RUN_PROGRESSED, ValueType.BOOLEAN, On.RUN, "Whether the last call brought something new."),
    Attribute(RUN_WASTED_CALLS, ValueType.INT, On.RUN, "Calls that brought nothing new."),
    Attribute(RUN_STATUS, ValueType.STRING, On.RUN, "How the run ended: clean, looped, recovered or halted."),
    Attribute(RUN_STOP_REASON, ValueType.STRING, On.RUN, "Kind of the loop for which the run was halted."),
    Attribute(RUN_STOP_REPORT, ValueType.STRING, On.RUN, "Stop report of a halted run, JSON."),
    Attribute(ACTION, ValueType.STRING, On.METRIC, "Action the hook returned, or _OTHER where it failed."),
    Attribute(REASON, ValueType.STRING, On.METRIC, "Why something was dropped or skipped."),
)
"""Own attributes. Sets that belong together stand together; tables in the documentation keep this order."""

RUN_SECONDS = (0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600)
RUN_CALLS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
HOOK_SECONDS = (0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5)

TOOL_CALLS = Metric(
    "loopwatch.tool.calls",
    InstrumentKind.OBSERVABLE_COUNTER,
    "{call}",
    "Tool calls seen, by what their results say.",
    (TOOL_NAME, CALL_OUTCOME),
)
LOOP_SIGNALS = Metric(
    "loopwatch.loop.signals",
    InstrumentKind.COUNTER,
    "{signal}",
    "Loops signalled: once per burst and level.",
    (TOOL_NAME, LOOP_KIND, LOOP_LEVEL),
)
WASTED_CALLS = Metric(
    "loopwatch.loop.wasted_calls",
    InstrumentKind.OBSERVABLE_COUNTER,
    "{call}",
    "Calls of signalled loops that brought nothing new.",
    (TOOL_NAME,),
)
WASTED_DURATION = Metric(
    "loopwatch.loop.wasted_duration",
    InstrumentKind.OBSERVABLE_COUNTER,
    "s",
    "Time spent in wasted calls, each counted with the duration of the call that revealed it.",
    (TOOL_NAME,),
)
WASTED_TOKENS = Metric(
    "loopwatch.loop.wasted_tokens",
    InstrumentKind.OBSERVABLE_COUNTER,
    "{token}",
    "Model tokens spent on wasted calls, each counted with the tokens of the call that revealed it.",
    (TOOL_NAME,),
)
RECOVERIES = Metric(
    "loopwatch.loop.recoveries",
    InstrumentKind.COUNTER,
    "{loop}",
    "Signalled loops that the run got out of.",
    (TOOL_NAME, LOOP_KIND),
)
RUN_HALTS = Metric("loopwatch.run.halts", InstrumentKind.COUNTER, "{run}", "Runs halted.", (TOOL_NAME, RUN_STOP_REASON))
RUN_ENDED = Metric(
    "loopwatch.run.ended",
    InstrumentKind.OBSERVABLE_COUNTER,
    "{run}",
    "Runs that ended, by how they ended.",
    (RUN_STATUS,),
)
RUN_TOOL_CALLS = Metric(
    "loopwatch.run.tool_calls", InstrumentKind.HISTOGRAM, "{call}", "Tool calls of a run.", (RUN_STATUS,), RUN_CALLS
)
RUN_DURATION = Metric(
    "loopwatch.run.duration",
    InstrumentKind.HISTOGRAM,
    "s",
    "Time from a run's first call to the end of its last.",
    (RUN_STATUS,),
    RUN_SECONDS,
)
RUN_ACTIVE = Metric("loopwatch.run.active", InstrumentKind.OBSERVABLE_UPDOWN, "{run}", "Runs remembered at the moment.")
RUN_EVICTED = Metric(
    "loopwatch.run.evicted",
    InstrumentKind.OBSERVABLE_COUNTER,
    "{run}",
    "Runs dropped before their end was seen.",
    (REASON,),
)
HOOK_DURATION = Metric(
    "loopwatch.control.hook.duration",
    InstrumentKind.HISTOGRAM,
    "s",
    "Time taken by the control hook.",
    (ACTION,),
    HOOK_SECONDS,
)
HOOK_FAILURES = Metric(
    "loopwatch.control.hook.failures",
    InstrumentKind.OBSERVABLE_COUNTER,
    "{failure}",
    "Control hook calls that raised or gave no action.",
    (ERROR_TYPE,),
)
FAILURES = Metric(
    "loopwatch.processor.failures",
    InstrumentKind.OBSERVABLE_COUNTER,
    "{failure}",
    "Errors inside Loopwatch, kept from the application.",
    (ERROR_TYPE,),
)
SKIPPED = Metric(
    "loopwatch.processor.skipped",
    InstrumentKind.OBSERVABLE_COUNTER,
    "{span}",
    "Spans and calls that were not judged.",
    (REASON,),
)

METRICS = (
    TOOL_CALLS,
    LOOP_SIGNALS,
    WASTED_CALLS,
    WASTED_DURATION,
    WASTED_TOKENS,
    RECOVERIES,
    RUN_HALTS,
    RUN_ENDED,
    RUN_TOOL_CALLS,
    RUN_DURATION,
    RUN_ACTIVE,
    RUN_EVICTED,
    HOOK_DURATION,
    HOOK_FAILURES,
    FAILURES,
    SKIPPED,
)
