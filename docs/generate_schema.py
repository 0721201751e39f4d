"""Writes ``otel_loopwatch/schema/stop_report.json``: the JSON Schema of stop reports, made from their dataclass.

usage: generate_schema.py [--check]    writes, or says (exit code 1) that the schema is out of step with the class
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import msgspec

from otel_loopwatch.control.report import StopReport

TARGET = Path(__file__).parents[1] / "otel_loopwatch" / "schema" / "stop_report.json"
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def built() -> str:
    """The schema as text."""
    return json.dumps({"$schema": DIALECT, **msgspec.json.schema(StopReport)}, indent=2) + "\n"


def main(arguments: list[str]) -> int:
    """Write the schema, or compare it."""
    if TARGET.exists() and TARGET.read_text(encoding="utf-8") == built():
        return 0
    if "--check" in arguments:
        print(f"{TARGET.name} is out of step with its class: run make generate", file=sys.stderr)
        return 1
    TARGET.write_text(built(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
