"""What docs/calibration.md shows is so."""

from __future__ import annotations

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
