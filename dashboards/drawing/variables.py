"""What a dashboard's drop-downs hold: as they show it, and as it stands in queries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from live import api
from live.queries import series_and_label, substituted

from drawing.model import Json
from drawing.window import Window

ALL = "All"
DATA_SOURCES = {"prometheus": "Prometheus", "tempo": "Tempo"}


@dataclass(frozen=True, slots=True)
class Variable:
    """A drop-down and what is chosen in it."""

    name: str
    label: str
    shown: str
    """What is chosen, for the reader."""
    value: str
    """What stands for it in a query."""


@dataclass(frozen=True, slots=True)
class Choices:
    """Where the values of drop-downs come from, and those that are wished for, by name, several with commas between."""

    prometheus: str
    window: Window
    wishes: Mapping[str, str]

    def chosen(self, variables: Sequence[Json]) -> list[Variable]:
        """All drop-downs.

        :raises ValueError: for a wish that the dashboard has no variable for.
        """
        known = {each["name"] for each in variables}
        if unknown := sorted(set(self.wishes) - known):
            raise ValueError(f"variable {unknown[0]!r} is not one of the dashboard's: {', '.join(sorted(known))}")
        done: list[Variable] = []
        for each in variables:
            done.append(self._variable(each, done))
        return done

    def _variable(self, read: Json, before: Sequence[Variable]) -> Variable:
        name, wish = read["name"], self.wishes.get(read["name"])
        label = read.get("label") or name
        if read["type"] == "datasource":
            shown = DATA_SOURCES[read["query"]]
            return Variable(name, label, shown, shown)
        if wish is None and read.get("includeAll"):
            return Variable(name, label, ALL, read.get("allValue") or ".*")
        values = wish.split(",") if wish is not None else self._current(read, before)
        several = read.get("multi") or read.get("includeAll")
        return Variable(name, label, " + ".join(values), pattern(values) if several else quoted(values[0]))

    def _current(self, read: Json, before: Sequence[Variable]) -> list[str]:
        if value := read.get("current", {}).get("value"):
            return [str(each) for each in value] if isinstance(value, list) else [str(value)]
        if read["type"] != "query":
            return [str(read.get("query", ""))]
        return sorted(self._offered(read, before))[:1] or [""]

    def _offered(self, read: Json, before: Sequence[Variable]) -> list[str]:
        query = read["query"] if isinstance(read["query"], str) else read["query"]["query"]
        series, label = series_and_label(substituted(query, by_name(before), 1, self.window.length))
        return api.label_values(self.prometheus, series, label, self.window.start, self.window.end)


def by_name(variables: Iterable[Variable]) -> dict[str, str]:
    """What stands for each variable in queries."""
    return {variable.name: variable.value for variable in variables}


def quoted(value: str) -> str:
    """A value inside a string of PromQL. It is no pattern: Grafana makes patterns where several can be chosen only."""
    return value.replace("\\", r"\\")


def pattern(values: Sequence[str]) -> str:
    """Values as a regular expression inside a string of PromQL, where backslashes are doubled."""
    escaped = [re.sub(r"([\\^$*+?.()|\[\]{}])", r"\\\\\1", value) for value in values]
    return escaped[0] if len(escaped) == 1 else f"({'|'.join(escaped)})"
