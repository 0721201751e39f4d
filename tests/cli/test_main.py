"""The command as a whole: usage, exit codes, and how it ends when it is interrupted."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from otel_loopwatch.cli import COMMANDS, main, replay

CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("OTEL_", "COV"))}
INSTALLED = Path(sys.executable).parent / "otel-loopwatch"


@pytest.mark.parametrize(
    "arguments", [[], ["dance"], ["replay"], ["replay", "x", "--fail-on", "often"], ["demo", "--scenario", "x"]]
)
def test_bad_usage_is_exit_code_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """With the usage on standard error."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "usage: otel-loopwatch" in capsys.readouterr().err


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """--help ends well and says what the command does."""
    command = import_module(f"otel_loopwatch.cli.{name}")
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    assert name == command.NAME
    assert (command.__doc__ or "?").split(":")[0].strip("`") in capsys.readouterr().out


def test_the_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    """Although a command is imported only when it is asked for."""
    with pytest.raises(SystemExit):
        main(["--help"])
    assert set(COMMANDS) <= set(capsys.readouterr().out.split())


def test_version_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """--version names the program and its version."""
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out.startswith("otel-loopwatch 0.")


def test_ctrl_c_is_quiet(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """No traceback, and the exit code of a program that was interrupted."""

    def interrupted(self: object, paths: list[str]) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(replay.Reading, "judged", interrupted)
    assert main(["replay", "x"]) == 130
    assert capsys.readouterr().err == ""


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    """`otel-loopwatch calls ... | head -1` prints one line and nothing on standard error."""
    path = tmp_path / "cases.jsonl"
    calls = [{"tool": f"tool_{number}", "args": {}} for number in range(5000)]
    path.write_text(json.dumps({"id": "a", "calls": calls}), encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, "-m", "otel_loopwatch", "calls", str(path)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=CLEAN,
    ) as process:  # fmt: skip
        assert process.stdout
        assert process.stderr
        assert process.stdout.readline().startswith("run ")
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait() == 0


def test_what_is_left_to_print_is_dropped_when_the_reader_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stream leads nowhere afterwards, so that nothing raises when the interpreter flushes it at exit."""
    stream = (tmp_path / "out").open("w", encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", _Gone(stream.fileno()))
    assert main(["doctor"]) == 0
    stream.write("lost")
    stream.close()
    assert (tmp_path / "out").read_text(encoding="utf-8") == ""


class _Gone(io.StringIO):
    """A pipe whose reader has gone away."""

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor

    def fileno(self) -> int:
        return self._descriptor

    def flush(self) -> None:
        raise BrokenPipeError


def test_a_terminal_without_unicode_is_no_error() -> None:
    """What it cannot show is escaped."""
    done = subprocess.run(
        [sys.executable, "-m", "otel_loopwatch", "demo"],
        capture_output=True, text=True, check=True, env=CLEAN | {"PYTHONIOENCODING": "ascii"},
    )  # fmt: skip
    assert "Known \\u2026" in done.stdout


def test_installed_script_runs() -> None:
    """The entry point of the distribution leads to the same command."""
    done = subprocess.run([INSTALLED, "--version"], capture_output=True, text=True, check=True, env=CLEAN)
    assert done.stdout.startswith("otel-loopwatch 0.")
