"""Builds the dashboards from the package's catalogue, so that a renamed metric cannot leave a panel behind.

usage: build.py [--check]    writes the JSON beside this file, or says (exit code 1) that it is out of step
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from otel_loopwatch.telemetry import names
from otel_loopwatch.telemetry.names import InstrumentKind, Metric

OVERVIEW = Path(__file__).with_name("loopwatch-overview.json")
DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}
COLUMNS = 24


def series(metric: Metric) -> str:
    """Name of a metric in Prometheus: dots become underscores, seconds are spelt out, counters end in _total."""
    name = metric.name.replace(".", "_") + ("_seconds" if metric.unit == "s" else "")
    counts = metric.kind in (InstrumentKind.COUNTER, InstrumentKind.OBSERVABLE_COUNTER)
    return name + ("_total" if counts else "")


def label(attribute: str) -> str:
    """Name of an attribute as a label in Prometheus."""
    return attribute.replace(".", "_")


TOOL = label(names.TOOL_NAME)
ALL_JOBS = '{job=~"$job"}'
CHOSEN_TOOLS = f'{{job=~"$job",{TOOL}=~"$tool"}}'


def rate(metric: Metric, where: str = CHOSEN_TOOLS, by: str = "") -> str:
    """Events per second."""
    return _sum(by, f"rate({series(metric)}{where}[$__rate_interval])")


def increase(metric: Metric, over: str = "$__rate_interval", where: str = CHOSEN_TOOLS, by: str = "") -> str:
    """Events in a span of time."""
    return _sum(by, f"increase({series(metric)}{where}[{over}])")


def _sum(by: str, inner: str) -> str:
    return f"sum by ({by}) ({inner})" if by else f"sum({inner})"


@dataclass(frozen=True, slots=True)
class Panel:
    """One panel; ``expressions`` are legend and PromQL."""

    title: str
    description: str
    type: str
    unit: str
    expressions: tuple[tuple[str, str], ...]
    width: int = 12
    height: int = 8
    stacked: bool = False

    def built(self, number: int, x: int, y: int) -> dict[str, Any]:
        """The panel as Grafana keeps it."""
        instant = self.type in ("stat", "table")
        return {
            "id": number,
            "type": self.type,
            "title": self.title,
            "description": self.description,
            "datasource": DATASOURCE,
            "gridPos": {"x": x, "y": y, "w": self.width, "h": self.height},
            "fieldConfig": {"defaults": {"unit": self.unit, "min": 0, "custom": self._drawing()}, "overrides": []},
            "targets": [
                {
                    "refId": chr(ord("A") + index),
                    "datasource": DATASOURCE,
                    "expr": expression,
                    "legendFormat": legend,
                    "instant": instant,
                    "range": not instant,
                    "format": "table" if self.type == "table" else "time_series",
                }
                for index, (legend, expression) in enumerate(self.expressions)
            ],
        }

    def _drawing(self) -> dict[str, Any]:
        if self.type != "timeseries":
            return {}
        mode = "normal" if self.stacked else "none"
        return {"fillOpacity": 20 if self.stacked else 0, "stacking": {"mode": mode, "group": "A"}}


KIND, LEVEL, STATUS = label(names.LOOP_KIND), label(names.LOOP_LEVEL), label(names.RUN_STATUS)
REASON, ERROR = label(names.REASON), label(names.ERROR_TYPE)

PANELS = (
    Panel(
        "Loops signalled",
        "Signals raised in the time shown, warnings and criticals together.",
        "stat",
        "short",
        (("", increase(names.LOOP_SIGNALS, "$__range")),),
        width=6,
        height=4,
    ),
    Panel(
        "Runs halted",
        "Runs that the control hook stopped in the time shown.",
        "stat",
        "short",
        (("", increase(names.RUN_HALTS, "$__range")),),
        width=6,
        height=4,
    ),
    Panel(
        "Wasted share of calls",
        "Part of all tool calls that belonged to a loop and brought nothing new.",
        "stat",
        "percentunit",
        (("", f"{increase(names.LOOP_WASTED_CALLS, '$__range')} / {increase(names.TOOL_CALLS, '$__range')}"),),
        width=6,
        height=4,
    ),
    Panel(
        "Time wasted",
        "Time spent in calls of loops that brought nothing new.",
        "stat",
        "s",
        (("", increase(names.LOOP_WASTED_DURATION, "$__range")),),
        width=6,
        height=4,
    ),
    Panel(
        "Signals by kind",
        "Which shapes of loop are seen.",
        "timeseries",
        "short",
        ((f"{{{{{KIND}}}}}", increase(names.LOOP_SIGNALS, by=KIND)),),
        stacked=True,
    ),
    Panel(
        "Tools that waste most",
        "Calls per tool that brought nothing new, in the time shown.",
        "table",
        "short",
        (("", f"topk(10, {increase(names.LOOP_WASTED_CALLS, '$__range', by=TOOL)} > 0)"),),
    ),
    Panel(
        "How runs end",
        "Clean, recovered from a loop, still looping, or halted.",
        "timeseries",
        "short",
        ((f"{{{{{STATUS}}}}}", increase(names.RUN_ENDED, where=ALL_JOBS, by=STATUS)),),
        stacked=True,
    ),
    Panel(
        "Loopwatch itself",
        "Failures and losses of the detector: all of these should be zero.",
        "timeseries",
        "short",
        (
            (f"error {{{{{ERROR}}}}}", increase(names.PROCESSOR_FAILURES, where=ALL_JOBS, by=ERROR)),
            (f"hook {{{{{ERROR}}}}}", increase(names.CONTROL_HOOK_FAILURES, where=ALL_JOBS, by=ERROR)),
            (f"evicted {{{{{REASON}}}}}", increase(names.RUN_EVICTED, where=ALL_JOBS, by=REASON)),
        ),
    ),
)


def variable(name: str, text: str, query: str) -> dict[str, Any]:
    """A drop-down of label values, with all of them chosen."""
    return {
        "name": name,
        "label": text,
        "type": "query",
        "datasource": DATASOURCE,
        "query": query,
        "refresh": 2,
        "multi": True,
        "includeAll": True,
        "allValue": ".+",
        "current": {"text": "All", "value": "$__all"},
    }


def overview() -> dict[str, Any]:
    """The dashboard for whoever is on call: is an agent looping, which tool, and is the detector well?"""
    calls = series(names.TOOL_CALLS)
    return {
        "uid": "loopwatch-overview",
        "title": "Loopwatch / Overview",
        "description": "Tool-call loops of AI agents: seen, wasted, stopped.",
        "tags": ["loopwatch"],
        "schemaVersion": 39,
        "editable": False,
        "graphTooltip": 1,
        "refresh": "1m",
        "time": {"from": "now-6h", "to": "now"},
        "templating": {
            "list": [
                {"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus"},
                variable("job", "Job", f"label_values({calls}, job)"),
                variable("tool", "Tool", f'label_values({calls}{{job=~"$job"}}, {TOOL})'),
            ]
        },
        "panels": placed(PANELS),
    }


def placed(panels: tuple[Panel, ...]) -> list[dict[str, Any]]:
    """The panels from left to right, row by row."""
    built, x, y = [], 0, 0
    for number, panel in enumerate(panels, 1):
        built.append(panel.built(number, x, y))
        x += panel.width
        if x >= COLUMNS:
            x, y = 0, y + panel.height
    return built


def rendered() -> str:
    """The dashboard as its file holds it."""
    return json.dumps(overview(), indent=2, sort_keys=True) + "\n"


def main(arguments: list[str]) -> int:
    """Write the file, or compare it."""
    if "--check" not in arguments:
        OVERVIEW.write_text(rendered(), encoding="utf-8")
    elif OVERVIEW.read_text(encoding="utf-8") != rendered():
        print(f"{OVERVIEW.name} is out of step with the catalogue: run make generate", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
