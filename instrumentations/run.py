"""Runs real agent packages with a scripted model, offline, and compares what Loopwatch saw with what there was.

usage: run.py [--only PATTERN] [--light] [--jobs N] [--wheel FILE] [--dry-run]

Results are kept in results.json; rows that are not run keep theirs. The exit code is 1 if a row is not as expected.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from environments import ROOT, CannotInstall, environment, node_home, versions
from judging import complaints
from rows import Row, read_rows

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
LIMIT_S = 240
"""For one script with all its scenarios."""


def try_row(row: Row, wheel: Path) -> dict[str, Any]:
    """A row's entry in the results: versions, and per content mode every scenario, or why there is none."""
    entry: dict[str, Any] = {"framework": row.framework, "instrumentation": row.instrumentation, "note": row.note}
    if row.cannot:
        return {**entry, "problem": row.cannot}
    try:
        interpreter = environment(row.packages, wheel, row.python)
        installed = versions(interpreter)
        node = {"NODE_HOME": str(node_home(row.npm))} if row.npm else {}
    except CannotInstall as reason:
        return {**entry, "problem": f"cannot be installed: {reason}"}
    named = {package.split("==")[0].split("[")[0].strip() for package in row.packages}
    entry["versions"] = {name: version for name, version in sorted(installed.items()) if name in named}
    entry["versions"] |= dict(package.rsplit("@", 1) for package in row.npm)
    entry["shows"] = list(row.shows)
    entry["content"] = {mode: _try_mode(row, mode, {**env, **node}, interpreter) for mode, env in row.modes.items()}
    return entry


def _try_mode(row: Row, mode: str, env: Mapping[str, str], interpreter: Path) -> dict[str, Any]:
    """Every scenario of a row with one setting of content, by name, each with what is wrong about it."""
    results, broke = play(interpreter, row.script, row.variant, env)
    scenarios = {result["scenario"]: _judged(result, row.expected(mode, result["scenario"])) for result in results}
    return {"scenarios": scenarios, **({"problem": broke} if broke else {})}


def _judged(result: Mapping[str, Any], expected: Mapping[str, Any]) -> dict[str, Any]:
    why = {"why": expected["why"]} if "why" in expected else {}
    return {**result, "wrong": complaints(result, expected), **why}


def play(interpreter: Path, script: str, variant: str, env: Mapping[str, str]) -> tuple[list[dict[str, Any]], str]:
    """Run a script in its environment: the lines it wrote, and what broke it, if anything did."""
    with tempfile.TemporaryDirectory() as home:
        lines = Path(home) / "results.jsonl"
        command = [str(interpreter), "-m", f"scripts.{script}", variant, str(lines)]
        broke = ""
        try:
            done = subprocess.run(  # noqa: S603 - our own arguments
                command, cwd=HERE, env=_clean(home, env), capture_output=True, text=True, check=False, timeout=LIMIT_S
            )
            if done.returncode:
                broke = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1][:300]
        except subprocess.TimeoutExpired:
            broke = f"took more than {LIMIT_S} s"
        text = lines.read_text(encoding="utf-8") if lines.exists() else ""
    return [json.loads(line) for line in text.splitlines()], broke


def _clean(home: str, env: Mapping[str, str]) -> dict[str, str]:
    """Nothing of the user's settings, only what the row says."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "SCENARIOS") if name in os.environ}
    return {**kept, "HOME": home, "PYTHONDONTWRITEBYTECODE": "1", **env}


def is_as_expected(entry: Mapping[str, Any]) -> bool:
    """Whether nothing is wrong in a row that ran; one that cannot be tried says so, and that is all it can do."""
    modes = entry.get("content", {}).values()
    return not any("problem" in mode or any(s["wrong"] for s in mode["scenarios"].values()) for mode in modes)


def report(name: str, entry: Mapping[str, Any]) -> str:
    """A few lines for the terminal."""
    lines = [f"{'ok  ' if is_as_expected(entry) else 'BAD '} {name}"]
    if "problem" in entry:
        lines = [f"none {name}: {entry['problem']}"]
    for mode, seen in entry.get("content", {}).items():
        if "problem" in seen:
            lines.append(f"     content {mode}: {seen['problem']}")
        lines += [
            f"     content {mode}, {scenario}: {wrong}"
            for scenario, result in seen["scenarios"].items()
            for wrong in result["wrong"]
        ]
    return "\n".join(lines)


def build_wheel(folder: Path) -> Path:
    """The project's wheel."""
    subprocess.run(  # noqa: S603 - our own arguments
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)],
        check=True,
    )
    return next(folder.glob("*.whl"))


def store(entries: Mapping[str, Any]) -> None:
    """Add to the results; rows that are no longer in the table go."""
    known = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    names = {row.name for row in read_rows()}
    merged = {name: entry for name, entry in {**known, **entries}.items() if name in names}
    RESULTS.write_text(json.dumps(merged, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def main(arguments: Sequence[str]) -> int:
    """Run rows, say how each went, keep the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="*", metavar="PATTERN", help="rows whose name matches, as in langchain/*")
    parser.add_argument("--light", action="store_true", help="the half that runs in CI")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="rows at a time (2)")
    parser.add_argument("--wheel", type=Path, help="the wheel to try; by default it is built from this source")
    parser.add_argument("--dry-run", action="store_true", help="keep no results")
    chosen = parser.parse_args(arguments)
    rows = [r for r in read_rows() if fnmatch.fnmatchcase(r.name, chosen.only) and (r.light or not chosen.light)]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(chosen.jobs) as pool:
        wheel = chosen.wheel or build_wheel(Path(folder))
        entries = {}
        for row, entry in zip(rows, pool.map(lambda row: try_row(row, wheel), rows), strict=True):
            entries[row.name] = entry
            print(report(row.name, entry), flush=True)
    if not chosen.dry_run:
        store(entries)
    return 0 if rows and all(map(is_as_expected, entries.values())) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
