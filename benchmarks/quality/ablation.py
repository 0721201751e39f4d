"""What each rule of the engine is worth: what it solves alone, and what is lost without it.

``python -m benchmarks.quality.ablation`` shows the engine all case files that are found and the stories of its tests:
with all rules, with each rule alone, and with each rule left out. A rule that serves one case only is named.
"""

from __future__ import annotations

import json
import os
from argparse import ArgumentParser
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from otel_loopwatch.detectors import RULES, Step, Verdict, worst
from otel_loopwatch.engine import Engine

from .judging import Caught, Judgement
from .rewriting import stories
from .rewriting.__main__ import case_files
from .rewriting.case import Case, read
from .rewriting.judge import Score, calls_of, judged


@dataclass(frozen=True, slots=True)
class Worth:
    """What a rule is worth."""

    rule: str
    alone: Score
    without: Score

    def solved(self) -> list[str]:
        """Loops that the rule sees in time when it is the only one."""
        return _in_time(self.alone)

    def lost(self, complete: Score) -> list[str]:
        """Loops that are seen in time by all rules, and not without this one."""
        kept = set(_in_time(self.without))
        return [case for case in _in_time(complete) if case not in kept]

    def spared(self, complete: Score) -> list[str]:
        """Cases with a false alarm that would have none without the rule."""
        still = set(_alarmed(self.without))
        return [case for case in _alarmed(complete) if case not in still]


def _in_time(found: Score) -> list[str]:
    return [case for case, judgement in found.judgements.items() if judgement.caught is Caught.IN_TIME]


def _alarmed(found: Score) -> list[str]:
    return [case for case, judgement in found.judgements.items() if judgement.false_alarm]


def measured(cases: Sequence[Case]) -> tuple[Score, list[Worth]]:
    """The score of all rules, and the worth of each, in as many processes as help."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        views = list(pool.map(view, cases, chunksize=16))
    complete = Score({case.id: seen.complete for case, seen in zip(cases, views, strict=True)})
    return complete, [
        Worth(
            rule,
            Score({case.id: seen.alone.get(rule, seen.silent) for case, seen in zip(cases, views, strict=True)}),
            Score({case.id: seen.without.get(rule, seen.complete) for case, seen in zip(cases, views, strict=True)}),
        )
        for rule in RULES
    ]


@dataclass(frozen=True, slots=True)
class View:
    """What sets of rules make of one case. A rule that has nothing to say about it is in none of the mappings."""

    complete: Judgement
    silent: Judgement
    """Of an engine that says nothing."""
    alone: Mapping[str, Judgement]
    without: Mapping[str, Judgement]


def view(case: Case) -> View:
    """Judge a case by all rules, and by those that speak about it: each alone, and all but each."""
    speaking = heard(case)
    return View(
        complete=_judged(case, RULES),
        silent=_judged(case, ()),
        alone={rule: _judged(case, (rule,)) for rule in speaking},
        without={rule: _judged(case, [other for other in RULES if other != rule]) for rule in speaking},
    )


def _judged(case: Case, names: Iterable[str]) -> Judgement:
    rules = [RULES[name] for name in names]
    return judged(case, lambda settings: Engine(settings, rules=rules))


def heard(case: Case) -> list[str]:
    """The rules that give a verdict about any call of a case. No rule looks at what others said."""
    speaking: dict[str, None] = {}

    def all_rules(step: Step) -> Verdict | None:
        verdicts = {name: rule(step) for name, rule in RULES.items()}
        speaking.update((name, None) for name, verdict in verdicts.items() if verdict is not None)
        return worst(verdicts.values())

    engine = Engine(case.settings, rules=[all_rules])
    for call in calls_of(case):
        if call is not None:
            engine.observe(call)
    return list(speaking)


def sorts(cases: Mapping[str, Case], solved: Sequence[str]) -> int:
    """How many sorts of loops these are: loops for which the same kinds are right are of one sort."""
    return len({cases[case].expect.kinds for case in solved})


def markdown(cases: Mapping[str, Case], complete: Score, worths: Sequence[Worth]) -> str:
    """The table, and the rules that serve one case only."""
    lines = [
        f"All rules: {complete.in_time} of {complete.loops} loops in time, {complete.alarms} false alarms.\n",
        "| rule | solves alone | sorts of loops | false alarms alone | lost without it | false alarms less |",
        "|---|---|---|---|---|---|",
    ]
    for worth in worths:
        solved = worth.solved()
        figures = (len(solved), sorts(cases, solved), worth.alone.alarms, len(worth.lost(complete)))
        lines.append(f"| {worth.rule} | {' | '.join(map(str, figures))} | {len(worth.spared(complete))} |")
    single = [worth.rule for worth in worths if len(worth.solved()) < 2 and len(worth.lost(complete)) < 2]
    return "\n".join((*lines, f"\nServe one case or none: {', '.join(single) or 'no rule'}."))


def as_json(complete: Score, worths: Sequence[Worth]) -> list[dict[str, Any]]:
    """The same with the ids of the cases."""
    return [
        {
            "rule": worth.rule,
            "solves_alone": worth.solved(),
            "false_alarms_alone": _alarmed(worth.alone),
            "lost_without": worth.lost(complete),
            "false_alarms_less": worth.spared(complete),
        }
        for worth in worths
    ]


def main() -> None:
    """Measure and print."""
    parser = ArgumentParser(prog="python -m benchmarks.quality.ablation", description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures with the ids of the cases there")
    parser.add_argument("-v", "--verbose", action="store_true", help="name the loops lost without each rule")
    args = parser.parse_args()
    cases = {case.id: case for case in chain(read(case_files()), stories.load())}
    complete, worths = measured(list(cases.values()))
    print(markdown(cases, complete, worths))
    for worth in worths if args.verbose else ():
        print(f"\n{worth.rule}\n  lost without it: {', '.join(worth.lost(complete)) or 'nothing'}")
    if args.json:
        args.json.write_text(json.dumps(as_json(complete, worths), indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
