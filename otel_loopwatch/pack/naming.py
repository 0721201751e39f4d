"""What the catalogue's metrics and attributes are called in a Prometheus-like database."""

from __future__ import annotations

from enum import Enum

from otel_loopwatch.telemetry.names import InstrumentKind, Metric

COUNTERS = (InstrumentKind.COUNTER, InstrumentKind.OBSERVABLE_COUNTER)


class Naming(str, Enum):
    """How OpenTelemetry names are translated on their way into the database."""

    UNDERSCORES = "underscores"
    """``loopwatch_tool_calls_total``: by the OpenTelemetry Prometheus exporter, the Collector, Prometheus' own OTLP
    receiver unless it is told otherwise, and VictoriaMetrics with ``-opentelemetry.usePrometheusNaming``."""
    DOTS = "dots"
    """``loopwatch.tool.calls``: by the translation strategy ``NoTranslation`` of Prometheus 3, and by VictoriaMetrics
    unless it is told otherwise. PromQL wants such names quoted."""

    def series(self, metric: Metric, part: str = "") -> str:
        """Name of a metric's series; ``part`` is one of a histogram: ``bucket``, ``count`` or ``sum``."""
        ending = f"_{part}" if part else ""
        if self is Naming.DOTS:
            return metric.name + ending
        seconds = "_seconds" if metric.unit == "s" else ""
        return metric.name.replace(".", "_") + seconds + ("_total" if metric.kind in COUNTERS else ending)

    def label(self, attribute: str) -> str:
        """Name of an attribute as a label."""
        return attribute if self is Naming.DOTS else attribute.replace(".", "_")

    def written(self, attribute: str) -> str:
        """That label as PromQL wants it, between the parentheses of ``by`` or before a matcher's operator."""
        name = self.label(attribute)
        return f'"{name}"' if "." in name else name

    def in_template(self, attribute: str) -> str:
        """That label in an alert's template."""
        name = self.label(attribute)
        return f'index $labels "{name}"' if "." in name else f"$labels.{name}"
