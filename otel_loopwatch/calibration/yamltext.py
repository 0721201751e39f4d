"""A calibration as the ``calibration:`` part of a configuration file; what else the file says stays as it stands."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import yaml

from otel_loopwatch.calibration.lines import Calibration, GoodRuns

KEY = "calibration"
NOTE = "  # Made by `otel-loopwatch calibrate`, changed by `otel-loopwatch feedback`; see docs/calibration.md.\n"
WIDTH = 110


def block(calibration: Calibration) -> str:
    """The key and all that belongs to it, as lines."""
    agents = {agent: _plain(runs) for agent, runs in calibration.agents.items()}
    plain = {KEY: {"alpha": _number(calibration.alpha), "agents": agents}}
    names = (name for agent, runs in calibration.agents.items() for name in (agent, *runs.mistaken))
    readable = all(map(str.isprintable, names))  # what is not, PyYAML writes as it stands and reads as a line's end
    text: str = yaml.safe_dump(plain, sort_keys=False, default_flow_style=None, allow_unicode=readable, width=WIDTH)
    head, body = text.split("\n", 1)
    return f"{head}\n{NOTE}{body}"


def spliced(text: str, made: str) -> str:
    """The text of a configuration file with ``made`` in place of its calibration, or after everything else.

    Raises ValueError where the text is not a mapping of one line or more per key.
    """
    root = yaml.compose(text, yaml.SafeLoader)
    if root is None:
        return text + made
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        raise ValueError("its parameters must stand on lines of their own")
    lines = text.splitlines(keepends=True)
    for key, value in root.value:
        if key.value == KEY:
            return "".join((*lines[: key.start_mark.line], made, *lines[_last_line(value) + 1 :]))
    return text + ("" if text.endswith("\n") else "\n") + made


def _plain(runs: GoodRuns) -> dict[str, Any]:
    listed = {"top": list(runs.top), "mistaken": list(runs.mistaken)}
    return {"runs": runs.runs, **{name: values for name, values in listed.items() if values}}


def _number(alpha: Fraction) -> float | str:
    """A decimal where it is exact."""
    return float(alpha) if Fraction(str(float(alpha))) == alpha else str(alpha)


def _last_line(node: yaml.Node) -> int:
    """Where a node's own text ends: a block's end mark is where the next one begins, beyond the comments between."""
    if isinstance(node, yaml.CollectionNode) and node.value and not node.flow_style:
        last = node.value[-1]
        return _last_line(last[1] if isinstance(node, yaml.MappingNode) else last)
    return int(node.end_mark.line)
