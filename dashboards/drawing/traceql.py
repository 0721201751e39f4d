"""The few forms of TraceQL that the dashboards use, on spans that are there.

``{ span.a = "b" && resource.c =~ "d|e" } | select(span.x, y)``: conditions on one span, all of which hold, and what is
shown of it. https://grafana.com/docs/tempo/latest/traceql/
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from drawing.spans import STATUSES, Attribute, Span

QUERY = re.compile(r"\s*\{(?P<conditions>.*?)\}\s*(?:\|\s*select\((?P<selected>[^)]*)\)\s*)?", re.DOTALL)
CONDITION = re.compile(r'\s*(?P<name>[\w.]+)\s*(?P<sign>=~|!~|!=|>=|<=|=|>|<)\s*(?P<value>"(?:[^"\\]|\\.)*"|\S+)\s*')
SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "=~": lambda value, pattern: re.fullmatch(pattern, str(value)) is not None,
    "!~": lambda value, pattern: re.fullmatch(pattern, str(value)) is None,
}


@dataclass(frozen=True, slots=True)
class Condition:
    """What a span must have."""

    name: str
    sign: str
    value: Attribute

    def holds(self, span: Span) -> bool:
        """Whether it has."""
        there = span.read(self.name)
        if self.value is None:
            return (there is None) == (self.sign == "=")
        return isinstance(there, type(self.value)) and SIGNS[self.sign](there, self.value)


@dataclass(frozen=True, slots=True)
class Query:
    """A query that was read."""

    conditions: Sequence[Condition]
    selected: Sequence[str]

    @property
    def names(self) -> list[str]:
        """What it speaks of, and Tempo therefore answers."""
        return list(dict.fromkeys([*(each.name for each in self.conditions), *self.selected]))

    def finds(self, span: Span) -> bool:
        """Whether a span has all that is asked for."""
        return all(condition.holds(span) for condition in self.conditions)


def parsed(text: str) -> Query:
    """A query.

    :raises ValueError: for TraceQL of another form.
    """
    parts = QUERY.fullmatch(text)
    if parts is None:
        raise ValueError(f"TraceQL {text!r} is not of the form {{ a = b && c =~ d }} | select(x, y)")
    conditions = [_condition(each) for each in parts["conditions"].split("&&") if each.strip()]
    return Query(conditions, [name.strip() for name in (parts["selected"] or "").split(",") if name.strip()])


def _condition(text: str) -> Condition:
    parts = CONDITION.fullmatch(text)
    if parts is None:
        raise ValueError(f"condition {text.strip()!r} of TraceQL is not of the form name = value")
    return Condition(parts["name"], parts["sign"], _literal(parts["value"]))


def _literal(text: str) -> Attribute:
    if text in STATUSES or text == "nil":
        return None if text == "nil" else text
    value: bool | float | str = json.loads(text)
    return value if isinstance(value, (bool, str)) else float(value)
