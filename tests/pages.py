"""Cases of stuck and of working agents, and the page that `replay --html` writes of them."""

from __future__ import annotations

import json
from pathlib import Path

from otel_loopwatch.cli import main
from otel_loopwatch.model import Kind
from otel_loopwatch.settings import THRESHOLDS

FIRST, LAST = THRESHOLDS[Kind.IDENTICAL].warning, THRESHOLDS[Kind.IDENTICAL].critical
REFUSAL = "No policy covers kettles. Known topics: books, clothing, software."
HOSTILE = "</script><script>document.title='taken'</script><!--<script>"


def call(tool: str, result: object, **more: object) -> dict[str, object]:
    """A call of a case, asking about kettles."""
    return {"tool": tool, "args": {"topic": "kettles"}, "result": result, **more}


def looping(tool: str, times: int) -> list[dict[str, object]]:
    """One look at the order, then the same question again and again."""
    order = call("read_order", "Order A123: one kettle, delivered in May", args={"order": "A123"})
    return [each | {"at_ms": 2000 * n} for n, each in enumerate([order, *[call(tool, REFUSAL)] * times])]


def working(times: int) -> list[dict[str, object]]:
    """Pages that all differ."""
    return [
        call("read_page", f"Page {n}: chapter {n} of the book of towns", args={"page": n}, at_ms=60_000 * n)
        for n in range(times)
    ]


CASES = {"stuck": looping("search_policy", LAST + 1), "warned": looping("lookup", FIRST + 1), "fine": working(6)}


def written(tmp_path: Path, cases: dict[str, list[dict[str, object]]] = CASES, *flags: str) -> Path:
    """The page of some cases."""
    source, target = tmp_path / "cases.jsonl", tmp_path / "report.html"
    lines = (json.dumps({"id": name, "calls": calls}) for name, calls in cases.items())
    source.write_text("\n".join(lines), encoding="utf-8")
    assert main(["replay", str(source), "--html", str(target), *flags]) == 0
    return target
