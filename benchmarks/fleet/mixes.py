"""Requests and messages to be judged: agents among more or less other traffic."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from .material import Material, Mix


@dataclass(frozen=True, slots=True)
class Traffic:
    """What a fleet sends."""

    name: str
    mix: Mix


AGENTS = Traffic("agents alone", Mix(web=0.0))
SOME = Traffic("agents among other services", Mix(web=0.95))
FEW = Traffic("one agent among many services", Mix(web=0.996))
ALL = (AGENTS, SOME, FEW)


@dataclass(slots=True)
class Load:
    """Requests of so many spans about, and what is in them."""

    requests: list[bytes]
    spans: int
    tools: int

    @property
    def share(self) -> float:
        """Spans of tool calls among all."""
        return self.tools / self.spans


def load(traffic: Traffic, spans: int, per_request: int) -> Load:
    """Requests as an SDK's batches or a Collector's."""
    material = Material(seed=7, spans=spans, mix=traffic.mix)
    return Load(list(_joined(material, per_request)), material.told, material.tools)


def _joined(material: Material, per_request: int) -> Iterator[bytes]:
    """Serialised messages one after the other are one message, in protobuf."""
    body, held = b"", 0
    for _, message in material.messages():
        body, held = body + message, held + _spans(message)
        if held >= per_request:
            yield body
            body, held = b"", 0
    if body:
        yield body


def _spans(message: bytes) -> int:
    return len(ExportTraceServiceRequest.FromString(message).resource_spans[0].scope_spans[0].spans)
