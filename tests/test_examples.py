"""The examples and the benchmark run as they are."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from scripts import ROOT, script

from otel_loopwatch.config import load
from otel_loopwatch.model import Kind
from otel_loopwatch.settings import THRESHOLDS, Control, Threshold

CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("OTEL_", "COV"))}


@pytest.mark.parametrize(
    ("example", "shown"),
    [
        ("quickstart.py", '"loopwatch.loop.kind": "identical"'),
        ("control_hook.py", '"stop_reason":"duplicate_write"'),
        ("control_hook.py", "to the model: search_policy gave the same result"),
        ("guard.py", "charged 1 time, receipt {'receipt': 1}"),
        ("guard.py", "stopped: needs_changed_precondition, exit code 11"),
        ("guard.py", "not resumed: preconditions has 'mail role' as it was"),
        ("guard.py", "resumed, and charged 1 time in all"),
    ],
)
def test_example_shows_what_it_promises(example: str, shown: str) -> None:
    """Run as a program, it ends well and prints what it is about."""
    done = subprocess.run(
        [sys.executable, "-W", "error", str(ROOT / "examples" / example)],
        capture_output=True, text=True, check=False, env=CLEAN,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert shown in done.stdout


def test_example_configuration_loads() -> None:
    """The YAML file of the examples is valid and says dry_run."""
    options = load(str(ROOT / "examples/loopwatch.yaml"), {})
    assert options.control is Control.DRY_RUN
    assert options.settings.policy("job_status").polling
    assert options.settings.policy("send_mail").identity_keys == {"order", "recipient"}


def test_strict_configuration_loads() -> None:
    """Repeats: a warning at the second time, critical at the third; rounds: one sooner than by default."""
    thresholds = load(str(ROOT / "examples/strict.yaml"), {}).settings.thresholds
    assert thresholds[Kind.IDENTICAL] == thresholds[Kind.RETRY_STORM] == Threshold(2, 3)
    for kind in (Kind.PING_PONG, Kind.CYCLE):
        assert thresholds[kind] == Threshold(THRESHOLDS[kind].warning - 1, THRESHOLDS[kind].critical - 1)


def test_benchmark_of_the_sampler_has_a_line_per_set_up(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A tiny round names what was dropped, recorded and watched, each with its cost."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    script("benchmarks/sampling.py").main(spans=200, rounds=1)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" x")[0].split()[-1] for line in lines] == ["dropped", "recorded", "watched"]
