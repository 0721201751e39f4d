"""Which traces of a request need be read."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

import pytest
from fleet.material import Material, Mix
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from otel_loopwatch.dialects import Role, role
from otel_loopwatch.otlp import decode
from otel_loopwatch.otlp.mattering import mattering
from otel_loopwatch.settings import Options
from otel_loopwatch.stream.watch import StreamWatch

NOBODY: Callable[[int], bool] = frozenset[int]().__contains__


def requests(web: float = 0.5) -> list[ExportTraceServiceRequest]:
    """Some requests, each of one trace."""
    messages = islice(Material(3, 500, Mix(web=web)).messages(), 50)
    return [ExportTraceServiceRequest.FromString(value) for _, value in messages]


def web() -> ExportTraceServiceRequest:
    """A request of a trace without an agent."""
    return next(request for request in requests(1) if not mattering(request, NOBODY))


def trace_of(request: ExportTraceServiceRequest) -> bytes:
    """Its first trace."""
    return request.resource_spans[0].scope_spans[0].spans[0].trace_id


def test_what_is_not_read_would_leave_nothing_behind() -> None:
    """The tracker would be where it was; every span of an agent is read."""
    seen = []
    for request in requests():
        spans = list(decode.spans(request))
        seen.append(bool(mattering(request, NOBODY)))
        assert seen[-1] or all(role(span) is Role.OTHER for span in spans)
        if not seen[-1]:
            watch = StreamWatch(Options())
            assert list(watch.take(spans)) == []
            assert not any(watch.follows(span.trace_id) or watch.save(span.trace_id) for span in spans)
    assert True in seen
    assert False in seen


def test_traces_are_told_apart() -> None:
    """Of a request with many traces those with an agent are read, whole."""
    request = ExportTraceServiceRequest()
    for each in requests():
        request.MergeFrom(each)
    wanted = mattering(request, NOBODY)
    read = {span.trace_id for span in decode.spans(request, of=wanted)}
    assert read == {int.from_bytes(trace_id, "big") for trace_id in wanted}
    assert 0 < len(wanted) < len({trace_of(each) for each in requests()})
    assert wanted == {trace_of(each) for each in requests() if mattering(each, NOBODY)}


def test_ordinary_spans_matter_where_an_agent_works() -> None:
    """They may lie between an agent and its tools."""
    request = web()
    trace_id = int.from_bytes(trace_of(request), "big")
    assert mattering(request, {trace_id}.__contains__) == {trace_of(request)}


@pytest.mark.parametrize("name", ["execute_tool search", "invoke_agent"])
def test_a_name_tells_as_well(name: str) -> None:
    """As that of a span whose attributes were left out by a sampler or a filter."""
    request = web()
    request.resource_spans[0].scope_spans[0].spans[0].name = name
    assert mattering(request, NOBODY)


def test_a_span_without_attributes_may_be_anything() -> None:
    """An agent's step, which tells nothing of itself."""
    request = web()
    del request.resource_spans[0].scope_spans[0].spans[0].attributes[:]
    assert mattering(request, NOBODY)
