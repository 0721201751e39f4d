"""All the figures of the scoreboard, as results.json holds them."""

from __future__ import annotations

import sys
from typing import Any

from . import ablation, pairs, running
from .ours import Loopwatch, strict
from .plain import RULES
from .rewriting import __main__ as rewriter
from .rewriting import report
from .rewriting.case import read
from .rivals import RIVALS


def results(material: running.Material) -> dict[str, Any]:
    """The detectors side by side, this package first; then what concerns it alone."""
    rewritten, rules = _rewritten(), _rules()
    detectors = _detectors(material)
    wrong = [figures.pop("wrong") for figures in detectors.values()]
    return {
        "detectors": detectors,
        "wrong": wrong[0],
        "absent": [rival.name for rival in RIVALS if not rival.installed],
        "pairs": pairs.scores(material.recordings),
        "rewritten": rewritten,
        "rules": rules,
    }


def _detectors(material: running.Material) -> dict[str, dict[str, Any]]:
    """Figures by detector, told as they come in: some detectors take minutes."""
    found = {}
    rivals = [rival for rival in RIVALS if rival.installed]
    for name, figures in running.everyone([Loopwatch(), strict(), *rivals, *RULES], material):
        print(f"measured {name}", file=sys.stderr)
        found[name] = figures
    return found


def _rewritten() -> list[dict[str, Any]]:
    """The cases under every mutation; which of them changed is told by the rewriting's own command."""
    rows = report.as_json(list(rewriter.scores(list(read(rewriter.case_files())))))
    return [{key: value for key, value in row.items() if key != "changed"} for row in rows]


def _rules() -> list[dict[str, Any]]:
    return ablation.as_json(*ablation.measured(list(read(rewriter.case_files()))))
