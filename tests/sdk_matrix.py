"""Runs the tests of the live side against older SDKs, each in a virtual environment of its own.

``python tests/sdk_matrix.py [VERSION ...]``; environments are kept in ``.venv/sdk/VERSION``. The exit code is 1 if any
version failed, and the last line says which.
"""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

VERSIONS = ("1.30.0", "1.40.0", "1.43.0")
"""The oldest supported; the first with ``_on_ending``; the first whose ended spans are immutable."""
ROOT = Path(__file__).parents[1]
TOOLS = ("pytest", "hypothesis")


def python_with(version: str) -> Path:
    """The interpreter of an environment that holds this SDK and the project."""
    home = ROOT / ".venv" / "sdk" / version
    python = home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not (home / "ready").exists():
        venv.create(home, with_pip=True, clear=True)
        pinned = [f"opentelemetry-{part}=={version}" for part in ("api", "sdk", "exporter-otlp")]
        subprocess.run([python, "-m", "pip", "install", "--quiet", *pinned, *TOOLS, "--editable", ROOT], check=True)
        (home / "ready").touch()
    return python


def passes(version: str) -> bool:
    """Whether the live side's tests pass; deprecations of an old SDK's dependencies are not ours to fix."""
    tests = [str(ROOT / "tests" / "live"), "--override-ini=filterwarnings=default", "-q", "-p", "no:cacheprovider"]
    return subprocess.run([python_with(version), "-m", "pytest", *tests], cwd=ROOT, check=False).returncode == 0


if __name__ == "__main__":
    failed = [version for version in sys.argv[1:] or VERSIONS if not passes(version)]
    sys.exit(f"failed with SDK {', '.join(failed)}" if failed else 0)
