"""Writes the dashboards, the alerts and the runbook as they are committed: the pack for the default set-up.

usage: build.py [--check]    writes, or says (exit code 1) which files are out of step

The pack itself is in the package (``otel_loopwatch.pack``), so that ``otel-loopwatch pack`` makes it for any set-up.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from otel_loopwatch.cli.pack import write
from otel_loopwatch.pack.files import Alerting, files
from otel_loopwatch.pack.grafana_alerts import grafana_alerts
from otel_loopwatch.pack.naming import Naming
from otel_loopwatch.pack.setup import SetUp

ROOT = Path(__file__).parents[1]


def committed() -> Mapping[str, str]:
    """Every generated file of the pack, by its path below the project's root."""
    setup, dotted = SetUp(), SetUp(naming=Naming.DOTS)
    return {
        **files(setup),
        **files(setup, alerting=Alerting.KUBERNETES),
        "alerts/loopwatch-grafana.yaml": grafana_alerts(setup),
        **{_otlp(path): text for path, text in files(dotted).items() if not path.endswith(".md")},
    }


def _otlp(path: str) -> str:
    folder, _, name = path.rpartition("/")
    return f"{folder}/otlp/{name}"


def out_of_step() -> list[str]:
    """Paths of committed files that are not what the package makes."""
    return [path for path, text in committed().items() if not _is(ROOT / path, text)]


def _is(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text


def main(arguments: Sequence[str]) -> int:
    """Write or check."""
    if "--check" not in arguments:
        write(ROOT, committed())
        return 0
    wrong = out_of_step()
    for path in wrong:
        print(f"{path} is out of step with otel_loopwatch.pack: run `make generate`", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
