"""Servers as child processes: found, waited for, and stopped; what goes wrong is said."""

from __future__ import annotations

import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from live import DASHBOARDS, RULES, api
from live.api import fetched
from live.hour import BATCH, CODING, SUPPORT, Stretch
from live.processes import DEADLINE_S, NotInstalled, free_address, program, running, until
from live.servers import VICTORIA_METRICS, backfilled, victoria_metrics


def test_a_program_that_is_not_there_is_told_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever reads the reason of a skipped test knows what to install."""
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(NotInstalled, match=r"prometheus is not installed \(Debian package prometheus\)"):
        program(("prometheus",), "prometheus")


def test_a_program_can_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """By its path, in an environment variable; one that is not there is told."""
    monkeypatch.setenv(VICTORIA_METRICS, sys.executable)
    assert program(("victoria-metrics",), "victoria-metrics", VICTORIA_METRICS) == sys.executable
    monkeypatch.setenv(VICTORIA_METRICS, "/nowhere/victoria-metrics")
    with pytest.raises(NotInstalled, match=VICTORIA_METRICS), victoria_metrics():
        pass


def test_a_server_that_ends_before_it_is_ready_is_told(tmp_path: Path) -> None:
    """With what it said last."""
    arguments = [sys.executable, "-c", "raise SystemExit('the disk is full')"]
    with (
        pytest.raises(RuntimeError, match="the disk is full"),
        running(arguments, f"http://{free_address()}/", tmp_path / "log"),
    ):
        pass


def test_a_server_runs_until_it_is_left(tmp_path: Path) -> None:
    """Then nobody listens any more."""
    address = free_address()
    arguments = [sys.executable, "-m", "http.server", "--bind", *address.split(":"), "--directory", str(tmp_path)]
    with running(arguments, f"http://{address}/", tmp_path / "log"):
        assert fetched(f"http://{address}/")[0] == 200
    with pytest.raises(OSError, match="refused"):
        fetched(f"http://{address}/")


def test_what_is_no_promql_is_refused_in_the_servers_words(url: str) -> None:
    """A query that is broken says where."""
    with pytest.raises(api.Refused, match="parse error: unclosed left parenthesis"):
        api.instant(url, "sum(")


def test_samples_that_cannot_be_stored_are_told(history: Path, stretch: Stretch, tmp_path: Path) -> None:
    """With what promtool says."""
    (tmp_path / "samples.txt").write_text("no sample\n", encoding="utf-8")
    with pytest.raises(RuntimeError, match="create-blocks-from openmetrics"):
        backfilled(tmp_path / "data", replace(stretch, samples=tmp_path / "samples.txt"), RULES)


def test_a_prometheus_to_look_at_runs_until_it_is_interrupted(history: Path) -> None:
    """It says where it is, and knows the jobs."""
    arguments = [sys.executable, "-m", "live", "0.1"]
    with subprocess.Popen(arguments, cwd=DASHBOARDS, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "playing 0.1 hours\n"
            url = process.stdout.readline().strip()
            jobs = {series["metric"]["job"] for series in api.instant(url, "loopwatch_run_active")}
            process.send_signal(signal.SIGINT)
            assert process.wait(DEADLINE_S) == 0
        finally:
            process.kill()
    assert jobs == {SUPPORT, CODING, BATCH}
    with pytest.raises(OSError, match="refused"):
        fetched(url)


def test_what_does_not_come_to_hold_is_told() -> None:
    """No test waits for ever."""
    with pytest.raises(TimeoutError, match="still not so: pigs fly"):
        until(lambda: False, "pigs fly", deadline_s=0.0)
