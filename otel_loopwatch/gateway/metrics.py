"""What the gateway counts beside what it finds in spans, read when it is collected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from threading import Lock

from opentelemetry.metrics import CallbackOptions, Meter, MeterProvider, Observation, get_meter

from otel_loopwatch.gateway.forward import Forwarder
from otel_loopwatch.gateway.judge import Judge
from otel_loopwatch.gateway.signal import Signal
from otel_loopwatch.gateway.store import Store
from otel_loopwatch.telemetry import names
from otel_loopwatch.telemetry.names import InstrumentKind, Metric

Read = Callable[[], Iterable[Observation]]


class GatewayMetrics:
    """The instruments of the gateway; requests that are kept are counted here, everything else by whoever does it."""

    def __init__(
        self, provider: MeterProvider, store: Store, judge: Judge, forwarder: Forwarder, refused: Mapping[str, int]
    ) -> None:
        self._lock = Lock()
        self._kept: Counter[Signal] = Counter(dict.fromkeys(Signal, 0))
        meter = get_meter(names.SCOPE, meter_provider=provider)
        read: dict[Metric, Read] = {
            names.GATEWAY_KEPT: lambda: _by(names.GATEWAY_SIGNAL, {one.value: n for one, n in self._kept.items()}),
            names.GATEWAY_REFUSED: lambda: _by(names.ERROR_TYPE, refused),
            names.GATEWAY_FORWARDED: lambda: [Observation(forwarder.counts.sent)],
            names.GATEWAY_RETRIES: lambda: [Observation(forwarder.counts.retried)],
            names.GATEWAY_DROPPED: lambda: _by(names.ERROR_TYPE, {names.OTHER: 0, **forwarder.counts.dropped}),
            names.GATEWAY_UNJUDGED: lambda: [Observation(judge.waiting)],
            names.GATEWAY_WAITING: lambda: [Observation(forwarder.lag.waiting)],
            names.GATEWAY_LAG: lambda: [Observation(forwarder.lag.oldest_s)],
            names.GATEWAY_STORED: lambda: [Observation(store.size)],
        }
        for metric, each in read.items():
            _observe(meter, metric, each)

    def kept(self, signal: Signal) -> None:
        """A request was kept. From any thread."""
        with self._lock:
            self._kept[signal] += 1


def _by(key: str, counts: Mapping[str, int]) -> list[Observation]:
    return [Observation(number, {key: label}) for label, number in dict(counts).items()]


def _observe(meter: Meter, metric: Metric, read: Read) -> None:
    def callback(_: CallbackOptions) -> Iterable[Observation]:
        return read()

    create = (
        meter.create_observable_counter
        if metric.kind is InstrumentKind.OBSERVABLE_COUNTER
        else meter.create_observable_up_down_counter
    )
    create(metric.name, [callback], metric.unit, metric.description)
