"""Writes what the documentation takes from the package: tables, and the recorded calls of the examples.

usage: generate.py [--check]    writes, or says (exit code 1) which file is out of step
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import calibrated
import costs
import proof
import rulebook
import scoreboard
import sizing
import stopping
import yaml

from otel_loopwatch.cli.instrumentations import INSTRUMENTATIONS, Content
from otel_loopwatch.config import PARAMETERS, shown
from otel_loopwatch.model import Action, Kind
from otel_loopwatch.scenarios import SCENARIOS, Scenario
from otel_loopwatch.settings import THRESHOLDS
from otel_loopwatch.sources import FORMATS, LAST_RESORT
from otel_loopwatch.telemetry import names

ROOT = Path(__file__).parents[1]

QUESTIONS = {
    Kind.IDENTICAL: ("Is it making the same call and getting the same answer?", "attempts"),
    Kind.DRIFT: ("Is it asking one question in ever new words, and getting the same answer?", "attempts"),
    Kind.PING_PONG: ("Is it going back and forth between two calls?", "rounds"),
    Kind.CYCLE: ("Is it going round through three or more calls?", "rounds"),
    Kind.NO_PROGRESS: ("Is it busy without learning anything new?", "attempts"),
    Kind.RETRY_STORM: ("Is it trying what failed, again and again?", "attempts"),
    Kind.DUPLICATE_WRITE: ("Did it do once more what had succeeded?", "successes"),
    Kind.BUDGET: ("Is the run over a limit you set (calls, turns, seconds, tokens)?", "limits"),
}

ACTIONS = {
    Action.CONTINUE: "nothing is done; the signal is on the spans, in the metrics and in the log",
    Action.NUDGE: "`current_run().advice` has a few sentences for the model; a gate adds them to the tool's answer",
    Action.BLOCK: "the decision is recorded; a gate refuses the next such call, and the run goes on",
    Action.HALT: "`current_run().raise_if_halted()` raises `LoopHalted` with a stop report; a gate ends the run",
}


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def kinds() -> str:
    """Every kind of loop: the question it answers, and when it is signalled."""

    def levels(kind: Kind) -> tuple[str, str]:
        threshold, unit = THRESHOLDS.get(kind), QUESTIONS[kind][1]
        return (f"{threshold.warning} {unit}", str(threshold.critical)) if threshold else ("off until set", "")

    rows = [(f"`{kind.value}`", QUESTIONS[kind][0], *levels(kind)) for kind in Kind]
    return table(("kind", "question", "warning at", "critical at"), rows)


def actions() -> str:
    """What each action does."""
    return table(("action", "what it does"), [(f"`{action.value}`", ACTIONS[action]) for action in Action])


def compatibility() -> str:
    """What is known of instrumentations, as doctor knows it."""
    return table(("family", "package", "arguments and results"), _instrumentations())


def _instrumentations() -> Iterator[tuple[str, str, str]]:
    for one in sorted(INSTRUMENTATIONS, key=lambda one: (one.family.lower(), one.pattern)):
        needed = [f"`{switch.setting}`" for switch in one.switches if not switch.is_on({})]
        said = {
            Content.CAPTURED: "with " + " and ".join(needed) if needed else "by default",
            Content.NEVER: "never",
            Content.NO_TOOL_SPANS: "makes no tool spans",
        }[one.content]
        yield one.family, f"`{one.pattern}`", said


def parameters() -> str:
    """Every parameter: name, variable, rule, default."""
    rows = (
        (f"`{p.name}`", f"`{p.variable}`", p.rule.words, f"`{shown(p.default)}`", p.description) for p in PARAMETERS
    )
    return table(("parameter", "variable", "must be", "default", "what it does"), rows)


def attributes() -> str:
    """Every attribute of the catalogue."""
    rows = ((f"`{a.name}`", a.type.value, a.on.value, a.description) for a in names.ATTRIBUTES)
    return table(("attribute", "type", "on", "meaning"), rows)


def metrics() -> str:
    """Every metric of the catalogue."""
    rows = (
        (f"`{m.name}`", m.kind.value, f"`{m.unit}`", ", ".join(f"`{a}`" for a in m.attributes), m.description)
        for m in (*names.METRICS, *names.GATEWAY_METRICS)
    )
    return table(("metric", "instrument", "unit", "attributes", "meaning"), rows)


def values() -> str:
    """Every word that an attribute may say. Words that several attributes share stand with the first."""
    schema = yaml.safe_load((ROOT / "otel_loopwatch/schema/attributes.yaml").read_text(encoding="utf-8"))
    said: dict[str, list[Any]] = {}
    for attribute in schema["attributes"]:
        members = attribute["type"]["members"] if isinstance(attribute["type"], dict) else []
        if members and members not in said.values():
            said[attribute["key"]] = members
    rows = [(f"`{key}`", f"`{one['value']}`", one["brief"]) for key, members in said.items() for one in members]
    return table(("attribute", "value", "meaning"), rows)


def files() -> str:
    """Every kind of file that is read: who writes it, and what it is recognised by."""
    rows = ((one.name, one.written_by, one.looks) for one in (*FORMATS, *LAST_RESORT))
    return table(("file", "written by", "recognised by"), rows)


def saved_by_calibration() -> str:
    """What a line learnt from good runs stops and saves."""
    return table(calibrated.SAVED, calibrated.saved())


def calibrated_tasks() -> str:
    """Good runs of new tasks that such a line stops."""
    return table(calibrated.TASKS, calibrated.tasks())


def overview() -> str:
    """Where the loop is signalled, per framework and instrumentation that was run."""
    return table(proof.OVERVIEW, proof.overview())


def details() -> str:
    """Every scenario of everything that was run."""
    return table(proof.DETAILS, proof.details())


def quality() -> str:
    """How well loops are told from good work, by this package and by the best others."""
    return table(scoreboard.HEADINGS, scoreboard.overview())


def cost() -> str:
    """What watching costs, each figure beside its target."""
    return table(costs.HEADINGS, costs.rows())


def fleet() -> str:
    """What gateways and workers cost."""
    return table(sizing.HEADINGS, sizing.rows())


def arithmetic() -> str:
    """What a million agents would need."""
    return table(sizing.ARITHMETIC, sizing.arithmetic())


def summary() -> str:
    """The same of this package alone, in a few sentences."""
    return scoreboard.summary()


def rules() -> str:
    """Every rule of detection."""
    return table(rulebook.RULE_COLUMNS, rulebook.rules())


def grades() -> str:
    """Every grade of evidence, with the numbers at which repeats are signalled."""
    return table(rulebook.GRADE_COLUMNS, rulebook.grades())


def adapters() -> str:
    """Frameworks in which loops were told, refused and stopped."""
    return table(stopping.HEADINGS, stopping.rows())


SECTIONS: dict[str, Callable[[], str]] = {
    "kinds": kinds,
    "actions": actions,
    "compatibility": compatibility,
    "parameters": parameters,
    "attributes": attributes,
    "values": values,
    "metrics": metrics,
    "files": files,
    "saved_by_calibration": saved_by_calibration,
    "calibrated_tasks": calibrated_tasks,
    "adapters": adapters,
    "overview": overview,
    "details": details,
    "notes": proof.notes,
    "quality": quality,
    "cost": cost,
    "fleet": fleet,
    "sizing": arithmetic,
    "summary": summary,
    "rules": rules,
    "grades": grades,
}
SECTION = re.compile(r"(<!-- (\w+): made by docs/generate\.py -->\n)(?:(?!<!--).)*(<!-- end -->)", re.DOTALL)
DOCUMENTS = (
    "README.md",
    "docs/configuration.md",
    "docs/control.md",
    "docs/detection.md",
    "docs/telemetry.md",
    "docs/files.md",
    "docs/compatibility.md",
    "docs/calibration.md",
    "docs/fleet.md",
)
CASES = "examples/cases.jsonl"


def case(scenario: Scenario) -> str:
    """A scenario as one line of a case file."""
    at_ms, calls = 0, []
    for step in scenario.steps:
        at_ms += int(step.after_s * 1000)
        result = None if step.error else step.result
        calls.append({"tool": step.tool, "args": step.arguments, "result": result, "error": step.error, "at_ms": at_ms})
    return json.dumps({"id": scenario.name, "calls": calls})


def built() -> Iterator[tuple[Path, str]]:
    """Every file with what should be in it."""
    for document in DOCUMENTS:
        text = (ROOT / document).read_text(encoding="utf-8")
        yield ROOT / document, SECTION.sub(lambda found: f"{found[1]}{SECTIONS[found[2]]()}\n{found[3]}", text)
    yield ROOT / CASES, "".join(case(scenario) + "\n" for scenario in SCENARIOS.values() if not scenario.polling)


def main(arguments: list[str]) -> int:
    """Write the files, or compare them."""
    out_of_step = [(path, text) for path, text in built() if not path.exists() or path.read_text("utf-8") != text]
    if "--check" not in arguments:
        for path, text in out_of_step:
            path.write_text(text, encoding="utf-8")
        return 0
    for path, _ in out_of_step:
        print(f"{path.relative_to(ROOT)} is out of step with the package: run make generate", file=sys.stderr)
    return 1 if out_of_step else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
