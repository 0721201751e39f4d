"""Small pieces of PromQL, made from the catalogue: a metric renamed or a label dropped breaks the build."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from otel_loopwatch.pack.naming import Naming
from otel_loopwatch.telemetry.names import InstrumentKind, Metric

JOB = "job"
"""Label of the service: Prometheus' own, or made of ``service.namespace`` and ``service.name``."""
OVERFLOW = "otel.metric.overflow"
"""Label under which the SDK (1.45) adds up what is beyond its limit of series, without the other labels."""
ALWAYS_THERE = (JOB, OVERFLOW)

MODEL_OPERATIONS = Metric(
    "gen_ai.client.operation.duration",
    InstrumentKind.HISTOGRAM,
    "s",
    "Time of a request to a model, as instrumentations of model clients record it by OpenTelemetry's conventions.",
)


class Op(str, Enum):
    """How a label is matched."""

    IS = "="
    IS_NOT = "!="
    LIKE = "=~"
    UNLIKE = "!~"


@dataclass(frozen=True, slots=True)
class Match:
    """One label matcher."""

    attribute: str
    op: Op
    value: str


@dataclass(frozen=True, slots=True)
class Recorded:
    """A series that a recording rule makes: ``level:metric:operations``, with the labels of its level."""

    name: str
    attributes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Query:
    """Expressions over the catalogue's metrics, for one naming, and all narrowed to the same series.

    Every method gives PromQL text. A label that the metric does not carry is a :class:`KeyError`, at the build.
    """

    naming: Naming = Naming.UNDERSCORES
    narrowed: tuple[Match, ...] = ()

    def where(self, attribute: str, op: Op, value: str) -> Query:
        """The same, narrowed further, where a metric has that label."""
        return replace(self, narrowed=(*self.narrowed, Match(attribute, op, value)))

    def select(self, metric: Metric, *matches: Match, part: str = "") -> str:
        """The series of a metric; ``part`` is one of a histogram: ``bucket``, ``count`` or ``sum``."""
        _check(metric, [match.attribute for match in matches])
        name, written = self.naming.series(metric, part), self._matchers(metric.attributes, matches)
        if self.naming is Naming.DOTS:
            return "{" + ", ".join([f'"{name}"', *written]) + "}"
        return name + _braced(written)

    def recorded(self, series: Recorded, *matches: Match) -> str:
        """What a recording rule made."""
        return series.name + _braced(self._matchers(series.attributes, matches))

    def increase(self, metric: Metric, over: str, *matches: Match, by: Sequence[str] = (), part: str = "") -> str:
        """Events in a span of time."""
        return self.total(metric, f"increase({self.select(metric, *matches, part=part)}[{over}])", by)

    def rate(self, metric: Metric, over: str, *matches: Match, by: Sequence[str] = (), part: str = "") -> str:
        """Events per second."""
        return self.total(metric, f"rate({self.select(metric, *matches, part=part)}[{over}])", by)

    def total(self, metric: Metric, inner: str, by: Sequence[str] = ()) -> str:
        """The sum over all labels but those kept."""
        _check(metric, by)
        return f"sum by ({self.labels(by)}) ({inner})" if by else f"sum({inner})"

    def quantile(self, share: float, metric: Metric, over: str) -> str:
        """A quantile of a histogram."""
        return f"histogram_quantile({share}, sum by (le) (increase({self.select(metric, part='bucket')}[{over}])))"

    def happened(self, metric: Metric, over: str, *matches: Match, by: Sequence[str]) -> str:
        """Whether anything was counted in a span of time, the very first event of a series included.

        ``increase`` needs two samples of a series: one that is born at 1, in a process that was not scraped before,
        has none. The second arm takes what is counted by a series that was not there before: at no time in a span as
        long, or a single scrape that failed would look like a birth afterwards.
        """
        series = self.select(metric, *matches)
        born = self.total(metric, f"{series} unless last_over_time({series}[{over}] offset {over})", by)
        return any_of(f"{self.increase(metric, over, *matches, by=by)} > 0", f"{born} > 0")

    def labels(self, attributes: Iterable[str]) -> str:
        """Labels between the parentheses of ``by`` or ``on``."""
        return ", ".join(self.naming.written(attribute) for attribute in attributes)

    def _matchers(self, carried: Sequence[str], matches: Sequence[Match]) -> list[str]:
        fitting = [match for match in self.narrowed if match.attribute in (*ALWAYS_THERE, *carried)]
        return [f"{self.naming.written(m.attribute)}{m.op.value}{_quoted(m.value)}" for m in (*fitting, *matches)]


def divided(part: str, whole: str) -> str:
    """A share. Where nothing was counted there is none."""
    return f"{part}\n/\n{whole}"


def share(part: str, whole: str) -> str:
    """What is never more than the whole."""
    return f"clamp_max(\n{divided(part, whole)}\n, 1)"


def all_of(*conditions: str) -> str:
    """What holds for a series if all of these do; the value is the first one's."""
    return "\nand\n".join(conditions)


def any_of(*conditions: str) -> str:
    """What holds for a series if any of these does; the value is that of the first that does."""
    return "\nor\n".join(conditions)


def _quoted(value: str) -> str:
    """A string as PromQL writes it, where a backslash begins an escape."""
    return '"' + value.replace("\\", "\\\\") + '"'


def _braced(matchers: Sequence[str]) -> str:
    return "{" + ", ".join(matchers) + "}" if matchers else ""


def _check(metric: Metric, attributes: Iterable[str]) -> None:
    for attribute in attributes:
        if attribute not in (*ALWAYS_THERE, *metric.attributes):
            raise KeyError(f"{metric.name} has no label {attribute}")
