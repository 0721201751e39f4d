from __future__ import annotations

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from otel_loopwatch.otlp.identified import drop_unidentified

VALID = {"trace_id": bytes(range(1, 17)), "span_id": bytes(range(1, 9))}


def request(*shape: list[str]) -> ExportTraceServiceRequest:
    """A resource and scope per list of spans; those whose name begins with x have no id."""
    made = ExportTraceServiceRequest()
    for names in shape:
        of_scope = made.resource_spans.add(schema_url="r").scope_spans.add(schema_url="s")
        for name in names:
            of_scope.spans.add(name=name, **({} if name.startswith("x") else VALID))
    return made


@pytest.mark.parametrize(
    ("before", "after", "dropped"),
    [
        ([["a", "b"], ["c"]], [["a", "b"], ["c"]], 0),
        ([["a", "x1", "b", "x2"], ["c"]], [["a", "b"], ["c"]], 2),
        ([["x1"], ["c"]], [["c"]], 1),
        ([["x1"], ["x2"]], [], 2),
        ([[]], [[]], 0),
        ([["x1"] * 100_000 + ["a"]], [["a"]], 100_000),
    ],
    ids=["all good", "some", "a whole resource", "all", "none there", "very many"],
)
def test_spans_without_ids_are_taken_out(before: list[list[str]], after: list[list[str]], dropped: int) -> None:
    """With the scopes and resources that hold nothing else; the rest is as it was, in its order."""
    made = request(*before)
    assert drop_unidentified(made) == dropped
    assert made == request(*after)
