from __future__ import annotations

import pytest

from otel_loopwatch.control.hook import Decision
from otel_loopwatch.model import Action, Evidence, Kind, Level, LoopSignal
from otel_loopwatch.otlp import loops, runtime
from otel_loopwatch.otlp.values import attributes

SIGNAL = LoopSignal(
    kind=Kind.IDENTICAL,
    level=Level.CRITICAL,
    run="run",
    tools=("search",),
    count=5,
    period=1,
    wasted_calls=4,
    evidence=Evidence.STRONG,
    reason="search gave the same result 5 times in a row.",
    advice="Do something else.",
    call=5,
    span_id=10,
    trace_id=1 << 120,
    first_span_id=6,
)


def test_a_signal_is_a_log_record_of_its_span() -> None:
    """Linked by the ids of the call's span, with the attributes that the span would have."""
    request = loops.record(SIGNAL, Decision(Action.HALT, dry_run=True), at_ns=7)
    of_scope = request.resource_logs[0].scope_logs[0]
    (record,) = of_scope.log_records
    assert (record.trace_id, record.span_id) == (b"\1" + bytes(15), bytes(7) + b"\x0a")
    assert (record.event_name, record.body.string_value) == ("loopwatch.loop", SIGNAL.reason)
    assert (record.time_unix_nano, record.observed_time_unix_nano) == (7, 7)
    assert (record.severity_number, record.severity_text) == (17, "critical")
    assert of_scope.scope.name == "otel_loopwatch"
    assert attributes(request.resource_logs[0].resource.attributes) == {"service.name": "otel-loopwatch"}
    assert attributes(record.attributes) == {
        "loopwatch.loop.detected": True,
        "loopwatch.loop.kind": "identical",
        "loopwatch.loop.level": "critical",
        "loopwatch.loop.count": 5,
        "loopwatch.loop.period": 1,
        "loopwatch.loop.tools": ["search"],
        "loopwatch.loop.evidence": "strong",
        "loopwatch.loop.reason": SIGNAL.reason,
        "loopwatch.loop.action": "halt",
        "loopwatch.loop.dry_run": True,
        "loopwatch.loop.first_span_id": "0000000000000006",
        "loopwatch.loop.id": SIGNAL.id,
    }


def test_a_signal_of_no_trace_is_linked_to_nothing() -> None:
    """Its record says all the same what was decided."""
    signal = LoopSignal(**{**{name: getattr(SIGNAL, name) for name in SIGNAL.__slots__}, "trace_id": 0})
    (record,) = loops.record(signal, Decision(Action.CONTINUE)).resource_logs[0].scope_logs[0].log_records
    assert attributes(record.attributes)["loopwatch.loop.action"] == "continue"
    assert (record.trace_id, record.span_id) == (b"", b"")


@pytest.mark.parametrize(("found", "slow"), [("upb", False), ("python", True)])
def test_a_slow_protobuf_is_said(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, found: str, slow: bool
) -> None:
    """Once, at the start, with the name of what was found."""
    monkeypatch.setattr("google.protobuf.internal.api_implementation.Type", lambda: found)
    assert runtime.warn_if_slow() is slow
    assert len(caplog.records) == slow
    assert not slow or "'python'" in caplog.text
