"""Values that are written as words, or in a colour of their own."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from drawing.frames import Value


@dataclass(frozen=True, slots=True)
class Mapped:
    """What a value is written as, and the colour it has; either may be left as it is."""

    text: str | None
    colour: str | None


def mapped(value: Value, mappings: Sequence[dict[str, Any]]) -> Mapped | None:
    """What the first mapping that fits makes of a value."""
    for mapping in mappings:
        result = FITTING[mapping["type"]](value, mapping["options"])
        if result is not None:
            return Mapped(result.get("text"), result.get("color"))
    return None


Result = dict[str, Any] | None


def _value(value: Value, options: dict[str, Any]) -> Result:
    text = f"{value:g}" if isinstance(value, float) else str(value)
    found: Result = options.get(text)
    return found


def _range(value: Value, options: dict[str, Any]) -> Result:
    low, high = options.get("from"), options.get("to")
    inside = (
        isinstance(value, float) and (low is None or value >= float(low)) and (high is None or value <= float(high))
    )
    found: Result = options["result"] if inside else None
    return found


def _regex(value: Value, options: dict[str, Any]) -> Result:
    pattern = str(options["pattern"]).strip("/")
    found: Result = options["result"] if isinstance(value, str) and re.search(pattern, value) else None
    return found


def _special(value: Value, options: dict[str, Any]) -> Result:
    nothing, no_number = value is None, isinstance(value, float) and math.isnan(value)
    holds = {"null": nothing, "nan": no_number, "null+nan": nothing or no_number, "empty": value == ""}
    found: Result = options["result"] if holds.get(options["match"], False) else None
    return found


FITTING = {"value": _value, "range": _range, "regex": _regex, "special": _special}
