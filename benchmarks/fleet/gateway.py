"""A gateway beside plain forwarding: spans per second of CPU, and what it adds to the time of delivery."""

from __future__ import annotations

import time
from collections.abc import Iterator
from statistics import quantiles

from .load import Sink, served
from .mixes import ALL, SOME, Traffic, load
from .report import Row

SPANS = 60_000
PER_REQUEST = 500
"""Spans of one request: an SDK's batch processor sends 512 at most."""
PACED = 300
PACE_S = 0.02
SHARE_OF_FLOOR = 0.4


def rows() -> Iterator[Row]:
    """Throughput of every mix, then latency."""
    for traffic in ALL:
        yield from _throughput(traffic)
    yield from _latency()


def _throughput(traffic: Traffic) -> Iterator[Row]:
    made = load(traffic, SPANS, PER_REQUEST)
    floor, ours = (made.spans / _cpu_s(kind, made.requests) for kind in ("plain", "gateway"))
    detail = f"{ours:,.0f} spans/s against {floor:,.0f}; {made.share:.0%} of the spans are tool calls"
    yield Row(f"gateway, {traffic.name}", ours / floor, "of plain forwarding", at_least=SHARE_OF_FLOOR, detail=detail)


def _cpu_s(kind: str, requests: list[bytes]) -> float:
    """CPU time from the first request to the last delivery, after a few requests to get warm."""
    sink = Sink()
    with served(kind, sink, window_s=0.2) as process:
        warm = requests[:5]
        process.send(warm)
        sink.wait(len(warm))
        before = process.cpu_s
        process.send(requests[5:])
        sink.wait(len(requests))
        spent = process.cpu_s - before
    sink.close()
    return spent * len(requests) / len(requests[5:])


def _latency() -> Iterator[Row]:
    floor = _p99_ms("plain", 0)
    yield Row("delivery by plain forwarding, p99", floor, "ms")
    for window_s in (0.0, 1.0):
        late = _p99_ms("gateway", window_s)
        what = f"added by the gateway, window of {window_s:g} s, p99"
        yield Row(what, late - floor, "ms", detail=f"{late:,.0f} ms in all")


def _p99_ms(kind: str, window_s: float) -> float:
    """From before a request is sent until it arrives; requests of ten spans, one every 20 ms."""
    sink = Sink()
    bodies = load(SOME, PACED * 10, 10).requests[:PACED]
    began = []
    with served(kind, sink, window_s) as process:
        connection = process.connection()
        for body in bodies:
            began.append(time.perf_counter())
            process.send_one(connection, body)
            time.sleep(PACE_S)
        sink.wait(len(bodies))
        connection.close()
    sink.close()
    late = [came - sent for sent, came in zip(began, sorted(sink.came), strict=True)]
    return quantiles(late, n=100)[98] * 1000
