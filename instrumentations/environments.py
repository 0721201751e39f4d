"""A virtual environment per list of pins, made with uv and kept for the next time; for Node a folder, made with npm."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
CACHE = ROOT / ".venv-instrumentations"
INSTALL_S = 900


class CannotInstall(Exception):
    """The reason, in one line."""


def environment(packages: Sequence[str], wheel: Path, python: str = "") -> Path:
    """Interpreter of an environment that holds the packages and the wheel.

    :raises CannotInstall: with the resolver's reason.
    """
    python = python or f"{sys.version_info.major}.{sys.version_info.minor}"
    home = CACHE / hashlib.sha256(json.dumps([python, sorted(packages)]).encode()).hexdigest()[:16]
    interpreter, installed = home / "bin" / "python", home / "installed.txt"
    built = f"{wheel.name} {hashlib.sha256(wheel.read_bytes()).hexdigest()}"
    if not installed.exists():
        shutil.rmtree(home, ignore_errors=True)
        _uv("venv", "--python", python, str(home))
        _uv("pip", "install", "--python", str(interpreter), *packages, str(wheel))
    elif installed.read_text() != built:
        _uv("pip", "install", "--python", str(interpreter), "--no-deps", "--reinstall", str(wheel))
    installed.write_text(built)
    return interpreter


def versions(interpreter: Path) -> dict[str, str]:
    """What is installed there, by distribution."""
    listed = json.loads(_uv("pip", "list", "--python", str(interpreter), "--format", "json"))
    return {one["name"]: one["version"] for one in listed}


def node_home(packages: Sequence[str]) -> Path:
    """Folder whose ``node_modules`` hold the packages.

    :raises CannotInstall: with npm's reason, or because there is no Node.
    """
    home = CACHE / f"node-{hashlib.sha256(json.dumps(sorted(packages)).encode()).hexdigest()[:16]}"
    installed = home / "installed.txt"
    if not installed.exists():
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        _run("npm", "install", "--no-audit", "--no-fund", "--prefix", str(home), *packages)
        installed.write_text("\n".join(packages))
    return home


def _uv(*arguments: str) -> str:
    return _run(shutil.which("uv", path=str(Path(sys.executable).parent)) or "uv", *arguments)


def _run(program: str, *arguments: str) -> str:
    name = Path(program).name
    found = shutil.which(program)
    if found is None:
        raise CannotInstall(f"{name} is missing")
    try:
        done = subprocess.run(  # noqa: S603 - our own arguments
            [found, *arguments], capture_output=True, text=True, check=False, timeout=INSTALL_S
        )
    except subprocess.TimeoutExpired:
        raise CannotInstall(f"{name} {arguments[0]} took more than {INSTALL_S} s") from None
    if done.returncode:
        raise CannotInstall(_reason(done.stderr))
    return done.stdout


def _reason(stderr: str) -> str:
    """The resolver's conclusion, without its drawing."""
    lines = [line.strip(" ╰─▶×│├\n") for line in stderr.splitlines()]
    return " ".join(line for line in lines if line)[-300:]
