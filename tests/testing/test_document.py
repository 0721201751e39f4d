"""docs/testing.md says what is so."""

from __future__ import annotations

import re
import subprocess
import sysconfig
from pathlib import Path

import pytest
from scripts import ROOT

from otel_loopwatch import testing

pytest_plugins = ["pytester"]

TEXT = (ROOT / "docs/testing.md").read_text(encoding="utf-8")
AGENT = """
from opentelemetry import trace
from otel_loopwatch.scenarios import SCENARIOS
from otel_loopwatch.scripted import play

def answer(question):
    play(trace.get_tracer("agent"), SCENARIOS["identical" if "kettle" in question else "paging"])

"""


def block(language: str) -> str:
    """The first block in a language."""
    found = re.search(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)
    assert found
    return found[1]


def test_the_tests_shown_pass_and_their_recording_fails_ci(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The Python block with an agent of ours, then the shell block on what it recorded."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile(AGENT + block("python"))
    pytester.runpytest_subprocess("-p", "otel_loopwatch.pytest_plugin").assert_outcomes(passed=2)
    command = Path(sysconfig.get_path("scripts")) / "otel-loopwatch"
    healthy = pytester.path / "healthy.jsonl"
    healthy.write_text(
        '{"id": "healthy", "calls": [{"tool": "look", "args": {}, "result": "seen"}]}\n', encoding="utf-8"
    )
    shell = block("sh").replace("otel-loopwatch", str(command))
    assert (
        subprocess.run(["sh", "-e", "-c", shell], cwd=pytester.path, capture_output=True, check=False).returncode == 0
    )


def test_the_failure_shown_is_real(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """Line by line, up to where the document leaves the rest out."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile(AGENT + "def test_kettle(loopwatch):\n    answer('kettle')\n")
    result = pytester.runpytest_subprocess("-p", "otel_loopwatch.pytest_plugin")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"*{line.replace('...', '*')}" for line in block("text").splitlines()])


def test_every_helper_is_mentioned() -> None:
    """But for types, which come along with them."""
    words = set(re.findall(r"\w+", TEXT))
    assert set(testing.__all__) - {"Content", "Loop"} <= words
