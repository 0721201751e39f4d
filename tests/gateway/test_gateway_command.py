"""`otel-loopwatch gateway`: what it is told wrongly, and how it says so."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from otel_loopwatch.cli import main
from otel_loopwatch.variables import HEADERS_VARIABLE, TOKENS_VARIABLE

CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("OTEL_", "COV"))}
SECRET = "of-somebody-else"


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that somebody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


def said(arguments: list[str], folder: Path, capfd: pytest.CaptureFixture[str]) -> str:
    """The one line that a command ends with, exit code 2."""
    code = main(["gateway", "--folder", str(folder / "of-gateway"), *arguments])
    lines = [line for line in capfd.readouterr().err.splitlines() if line.startswith("otel-loopwatch: ")]
    assert code == 2
    assert len(lines) == 1
    return lines[0].removeprefix("otel-loopwatch: ")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ("--host 0.0.0.0", "host is '0.0.0.0'; it must be of this machine, as localhost is, or have a certificate"),
        ("--token-file /nowhere", "token_file is '/nowhere'; it must be a file that can be read"),
        ("--certificate /nowhere", "key is None; it must be given where certificate is"),
        ("--certificate /nowhere --key /nowhere", "certificate is '/nowhere'; it must be a PEM file"),
        ("--downstream ftp://a", "url is 'ftp://a/...'; it must be http or https with a host and no user name"),
        ("--downstream http://me:secret@a", "url is 'http://a/...'; it must be http or https with a host"),
        ("--downstream https://a --ca-file /nowhere", "ca_file is '/nowhere'; it must hold certificates in PEM"),
        ("--http-port 70000", "http_port is 70000; it must be from 0 to 65535"),
        ("--grpc-port -1", "grpc_port is -1; it must be from 0 to 65535"),
        ("--window 61", "window_s is 61.0; it must be from 0 to 60"),
        ("--window nan", "window_s is nan; it must be from 0 to 60"),
        ("--metrics-every -1", "metrics_s is -1.0; it must be from 0 to 86400"),
        ("--drain -1", "drain_s is -1.0; it must be at least 0"),
        ("--spool-mb -1", "spool_bytes is -1048576; it must be at least 0"),
        ("--spool-mb 0 --memory-mb 0", "memory_bytes is 0; it must be at least 1048576"),
        ("--folder /dev/null/a", "folder is '/dev/null/a'; it must be one that can be written"),
        ("--config /nowhere", "/nowhere cannot be read"),
    ],
)
def test_bad_settings_are_one_line(tmp_path: Path, arguments: str, why: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Naming the field, its value and the rule."""
    assert said(arguments.split(), tmp_path, capfd).startswith(why)


@pytest.mark.parametrize("which", ["http", "grpc"])
def test_a_port_that_is_taken_is_one_line(
    tmp_path: Path, which: str, taken: int, capfd: pytest.CaptureFixture[str]
) -> None:
    """It says which."""
    ports = {"http": "0", "grpc": "0", which: str(taken)}
    arguments = [f"--{name}-port={port}" for name, port in ports.items()]
    assert said(arguments, tmp_path, capfd).startswith(f"{which}_port is {taken}; it must be one of 127.0.0.1 ")


@pytest.mark.parametrize(
    ("variable", "value", "rule"),
    [
        (TOKENS_VARIABLE, "short", "it must name tokens of 16 or more printable ASCII characters"),
        (HEADERS_VARIABLE, SECRET, "it must be name=value, with commas between"),
        (HEADERS_VARIABLE, f"a=b,{SECRET}", "it must be name=value, with commas between"),
        (HEADERS_VARIABLE, f"a b={SECRET}", "headers has 'a b'; a header must have a name of HTTP"),
        (HEADERS_VARIABLE, f"a={SECRET}%0Ab", "headers has 'a'; a header must have a name of HTTP"),
    ],
)
def test_bad_variables_are_one_line_without_their_value(
    tmp_path: Path,
    variable: str,
    value: str,
    rule: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """They hold keys."""
    monkeypatch.setenv(variable, value)
    line = said(["--downstream", "http://127.0.0.1:1"], tmp_path, capfd)
    assert rule in line
    assert value not in line
    assert SECRET not in line


@pytest.mark.parametrize("package", ["starlette", "uvicorn", "urllib3", "opentelemetry.exporter.prometheus"])
def test_what_is_not_installed_is_said(
    tmp_path: Path, package: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """And how it is."""
    monkeypatch.setitem(sys.modules, package, None)
    assert said([], tmp_path, capfd) == "gateway needs more packages: pip install 'otel-loopwatch[gateway]'"


def test_the_command_needs_none_of_it_to_explain_itself() -> None:
    """Nor do the others: what it needs is imported when it runs."""
    code = (
        "import sys; from otel_loopwatch.cli import main\n"
        "try: main(['gateway', '--help'])\n"
        "finally: print(sorted({'starlette', 'uvicorn', 'urllib3', 'grpc', 'google.protobuf'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=CLEAN, capture_output=True, text=True, timeout=60, check=True
    )
    assert f"${HEADERS_VARIABLE}" in done.stdout
    assert done.stdout.endswith("[]\n")
