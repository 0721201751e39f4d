"""`otel-loopwatch doctor`: what can be seen here, what cannot, and what to set so that it can."""

from __future__ import annotations

import json
import os
import platform
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib import metadata
from typing import TYPE_CHECKING

from otel_loopwatch.cli.escapes import escapes
from otel_loopwatch.cli.instrumentations import Content, recognise
from otel_loopwatch.cli.reading import options_of
from otel_loopwatch.cli.terminal import Paint, columns
from otel_loopwatch.config import describe
from otel_loopwatch.settings import Options

if TYPE_CHECKING:
    from otel_loopwatch.cli.selftest import SelfTest

NAME = "doctor"
HELP = "what is installed here, whether content is captured, and what will be missed"


@dataclass(frozen=True, slots=True)
class Found:
    """An installed instrumentation and what it captures as things are set."""

    distribution: str
    version: str
    family: str
    content: Content
    set: tuple[str, ...]
    """Variables to set so that arguments and results are captured."""
    note: str


@dataclass(frozen=True, slots=True)
class Report:
    """All that doctor says."""

    versions: dict[str, str]
    exporters: dict[str, str]
    instrumentations: tuple[Found, ...]
    attributes_reach_exporters: bool
    configuration: str
    missed: tuple[str, ...]
    """One sentence each: what will not be seen, and why."""
    escapes: tuple[str, ...] = ()
    """One sentence each: how content gets out although it is to be withheld."""


def add_arguments(parser: ArgumentParser) -> None:
    """Flags of this command."""
    parser.add_argument("--config", metavar="FILE", help="YAML configuration (default: $OTEL_LOOPWATCH_CONFIG)")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument(
        "--live",
        metavar="MODULE:CALLABLE",
        nargs="?",
        const="",
        help="send a looping run through the provider that this sets up (default: the global one), and say what "
        "reached its exporters; exit code 1 if that is not all",
    )


def run(args: Namespace) -> int:
    """Examine and print; the exit code is 0 whatever was found, but for ``--live``."""
    if args.live is not None:
        return _run_live(args)
    report = examine(installed(), os.environ, options_of(args.config))
    if args.json:
        print(json.dumps(asdict(report), indent=2))
    else:
        print("\n".join(lines(report, Paint.of(sys.stdout))))
    return 0


def _run_live(args: Namespace) -> int:
    from otel_loopwatch.cli import selftest

    result = selftest.run(args.live)
    if args.json:
        print(json.dumps(asdict(result) | {"problems": result.problems}, indent=2))
    else:
        print("\n".join(live_lines(result, Paint.of(sys.stdout))))
    return 1 if result.problems else 0


def live_lines(result: SelfTest, paint: Paint) -> Iterator[str]:
    """The self-test for people."""
    yield paint("bold", "A looping run through " + result.provider)
    yield f"  loop signalled: {'yes' if result.signalled else 'no'}"
    for each in result.exporters:
        clear = ", argument in clear" if each.content else ""
        yield f"  {each.exporter}: {each.spans} spans, {each.loops} with the loop{clear}"
    yield ""
    yield paint("bold", "Problems")
    yield from (f"  - {sentence}" for sentence in result.problems or ("none",))


def installed() -> dict[str, str]:
    """Version of every distribution, by its name in lower case."""
    return {
        d.metadata["Name"].lower().replace("_", "-"): d.version for d in metadata.distributions() if d.metadata["Name"]
    }


def examine(packages: Mapping[str, str], env: Mapping[str, str], options: Options) -> Report:
    """What this set of distributions, variables and options makes of Loopwatch."""
    from otel_loopwatch.telemetry.late_write import works_here

    core = ("otel-loopwatch", "opentelemetry-api", "opentelemetry-sdk")
    found = tuple(_found(packages, env))
    reach = works_here()
    return Report(
        versions={"python": platform.python_version()} | {name: packages.get(name, "missing") for name in core},
        exporters={name: packages[name] for name in sorted(packages) if name.startswith("opentelemetry-exporter-")},
        instrumentations=found,
        attributes_reach_exporters=reach,
        configuration=describe(options),
        missed=(*_unseen(found), *_hindrances(env, options, reach)),
        escapes=tuple(escapes(packages, env, options)),
    )


def _found(packages: Mapping[str, str], env: Mapping[str, str]) -> Iterator[Found]:
    for name in sorted(packages):
        if known := recognise(name):
            content, to_set = known.state(env)
            yield Found(name, packages[name], known.family, content, to_set, known.note)


SHOWING_ALL = ("always_on", "parentbased_always_on", "loopwatch", "loopwatch_export_loops")
NAMES_ONLY = "only repeated names, failures and budgets are seen"
WHY = {
    Content.SWITCHED_OFF: f"is told not to capture arguments and results: {NAMES_ONLY}",
    Content.NEVER: f"never captures arguments and results: {NAMES_ONLY}",
    Content.NO_TOOL_SPANS: "makes no span per tool call: nothing of it is seen",
}


def _unseen(found: tuple[Found, ...]) -> Iterator[str]:
    if not found:
        yield "No known instrumentation is installed: spans of your own are read by the GenAI conventions."
    for one in found:
        if one.content in WHY:
            yield f"{one.distribution} {WHY[one.content]}."


def _hindrances(env: Mapping[str, str], options: Options, reach: bool) -> Iterator[str]:
    """What the environment itself takes away."""
    if options.disabled:
        yield "Loopwatch is disabled here (OTEL_LOOPWATCH_DISABLED or OTEL_SDK_DISABLED): it does nothing."
    sampler = env.get("OTEL_TRACES_SAMPLER", "")
    if sampler and sampler not in SHOWING_ALL:
        yield (
            f"OTEL_TRACES_SAMPLER={sampler}: traces that are not sampled are never shown to a span processor; "
            "OTEL_TRACES_SAMPLER=loopwatch shows them."
        )
    for limit in ("OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT", "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT"):
        if env.get(limit):
            yield f"{limit}={env[limit]}: a value that is cut counts as unknown and is equal to nothing."
    if not reach:
        yield "This SDK refuses late attributes: a signal is written to the agent's span, not to the tool span itself."


MARKS = {Content.CAPTURED: ("green", "ok"), Content.SWITCHED_OFF: ("yellow", "off")}


def lines(report: Report, paint: Paint) -> Iterator[str]:
    """The report for people."""
    yield paint("bold", "Installed")
    yield from columns((("  " + name, version) for name, version in (report.versions | report.exporters).items()), [42])
    yield ""
    yield paint("bold", "Instrumentations")
    for one in report.instrumentations:
        style, mark = MARKS.get(one.content, ("red", "no"))
        yield f"  {paint(style, mark.ljust(4))}{one.distribution} {one.version}: {_advice(one)}"
    yield from () if report.instrumentations else ("  none that Loopwatch knows",)
    yield ""
    yield paint("bold", "Attributes")
    yield (
        "  reach every exporter: tried on this SDK"
        if report.attributes_reach_exporters
        else "  do not reach the tool span"
    )
    yield ""
    yield paint("bold", "Configuration")
    yield f"  {report.configuration}"
    yield ""
    yield paint("bold", "What will be missed")
    yield from (f"  - {sentence}" for sentence in report.missed or ("nothing that is known of",))
    if report.escapes:
        yield ""
        yield paint("bold", "How content still gets out")
        yield from (f"  - {sentence}" for sentence in report.escapes)


def _advice(one: Found) -> str:
    said = {
        Content.CAPTURED: "arguments and results are captured",
        Content.SWITCHED_OFF: "content is off; set " + " ".join(one.set),
        Content.NEVER: "arguments and results are never captured",
        Content.NO_TOOL_SPANS: "makes no tool spans",
    }[one.content]
    return f"{said} ({one.note})" if one.note else said
