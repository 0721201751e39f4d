"""Servers as child processes: found, waited for, and stopped; what goes wrong is said."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from live.api import fetched
from live.processes import NotInstalled, free_address, program, running, until
from live.servers import VICTORIA_METRICS, victoria_metrics


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


def test_what_does_not_come_to_hold_is_told() -> None:
    """No test waits for ever."""
    with pytest.raises(TimeoutError, match="still not so: pigs fly"):
        until(lambda: False, "pigs fly", deadline_s=0.0)
