"""What docs/calibration.md quotes of `benchmarks/calibration/results.json`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[1] / "benchmarks" / "calibration" / "results.json"
NAMES = {
    "hotpot_react": "ReAct on HotpotQA",
    "mint_alfworld": "MINT ALFWorld",
    "tau_airline_gpt4o": "tau-bench airline, GPT-4o",
}
USED, ALONE = "calls, in vain three times", "calls alone"
SAVED = ("runs", "good runs stopped", "failing runs' calls saved", "by calls alone", "gained, 95 % interval")
TASKS = ("runs", "tasks", "good runs stopped: one run per task used", "every run used")


def saved() -> Iterator[tuple[str, ...]]:
    """Per set of runs: what is stopped and saved, and what counting calls alone would have saved."""
    for name, found in _recordings():
        used, alone = found["scores"][USED], found["scores"][ALONE]
        low, high = used["more, 95 % of samples"]
        runs = f"{name} ({found['good']} good, {found['failing']} failing)"
        shares = map(_percent, (used["stopped"], used["saved"], alone["saved"]))
        yield runs, *shares, f"{100 * low:+.1f} to {100 * high:+.1f} points"


def tasks() -> Iterator[tuple[str, ...]]:
    """Per set of runs: good runs of new tasks that are stopped."""
    for name, found in _recordings():
        ways = found["tasks"]
        shares = (_percent(ways[way]["stopped"]) for way in ("one run per task", "every good run"))
        yield name, str(ways["tasks"]), *shares


def _recordings() -> Iterator[tuple[str, Any]]:
    results = json.loads(RESULTS.read_text(encoding="utf-8"))["recordings"]
    return ((name, results[key]) for key, name in NAMES.items())


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
