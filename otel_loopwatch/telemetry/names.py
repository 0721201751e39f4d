"""The catalogue: every attribute, event and metric, as the published schema names them.

The second half is written from ``otel_loopwatch/schema``; dashboards and tests are made from it. Own names live under
``loopwatch.``; GenAI attributes are reused where they exist (OpenTelemetry semantic conventions for generative AI). A
unit in braces is an annotation, as in UCUM.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

SCOPE = "otel_loopwatch"
"""Name of the meter and of the logger."""

OTHER = "_OTHER"
"""Label value for what is not told apart: the name semantic conventions give to it."""

CAPACITY = "capacity"
SHUTDOWN = "shutdown"
EVICTIONS = ("ttl", CAPACITY, SHUTDOWN)
"""Why runs are dropped before their end is seen."""
SKIPS = ("duplicate", "evicted", "late", "unfinished", "unreadable")
"""Why spans and calls are not judged: the reasons of ``Tracker.skipped``."""


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
    DECLARED = "tool span, set by the application"
    BLOCKED = "event of a blocked agent, on its span"
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


# From here on written by docs/generate_names.py from otel_loopwatch/schema.

ERROR_TYPE = "error.type"
TOOL_NAME = "gen_ai.tool.name"
CALL_FINGERPRINT = "loopwatch.call.fingerprint"
RESULT_FINGERPRINT = "loopwatch.result.fingerprint"
CALL_OUTCOME = "loopwatch.call.outcome"
CALL_REFUSED = "loopwatch.call.refused"
LOOP_DETECTED = "loopwatch.loop.detected"
LOOP_KIND = "loopwatch.loop.kind"
LOOP_LEVEL = "loopwatch.loop.level"
LOOP_COUNT = "loopwatch.loop.count"
LOOP_PERIOD = "loopwatch.loop.period"
LOOP_TOOLS = "loopwatch.loop.tools"
LOOP_EVIDENCE = "loopwatch.loop.evidence"
LOOP_FIRST_SPAN_ID = "loopwatch.loop.first_span_id"
LOOP_REASON = "loopwatch.loop.reason"
LOOP_ACTION = "loopwatch.loop.action"
LOOP_DRY_RUN = "loopwatch.loop.dry_run"
LOOP_ID = "loopwatch.loop.id"
RUN_REPEAT_MAX = "loopwatch.run.repeat_max"
RUN_PROGRESSED = "loopwatch.run.progressed"
RUN_WASTED_CALLS = "loopwatch.run.wasted_calls"
RUN_STATUS = "loopwatch.run.status"
RUN_LIMIT = "loopwatch.run.limit"
RUN_STOP_REASON = "loopwatch.run.stop_reason"
RUN_STOP_REPORT = "loopwatch.run.stop_report"
RUN_TERMINATION = "loopwatch.run.termination"
BLOCKED_NEEDED = "loopwatch.blocked.needed"
PROGRESS_VERSION = "loopwatch.progress.version"
STATE_FINGERPRINT = "loopwatch.state.fingerprint"
ACTION = "loopwatch.action"
REASON = "loopwatch.reason"
WEBHOOK_RESULT = "loopwatch.webhook.result"
GATEWAY_SIGNAL = "loopwatch.gateway.signal"
LOOP_EVENT = "loopwatch.loop"
BLOCKED_EVENT = "loopwatch.blocked"

ATTRIBUTES = (
    Attribute(CALL_FINGERPRINT, ValueType.STRING, On.CALL, "Digest of the canonical arguments, 16 hex digits."),
    Attribute(RESULT_FINGERPRINT, ValueType.STRING, On.CALL, "Digest of the masked result, 16 hex digits."),
    Attribute(CALL_OUTCOME, ValueType.STRING, On.CALL, "What the result says."),
    Attribute(CALL_REFUSED, ValueType.BOOLEAN, On.CALL, "True where the call was refused, and the tool never ran."),
    Attribute(LOOP_DETECTED, ValueType.BOOLEAN, On.LOOP, "True where a loop was signalled."),
    Attribute(LOOP_KIND, ValueType.STRING, On.LOOP, "Shape of the loop."),
    Attribute(LOOP_LEVEL, ValueType.STRING, On.LOOP, "How serious it is."),
    Attribute(LOOP_COUNT, ValueType.INT, On.LOOP, "Attempts or rounds so far."),
    Attribute(LOOP_PERIOD, ValueType.INT, On.LOOP, "Attempts per round."),
    Attribute(LOOP_TOOLS, ValueType.STRINGS, On.LOOP, "Tools of one round, in order."),
    Attribute(LOOP_EVIDENCE, ValueType.STRING, On.LOOP, "What the equal results prove."),
    Attribute(LOOP_FIRST_SPAN_ID, ValueType.STRING, On.LOOP, "Span of the first call of the loop, 16 hex digits."),
    Attribute(LOOP_REASON, ValueType.STRING, On.LOOP, "One sentence for people, without argument values."),
    Attribute(LOOP_ACTION, ValueType.STRING, On.LOOP, "What the control decided."),
    Attribute(LOOP_DRY_RUN, ValueType.BOOLEAN, On.LOOP, "True where the action was only recorded, not enforced."),
    Attribute(LOOP_ID, ValueType.STRING, On.LOOP, "Id of the signal, the same wherever it is told, 32 hex digits."),
    Attribute(RUN_REPEAT_MAX, ValueType.INT, On.RUN, "Most attempts of any one call within the window."),
    Attribute(RUN_PROGRESSED, ValueType.BOOLEAN, On.RUN, "Whether the last call brought something new."),
    Attribute(RUN_WASTED_CALLS, ValueType.INT, On.RUN, "Calls that brought nothing new."),
    Attribute(RUN_STATUS, ValueType.STRING, On.RUN, "How the run ended."),
    Attribute(RUN_LIMIT, ValueType.STRING, On.RUN, "Limit of the framework that ended the run."),
    Attribute(RUN_STOP_REASON, ValueType.STRING, On.RUN, "Kind of the loop for which the run was halted."),
    Attribute(RUN_STOP_REPORT, ValueType.STRING, On.RUN, "Stop report of a halted run, JSON."),
    Attribute(RUN_TERMINATION, ValueType.STRING, On.RUN, "Why a guarded run ended."),
    Attribute(BLOCKED_NEEDED, ValueType.STRING, On.BLOCKED, "What the agent said it lacks."),
    Attribute(PROGRESS_VERSION, ValueType.INT, On.DECLARED, "Version of the work; a higher one means progress."),
    Attribute(STATE_FINGERPRINT, ValueType.STRING, On.DECLARED, "State of the work; the same again means no progress."),
    Attribute(ACTION, ValueType.STRING, On.METRIC, "Action the hook returned, or _OTHER where it failed."),
    Attribute(REASON, ValueType.STRING, On.METRIC, "Why something was dropped or skipped."),
    Attribute(WEBHOOK_RESULT, ValueType.STRING, On.METRIC, "What became of the delivery of a stop report."),
    Attribute(GATEWAY_SIGNAL, ValueType.STRING, On.METRIC, "The signal of OTLP that a request carries."),
)
"""Own attributes, in the order of the schema, which tables in the documentation keep."""

GATEWAY_KEPT = Metric(
    "loopwatch.gateway.kept",
    InstrumentKind.OBSERVABLE_COUNTER,
    "{request}",
    "OTLP requests that were kept and acknowledged.",
    attributes=(GATEWAY_SIGNAL,),
)
GATEWAY_REFUSED = Metric(
    "loopwatch.gateway.refused",
    InstrumentKind.OBSERVABLE_COUNTER,
    "{request}",
    "OTLP requests, and single spans without valid ids, that were refused.",
    attributes=(ERROR_TYPE,),
)
GATEWAY_FORWARDED = Metric(
    "loopwatch.gateway.forwarded",
    InstrumentKind.OBSERVABLE_COUNTER,
    "{request}",
    "Requests that the downstream took.",
)
GATEWAY_RETRIES = Metric(
    "loopwatch.gateway.retries",
    InstrumentKind.OBSERVABLE_COUNTER,
    "{request}",
    "Tries to forward after which the same request is sent again.",
)
GATEWAY_DROPPED = Metric(
    "loopwatch.gateway.dropped",
    InstrumentKind.OBSERVABLE_COUNTER,
    "{request}",
    "Requests that were given up: the downstream refuses them, or the store had no room for our own.",
    attributes=(ERROR_TYPE,),
)
GATEWAY_UNJUDGED = Metric(
    "loopwatch.gateway.unjudged",
    InstrumentKind.OBSERVABLE_UPDOWN,
    "{request}",
    "Requests that are kept and not judged.",
)
GATEWAY_WAITING = Metric(
    "loopwatch.gateway.waiting",
    InstrumentKind.OBSERVABLE_UPDOWN,
    "{request}",
    "Requests that are judged and not delivered.",
)
GATEWAY_LAG = Metric(
    "loopwatch.gateway.lag",
    InstrumentKind.OBSERVABLE_UPDOWN,
    "s",
    "How long the oldest of them waits.",
)
GATEWAY_STORED = Metric(
    "loopwatch.gateway.stored",
    InstrumentKind.OBSERVABLE_UPDOWN,
    "By",
    "Bytes of requests in the store.",
)
TOOL_CALLS = Metric(
    "loopwatch.tool.calls",
    InstrumentKind.OBSERVABLE_COUNTER,
    "{call}",
    "Tool calls seen, by what their results say.",
    attributes=(TOOL_NAME, CALL_OUTCOME),
)
LOOP_SIGNALS = Metric(
    "loopwatch.loop.signals",
    InstrumentKind.COUNTER,
    "{signal}",
    "Loops signalled: once per burst and level.",
    attributes=(TOOL_NAME, LOOP_KIND, LOOP_LEVEL),
)
LOOP_ATTEMPTS = Metric(
    "loopwatch.loop.attempts",
    InstrumentKind.HISTOGRAM,
    "{attempt}",
    "Attempts that a loop was made of when it was signalled.",
    attributes=(TOOL_NAME, LOOP_LEVEL),
    buckets=(2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50),
)
LOOP_WASTED_CALLS = Metric(
    "loopwatch.loop.wasted_calls",
    InstrumentKind.OBSERVABLE_COUNTER,
    "{call}",
    "Calls of signalled loops that brought nothing new.",
    attributes=(TOOL_NAME,),
)
LOOP_WASTED_DURATION = Metric(
    "loopwatch.loop.wasted_duration",
    InstrumentKind.OBSERVABLE_COUNTER,
    "s",
    "Time spent in wasted calls, each counted with the duration of the call that revealed it.",
    attributes=(TOOL_NAME,),
)
LOOP_WASTED_TOKENS = Metric(
    "loopwatch.loop.wasted_tokens",
    InstrumentKind.OBSERVABLE_COUNTER,
    "{token}",
    "Model tokens spent on wasted calls, each counted with the tokens of the call that revealed it.",
    attributes=(TOOL_NAME,),
)
LOOP_RECOVERIES = Metric(
    "loopwatch.loop.recoveries",
    InstrumentKind.COUNTER,
    "{loop}",
    "Signalled loops that the run got out of.",
    attributes=(TOOL_NAME, LOOP_KIND),
)
RUN_HALTS = Metric(
    "loopwatch.run.halts",
    InstrumentKind.COUNTER,
    "{run}",
    "Runs halted.",
    attributes=(TOOL_NAME, RUN_STOP_REASON),
)
RUN_ENDED = Metric(
    "loopwatch.run.ended",
    InstrumentKind.OBSERVABLE_COUNTER,
    "{run}",
    "Runs that ended, by how they ended.",
    attributes=(RUN_STATUS, RUN_LIMIT, RUN_TERMINATION),
)
RUN_TOOL_CALLS = Metric(
    "loopwatch.run.tool_calls",
    InstrumentKind.HISTOGRAM,
    "{call}",
    "Tool calls of a run.",
    attributes=(RUN_STATUS,),
    buckets=(1, 2, 4, 8, 16, 32, 64, 128, 256),
)
RUN_DURATION = Metric(
    "loopwatch.run.duration",
    InstrumentKind.HISTOGRAM,
    "s",
    "Time from a run's first call to the end of its last.",
    attributes=(RUN_STATUS,),
    buckets=(0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600),
)
RUN_ACTIVE = Metric(
    "loopwatch.run.active",
    InstrumentKind.OBSERVABLE_UPDOWN,
    "{run}",
    "Runs remembered at the moment.",
)
RUN_CAPACITY = Metric(
    "loopwatch.run.capacity",
    InstrumentKind.OBSERVABLE_UPDOWN,
    "{run}",
    "Runs that can be remembered at once.",
)
RUN_EVICTED = Metric(
    "loopwatch.run.evicted",
    InstrumentKind.OBSERVABLE_COUNTER,
    "{run}",
    "Runs dropped before their end was seen.",
    attributes=(REASON,),
)
CONTROL_HOOK_DURATION = Metric(
    "loopwatch.control.hook.duration",
    InstrumentKind.HISTOGRAM,
    "s",
    "Time taken by the control hook.",
    attributes=(ACTION,),
    buckets=(1e-05, 5e-05, 0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5),
)
CONTROL_HOOK_FAILURES = Metric(
    "loopwatch.control.hook.failures",
    InstrumentKind.OBSERVABLE_COUNTER,
    "{failure}",
    "Control hook calls that raised or gave no action.",
    attributes=(ERROR_TYPE,),
)
CONTROL_ACTIONS = Metric(
    "loopwatch.control.actions",
    InstrumentKind.OBSERVABLE_COUNTER,
    "{action}",
    "What was done about loops, where an adapter or the guard does it; dry runs are not counted.",
    attributes=(TOOL_NAME, ACTION),
)
WEBHOOK_DELIVERIES = Metric(
    "loopwatch.webhook.deliveries",
    InstrumentKind.OBSERVABLE_COUNTER,
    "{delivery}",
    "Stop reports sent to the webhook, by what became of them.",
    attributes=(WEBHOOK_RESULT,),
)
MODEL_CALLS = Metric(
    "loopwatch.model.calls",
    InstrumentKind.OBSERVABLE_COUNTER,
    "{call}",
    "Model spans seen, whether or not they asked for tools.",
)
PROCESSOR_FAILURES = Metric(
    "loopwatch.processor.failures",
    InstrumentKind.OBSERVABLE_COUNTER,
    "{failure}",
    "Errors inside Loopwatch, kept from the application.",
    attributes=(ERROR_TYPE,),
)
PROCESSOR_SKIPPED = Metric(
    "loopwatch.processor.skipped",
    InstrumentKind.OBSERVABLE_COUNTER,
    "{span}",
    "Spans and calls that were not judged.",
    attributes=(REASON,),
)
METRICS = (
    TOOL_CALLS,
    LOOP_SIGNALS,
    LOOP_ATTEMPTS,
    LOOP_WASTED_CALLS,
    LOOP_WASTED_DURATION,
    LOOP_WASTED_TOKENS,
    LOOP_RECOVERIES,
    RUN_HALTS,
    RUN_ENDED,
    RUN_TOOL_CALLS,
    RUN_DURATION,
    RUN_ACTIVE,
    RUN_CAPACITY,
    RUN_EVICTED,
    CONTROL_HOOK_DURATION,
    CONTROL_HOOK_FAILURES,
    CONTROL_ACTIONS,
    WEBHOOK_DELIVERIES,
    MODEL_CALLS,
    PROCESSOR_FAILURES,
    PROCESSOR_SKIPPED,
)
GATEWAY_METRICS = (
    GATEWAY_KEPT,
    GATEWAY_REFUSED,
    GATEWAY_FORWARDED,
    GATEWAY_RETRIES,
    GATEWAY_DROPPED,
    GATEWAY_UNJUDGED,
    GATEWAY_WAITING,
    GATEWAY_LAG,
    GATEWAY_STORED,
)
