"""What was seen when real packages were run: tables from instrumentations/results.json."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[1] / "instrumentations" / "results.json"

Entry = Mapping[str, Any]
"""One row of the results: a framework with an instrumentation."""
COLUMNS = ("looping", "stream", "parallel", "sub_agent", "error", "uncaught", "healthy", "limited")
"""Scenarios, in the order of the table; instrumentations/README.md explains them."""
LOOPS = {"looping", "stream", "parallel", "sub_agent", "error"}
"""Those in which there is a loop to be signalled."""
OK, WRONG, NONE = "✓", "✗", ""
OVERVIEW = ("framework", "instrumentation", "loop signalled at", "with content at its default")
DETAILS = ("framework", "instrumentation", "content", *(column.replace("_", "-") for column in COLUMNS))


def entries() -> list[Entry]:
    """Rows in the order of the table, those that cannot be tried last."""
    results = json.loads(RESULTS.read_text(encoding="utf-8")).values()
    return sorted(results, key=lambda one: ("problem" in one, one["framework"].lower(), one["instrumentation"].lower()))


def overview() -> Iterator[tuple[str, ...]]:
    """A row per combination: where the loop is signalled, with content and without."""
    for entry in entries():
        if "problem" in entry:
            yield (*_named(entry), entry["problem"], NONE)
            continue
        modes = entry["content"]
        with_content = modes.get("on", modes["default"])
        yield (*_named(entry), _loop(with_content), "the same" if "on" not in modes else _loop(modes["default"]))


def details() -> Iterator[tuple[str, ...]]:
    """A row per combination and setting of content, with every scenario."""
    for entry in (entry for entry in entries() if "problem" not in entry):
        for mode, seen in entry["content"].items():
            by_default = "off by default" if "on" in entry["content"] else _only_setting(seen)
            content = by_default if mode == "default" else mode
            yield (*_named(entry), content, *(_cell(seen, scenario) for scenario in COLUMNS))


def notes() -> str:
    """What is to be known of single combinations, and what could not be run, each reason once."""
    reasons: dict[str, list[str]] = {}
    for entry in entries():
        for reason in dict.fromkeys(_reasons(entry)):
            reasons.setdefault(reason, []).append(", ".join(_named(entry)))
    return "\n".join(f"- {reason}: {'; '.join(of)}." for reason, of in reasons.items())


def _reasons(entry: Entry) -> Iterator[str]:
    if entry.get("note"):
        yield entry["note"]
    if "problem" in entry:
        yield f"not run, {entry['problem'].rstrip('.')}"
    for seen in entry.get("content", {}).values():
        if "problem" in seen:
            yield f"broke off, {seen['problem'].rstrip('.')}"
        yield from (result["why"] for result in seen["scenarios"].values() if "why" in result)


def _named(entry: Entry) -> tuple[str, str]:
    """Framework and instrumentation with the versions that were run."""
    versions: Mapping[str, str] = entry.get("versions", {})
    shown = entry.get("shows", [])
    own = [v for name, v in versions.items() if name not in shown and _instruments(name)]
    framework = " ".join([entry["framework"], ", ".join(versions[name] for name in shown if name in versions)])
    return framework.strip(), " ".join([entry["instrumentation"], ", ".join(own)]).strip()


def _instruments(distribution: str) -> bool:
    return "instrumentation" in distribution or distribution in {
        "langsmith",
        "logfire",
        "@ai-sdk/otel",
        "opentelemetry-haystack",
    }


def _loop(seen: Entry) -> str:
    """Where the loop was signalled, and on what evidence."""
    result = seen["scenarios"].get("looping")
    if result is None or result["wrong"]:
        return f"{WRONG} {seen.get('problem', 'see below')}"
    if not result["signals"]:
        return "not signalled, names only" if result["calls"] else "no calls seen"
    first = result["signals"][0]
    evidence = "" if first.get("evidence", "strong") == "strong" else f", {first['evidence']} evidence"
    replayed = ", replayed" if result.get("replayed") else ""
    return f"call {first['signal'].split()[-1]}{evidence}{replayed}"


def _only_setting(seen: Entry) -> str:
    """Where there is no switch that turns content on: it is on, or there never is any."""
    result = seen["scenarios"].get("looping", {})
    return "never" if result.get("calls") and not result["signals"] else "on by default"


def _cell(seen: Entry, scenario: str) -> str:
    """What one scenario showed."""
    result = seen["scenarios"].get(scenario)
    if result is None:
        return NONE
    if result["wrong"]:
        return WRONG
    if not result["calls"]:
        return "no calls seen"
    if scenario in LOOPS and not result["signals"]:
        return "not signalled"
    if scenario == "limited":
        return " ".join([OK, *result["limits"]]) if result["limits"] else "not told"
    return " ".join([OK, ", ".join(signal["signal"].split()[-1] for signal in result["signals"])]).strip()
