"""What docs/calibration.md shows is so."""

from __future__ import annotations

import json
import re
from argparse import ArgumentParser
from fractions import Fraction
from math import inf

import yaml
from scripts import ROOT

from otel_loopwatch.calibration import GoodRuns
from otel_loopwatch.cli import parser
from otel_loopwatch.config import load

PAGE = (ROOT / "docs" / "calibration.md").read_text(encoding="utf-8")
RESULTS = json.loads((ROOT / "benchmarks" / "calibration" / "results.json").read_text(encoding="utf-8"))
NAMES = {"ReAct on HotpotQA": "hotpot_react", "MINT ALFWorld": "mint_alfworld", "tau-bench": "tau_airline_gpt4o"}


def blocks(language: str) -> list[str]:
    """The fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_file_it_shows_is_one() -> None:
    """Its planner has a line, its writer too few runs."""
    (block,) = blocks("yaml")
    calibration = load(env={}, **yaml.safe_load(block)).settings.calibration
    assert calibration is not None
    assert calibration.lines() == {"planner": 26.3, "writer": inf}
    assert calibration.agents["planner"] == GoodRuns.of([1.0] * 38 + [26.3, 31.8], Fraction(1, 20))


def test_the_commands_it_shows_are_understood() -> None:
    """Every flag exists."""
    (block,) = blocks("console")
    understood: ArgumentParser = parser()
    commands = [line.split()[2:] for line in block.splitlines() if line.startswith("$ ")]
    assert [callable(understood.parse_args(command).run) for command in commands] == [True] * 3


def test_the_figures_it_quotes_are_the_measured_ones() -> None:
    """Every row of its table, from the scores of the results."""
    rows = [line.split(" | ") for line in PAGE.splitlines() if re.match(r"\| .*\d+ good, \d+ failing", line)]
    for row in rows:
        found = next(RESULTS["recordings"][key] for name, key in NAMES.items() if name in row[0])
        assert f"({found['good']} good, {found['failing']} failing)" in row[0]
        used, alone = (found["scores"][name] for name in ("calls, in vain three times", "calls alone"))
        shares = [used["stopped"], used["saved"], alone["saved"]]
        assert row[1:4] == [f"{100 * share:.1f} %" for share in shares]
        low, high = (f"{100 * share:+.1f}".replace("-", "−") for share in used["more, 95 % of samples"])
        assert row[4].rstrip(" |") == f"{low} to {high}"
    assert len(rows) == len(NAMES)
