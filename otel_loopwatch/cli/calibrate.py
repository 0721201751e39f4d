"""`otel-loopwatch calibrate`: learns from past good runs the line above which a run is stopped.

At most the share ``--alpha`` of good runs is stopped, if new runs come from where the past ones came from.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections import Counter
from fractions import Fraction
from math import isinf
from pathlib import Path

from otel_loopwatch.calibration import Calibration, learn, minimum_runs, score
from otel_loopwatch.cli.bad_input import BadInput
from otel_loopwatch.cli.past import Past, Telling, past_runs
from otel_loopwatch.cli.reading import options_of
from otel_loopwatch.cli.terminal import columns

NAME = "calibrate"
HELP = "learn from past good runs when a run has gone too far"
HEADINGS = ("agent", "good runs", "tasks", "other runs", "above the line", "line")
WIDTHS = (30, 9, 6, 10, 14)


def add_arguments(parser: ArgumentParser) -> None:
    """Flags of this command."""
    parser.add_argument("paths", nargs="+", metavar="TRACES", help="file of spans or cases, told by content")
    good = parser.add_mutually_exclusive_group(required=True)
    good.add_argument("--good", metavar="FILE", help="file with the id of a good run, trace or case on each line")
    good.add_argument(
        "--good-attribute",
        metavar="KEY=VALUE",
        type=_pair,
        help="a run is good if a span of its trace has this attribute (in a case file: if the case has this field)",
    )
    parser.add_argument(
        "--task-attribute", metavar="KEY", help="attribute or field that names the task; one run per task is used"
    )
    parser.add_argument("--alpha", type=_share, default=Fraction(1, 20), help="share of good runs (default: 0.05)")
    parser.add_argument("--config", metavar="FILE", help="YAML configuration (default: $OTEL_LOOPWATCH_CONFIG)")
    parser.add_argument(
        "--out",
        metavar="FILE",
        help="configuration file to write the lines to (default: print them); earlier feedback and all else in it stay",
    )


def run(args: Namespace) -> int:
    """Read the runs, learn, write."""
    telling = Telling(_listed(args.good) if args.good else frozenset(), args.good_attribute, args.task_attribute)
    past = list(past_runs(args.paths, options_of(args.config), telling))
    good = [one.run for one in past if one.good]
    if not past:
        raise BadInput(f"no tool calls in {', '.join(args.paths)}: `otel-loopwatch calls` says what was there")
    if not good:
        by = args.good or "=".join(args.good_attribute)
        raise BadInput(f"none of the {len(past)} runs is a good one, by {by}")
    calibration = learn(good, args.alpha)
    if args.out and Path(args.out).exists():
        earlier = options_of(args.out).settings.calibration
        calibration = calibration.remembering(earlier) if earlier else calibration
    _write(calibration, args.out)
    _report(calibration, past)
    _tell_unknown(telling.listed, past)
    return 0


def _listed(path: str) -> frozenset[str]:
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeError) as error:
        raise BadInput(f"{path} cannot be read: {error}") from None
    return frozenset(line.strip() for line in lines if line.strip() and not line.startswith("#"))


def _write(calibration: Calibration, out: str | None) -> None:
    from otel_loopwatch.calibration.yamltext import block

    if out is None:
        print(block(calibration), end="")
    else:
        put(calibration, Path(out))


def put(calibration: Calibration, path: Path) -> None:
    """Write the calibration into a configuration file, and leave alone what else is in it."""
    import yaml

    from otel_loopwatch.calibration.yamltext import block, spliced

    try:
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        path.write_text(spliced(text, block(calibration)), encoding="utf-8")
    except (OSError, ValueError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split())
        raise BadInput(f"{path} cannot be written: {reason}") from None


def _report(calibration: Calibration, past: list[Past]) -> None:
    """What was learnt, on standard error: the lines themselves may go to standard output."""
    lines = calibration.lines()
    good = Counter(one.run.agent for one in past if one.good)
    others = [one.run for one in past if not one.good and one.run.agent in lines]
    above = Counter(run.agent for run in others if score(run.effort, run.run) > lines[run.agent])
    other = Counter(run.agent for run in others)
    needed = minimum_runs(calibration.alpha)
    rows = [HEADINGS]
    for agent, line in lines.items():
        tasks = calibration.agents[agent].runs
        told = f"none: {needed} are needed, so it is only watched" if isinf(line) else f"{line:.2f}"
        rows.append((agent, str(good[agent]), str(tasks), str(other[agent]), str(above[agent]), told))
    for row in columns(rows, WIDTHS):
        print(row, file=sys.stderr)


def _tell_unknown(listed: frozenset[str], past: list[Past]) -> None:
    unknown = listed.difference(*(one.called for one in past))
    if unknown:
        share = f"{len(unknown)} of the {len(listed)}"
        print(f"{share} listed are in none of the files: {min(unknown)}, ..", file=sys.stderr)


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    return key, value


def _share(text: str) -> Fraction:
    from otel_loopwatch.config.calibrated import share
    from otel_loopwatch.config.rules import Invalid

    try:
        made: Fraction = share().check(("alpha",), text)
    except Invalid as error:
        raise ArgumentTypeError(str(error)) from None
    return made
