"""The Collector in front of three gateways, one of which goes: whose runs start afresh, and what is reported."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import pytest
import requests
from balancing.gateways import RunningGateway
from balancing.ring import Ring
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from otel_loopwatch.otlp.values import write_pairs
from otel_loopwatch.sources import SpansFile, read
from otel_loopwatch.spans import SpanData
from otel_loopwatch.telemetry import names

NAMES = ("gateway-1:4317", "gateway-2:4317", "gateway-3:4317")
"""As in ``examples/fleet/collector.yaml``."""
GOES = NAMES[1]
RUNS = 36
BEFORE, AFTER = 4, 8
"""Calls of each run before and after one of the gateways goes; a loop is told at the third, critical at the fifth."""
SECOND = 1_000_000_000


class Told(NamedTuple):
    """A loop, as the span that completed it says."""

    call: int
    level: str
    id: str
    first_call: int


def trace_of(run: int) -> int:
    """A trace's id as random as an SDK's."""
    return (run + 1) * 0x9E3779B97F4A7C15F39CC0605CEDC835 % 2**128


def call_span(run: int, number: int) -> bytes:
    """A request with one call of a run: the same question, the same answer."""
    request = ExportTraceServiceRequest()
    span = request.resource_spans.add().scope_spans.add().spans.add()
    span.trace_id = trace_of(run).to_bytes(16, "big")
    span.span_id, span.parent_span_id = (number + 2).to_bytes(8, "big"), (1).to_bytes(8, "big")
    span.name = "execute_tool search"
    span.start_time_unix_nano, span.end_time_unix_nano = number * SECOND + 1, number * SECOND + 1000
    write_pairs(
        span.attributes,
        {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "search",
            "gen_ai.tool.call.arguments": '{"q": "kettles"}',
            "gen_ai.tool.call.result": "Kettles are sold in three colours.",
        },
    )
    return request.SerializeToString()


def send(fleet: Mapping[str, RunningGateway], ring: Ring, calls: range) -> None:
    """One call of every run after the other, each to the gateway that the ring names."""
    with requests.Session() as session:
        for number in calls:
            for run in range(RUNS):
                url = f"{fleet[ring.backend(trace_of(run))].url}/v1/traces"
                headers = {"Content-Type": "application/x-protobuf"}
                session.post(url, data=call_span(run, number), headers=headers, timeout=10).raise_for_status()


def spans_in(gateway: RunningGateway) -> list[SpanData]:
    """The spans that a gateway passed on."""
    if not gateway.output.exists():
        return []
    file = read(gateway.output)
    assert isinstance(file, SpansFile)
    return list(file)


def told(span: SpanData) -> Told:
    """The loop on a span; calls by their numbers."""
    said: Mapping[str, Any] = span.attributes
    first = int(said[names.LOOP_FIRST_SPAN_ID], 16) - 2
    return Told(span.span_id - 2, said[names.LOOP_LEVEL], said[names.LOOP_ID], first)


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> dict[int, list[Told]]:
    """The loops of each run, told by three gateways, and then by two."""
    fleet = {name: RunningGateway(tmp_path_factory.mktemp(name.partition(":")[0])) for name in NAMES}
    send(fleet, Ring(NAMES), range(BEFORE))
    fleet[GOES].stop()
    send(fleet, Ring([name for name in NAMES if name != GOES]), range(BEFORE, BEFORE + AFTER))
    for name in NAMES:
        if name != GOES:
            fleet[name].stop()
    spans = [span for gateway in fleet.values() for span in spans_in(gateway)]
    assert Counter(span.trace_id for span in spans) == dict.fromkeys(map(trace_of, range(RUNS)), BEFORE + AFTER)
    runs = {trace_of(run): run for run in range(RUNS)}
    loops: dict[int, list[Told]] = defaultdict(list)
    for span in sorted(spans, key=lambda span: span.span_id):
        if names.LOOP_DETECTED in span.attributes:
            loops[runs[span.trace_id]].append(told(span))
    return loops


MOVED = {run for run in range(RUNS) if Ring(NAMES).backend(trace_of(run)) == GOES}


def test_about_a_third_of_the_runs_move() -> None:
    """Those of the gateway that goes, and no others."""
    two = Ring([name for name in NAMES if name != GOES])
    assert {run for run in range(RUNS) if two.backend(trace_of(run)) != Ring(NAMES).backend(trace_of(run))} == MOVED
    assert RUNS / 5 < len(MOVED) < RUNS / 2


def test_runs_that_stay_are_told_of_once_per_level(reported: dict[int, list[Told]]) -> None:
    """The other gateways do not notice."""
    for run in set(range(RUNS)) - MOVED:
        assert [(loop.call, loop.level, loop.first_call) for loop in reported[run]] == [
            (2, "warning", 0),
            (4, "critical", 0),
        ]


def test_runs_that_move_start_afresh(reported: dict[int, list[Told]]) -> None:
    """Their new gateway counts from its first call of them on: it takes as many calls as a new run's loop does."""
    for run in MOVED:
        assert [(loop.call, loop.level, loop.first_call) for loop in reported[run]] == [
            (2, "warning", 0),
            (BEFORE + 2, "warning", BEFORE),
            (BEFORE + 4, "critical", BEFORE),
        ]


def test_no_loop_is_reported_twice(reported: dict[int, list[Told]]) -> None:
    """Each signal has an id of its own, and what two gateways tell of one run is about different calls."""
    ids = [loop.id for loops in reported.values() for loop in loops]
    assert len(set(ids)) == len(ids) == 2 * RUNS + len(MOVED)
    for run in MOVED:
        for before, after in pairwise(reported[run]):
            assert after.first_call > before.call or after.first_call == before.first_call
