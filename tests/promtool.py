"""Prometheus' own tool for rules, in whichever versions are installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

THREE = "LOOPWATCH_PROMTOOL3"
"""Environment variable with the path of a promtool of Prometheus 3, where that in the PATH is older."""


def run(binary: str, *arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The tool's end, and what it said."""
    return subprocess.run(
        [binary, *arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )  # fmt: skip


def accept(binary: str, *arguments: str, folder: Path | None = None) -> None:
    """The tool finds no fault."""
    done = run(binary, *arguments, folder=folder)
    assert done.returncode == 0, done.stdout + done.stderr


def accept_rules(binary: str, groups: Mapping[str, Any], folder: Path) -> None:
    """The tool finds no fault with groups of rules, and no rule twice."""
    file = folder / "rules.yaml"
    file.write_text(yaml.safe_dump(groups), encoding="utf-8")
    accept(binary, "check", "rules", "--lint=all", "--lint-fatal", str(file))


def _found() -> Mapping[int, str]:
    """Paths by major version."""
    paths = [path for path in (shutil.which("promtool"), os.environ.get(THREE)) if path]
    return {_major(path): path for path in paths}


def _major(binary: str) -> int:
    said = re.search(r"version (\d+)\.", run(binary, "--version").stdout)
    assert said, f"{binary} does not tell its version"
    return int(said[1])


FOUND = _found()
MISSING = pytest.mark.skip(reason="promtool is not installed (Debian package prometheus)")
MISSING_3 = pytest.mark.skip(reason=f"quoted names need promtool of Prometheus 3: set {THREE} to its path")
with_each = pytest.mark.parametrize(
    "promtool",
    [pytest.param(path, id=f"promtool {major}") for major, path in FOUND.items()] or [pytest.param("", marks=MISSING)],
)
with_one = pytest.mark.parametrize(
    "promtool", [pytest.param(next(iter(FOUND.values()), ""), id="promtool", marks=[] if FOUND else MISSING)]
)
with_3 = pytest.mark.parametrize(
    "promtool", [pytest.param(FOUND.get(3, ""), id="promtool 3", marks=[] if 3 in FOUND else MISSING_3)]
)
