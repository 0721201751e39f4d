"""Runs the adapters of real agent frameworks with a scripted model, offline, and compares what stopped the loops.

usage: stop.py [--only PATTERN] [--light] [--jobs N] [--wheel FILE] [--dry-run]

The pins are the dependency groups ``adapter-NAME`` of pyproject.toml, each an environment of its own. Results are kept
in adapters.json, from which ``make generate`` makes a table; adapters that are not run keep theirs. The exit code is 1
if something is not as it must be.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import tomllib  # type: ignore[import-not-found] # newer than the Python that the package itself supports
from environments import ROOT, CannotInstall, environment, versions
from run import build_wheel

HERE = Path(__file__).parent
RESULTS = HERE / "adapters.json"
GROUP = "adapter-"
MODES = ("watched", "alone")
LIGHT = ("langchain", "openai_agents", "pydantic_ai", "anthropic", "strands", "smolagents")
"""Those that install in reasonable time: they run in CI."""
LIMIT_S = 240
"""For one script with all its scenarios."""


def adapters() -> dict[str, tuple[str, ...]]:
    """Pinned packages by adapter.

    :raises ValueError: where a package is not pinned.
    """
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    found = {name.removeprefix(GROUP).replace("-", "_"): tuple(pins) for name, pins in groups.items() if GROUP in name}
    if loose := [pin for pins in found.values() for pin in pins if "==" not in pin]:
        raise ValueError(f"{GROUP}* holds {', '.join(loose)}; packages must be pinned with ==")
    return found


def try_adapter(name: str, packages: Sequence[str], wheel: Path) -> dict[str, Any]:
    """An adapter's entry in the results: versions, and every scenario in both modes, or why there is none."""
    try:
        interpreter = environment(packages, wheel)
    except CannotInstall as reason:
        return {"problem": f"cannot be installed: {reason}"}
    installed = versions(interpreter)
    named = {pin.split("==")[0].split("[")[0] for pin in packages}
    entry: dict[str, Any] = {"versions": {pin: installed[pin] for pin in sorted(named) if pin in installed}}
    for mode in MODES:
        entry[mode] = list(_played(name, mode, interpreter))
    entry["example"] = [broke for example in examples(name) if (broke := _run([str(interpreter), str(example)]))]
    return entry


def examples(name: str) -> list[Path]:
    """The files that users copy; none is named like a module of its framework, or it would be imported in its place."""
    return sorted((ROOT / "examples" / "frameworks").glob(f"{name}*.py"))


def _run(command: Sequence[str]) -> str:
    """Run something in an empty home, offline or not at all: what broke it, if anything did."""
    with tempfile.TemporaryDirectory() as home:
        kept = {key: os.environ[key] for key in ("PATH", "LANG", "SCENARIOS") if key in os.environ}
        try:
            done = subprocess.run(  # noqa: S603 - our own arguments
                list(command),
                cwd=HERE, env={**kept, "HOME": home, "TMPDIR": home, "PYTHONDONTWRITEBYTECODE": "1"},
                capture_output=True, text=True, check=False, timeout=LIMIT_S,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"took more than {LIMIT_S} s"
    return (done.stderr.strip().splitlines() or ["no word"])[-1][:300] if done.returncode else ""


def _played(name: str, mode: str, interpreter: Path) -> Iterator[dict[str, Any]]:
    """What a script wrote, and what broke it, if anything did."""
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "results.jsonl"
        broke = _run([str(interpreter), "-m", f"adapters.{name}", mode, str(lines)])
        for line in lines.read_text(encoding="utf-8").splitlines() if lines.exists() else ():
            yield json.loads(line)
        if broke:
            yield {"scenario": "", "wrong": [broke]}


def complaints(entry: Mapping[str, Any]) -> list[str]:
    """What is wrong about an adapter, in lines."""
    if "problem" in entry:
        return [entry["problem"]]
    seen = [(mode, each) for mode in MODES for each in entry[mode]]
    wrong = [f"{mode}, {each['scenario']}: {wrong}" for mode, each in seen for wrong in each["wrong"]]
    return wrong + [f"example: {broke}" for broke in entry["example"]]


def main(arguments: Sequence[str]) -> int:
    """Run adapters, say how each went, keep the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="*", metavar="PATTERN", help="adapters whose name matches")
    parser.add_argument("--light", action="store_true", help="those that run in CI")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="adapters at a time (2)")
    parser.add_argument("--wheel", type=Path, help="the wheel to try; by default it is built from this source")
    parser.add_argument("--dry-run", action="store_true", help="keep no results")
    chosen = parser.parse_args(arguments)
    names = [name for name in adapters() if fnmatch.fnmatchcase(name, chosen.only)]
    names = [name for name in names if name in LIGHT or not chosen.light]
    entries: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(chosen.jobs) as pool:
        wheel = chosen.wheel or build_wheel(Path(folder))
        played = pool.map(lambda name: try_adapter(name, adapters()[name], wheel), names)
        for name, entry in zip(names, played, strict=True):
            entries[name] = entry
            wrong = complaints(entry)
            print("\n     ".join([f"{'BAD ' if wrong else 'ok  '} {name}", *wrong]), flush=True)
    if not chosen.dry_run:
        known = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
        merged = {name: entry for name, entry in {**known, **entries}.items() if name in adapters()}
        RESULTS.write_text(json.dumps(merged, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return 0 if entries and not any(map(complaints, entries.values())) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
