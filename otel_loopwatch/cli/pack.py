"""`otel-loopwatch pack`: dashboards for Grafana, alerting rules and their runbook, made for your set-up."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from pathlib import Path

from otel_loopwatch.cli.bad_input import BadInput
from otel_loopwatch.pack.files import PROVISIONING, Alerting, Grafana, files
from otel_loopwatch.pack.naming import Naming
from otel_loopwatch.pack.setup import SetUp

NAME = "pack"
HELP = "write dashboards, alerts and their runbook"

DEFAULT = SetUp()


def add_arguments(parser: ArgumentParser) -> None:
    """The flags."""
    add = parser.add_argument
    add("--out", required=True, metavar="DIR", help="folder to write to; files of an earlier pack are replaced")
    add("--budget", default=f"{DEFAULT.budget:.0%}", metavar="SHARE", help="share of a tool's calls that may be wasted")
    add(
        "--job",
        action="append",
        default=[],
        metavar="NAME",
        help="service to watch, and to miss when silent; repeatable",
    )
    add("--chat-only", default="", metavar="REGEX", help="services whose agents call no tools")
    add("--names", choices=_values(Naming), default=DEFAULT.naming.value, help="how metrics are named in the database")
    add("--grafana", choices=_values(Grafana), default=Grafana.JSON.value, help="how the dashboards get into Grafana")
    add("--alerts", choices=_values(Alerting), default=Alerting.PROMETHEUS.value, help="who evaluates the alerts")
    add("--datasource", default=DEFAULT.datasource, metavar="UID", help="what alerts in Grafana ask")
    add("--runbook-url", default=DEFAULT.runbook_url, metavar="URL", help="where you publish the runbook")
    add("--grafana-url", default=DEFAULT.grafana_url, metavar="URL", help="where links in alerts lead")


def _values(enum: type[Naming | Grafana | Alerting]) -> list[str]:
    return [member.value for member in enum]


def run(args: Namespace) -> int:
    """Write the pack, and say what to do with it."""
    try:
        setup = _setup(args)
    except ValueError as error:
        raise BadInput(str(error)) from None
    grafana, alerting = Grafana(args.grafana), Alerting(args.alerts)
    made = files(setup, grafana, alerting)
    out = Path(args.out)
    try:
        write(out, made)
    except OSError as error:
        raise BadInput(f"{error.filename}: {error.strerror}") from None
    for path in made:
        print(out / path)
    for line in _next(out, grafana, alerting):
        print(line, file=sys.stderr)
    return 0


def write(out: Path, made: Mapping[str, str]) -> None:
    """Write files below a folder, which is made where it is missing."""
    for name, text in made.items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _setup(args: Namespace) -> SetUp:
    return SetUp(
        budget=_share(args.budget),
        jobs=tuple(args.job),
        chat_only=args.chat_only,
        naming=Naming(args.names),
        runbook_url=args.runbook_url,
        grafana_url=args.grafana_url,
        datasource=args.datasource,
    )


def _share(text: str) -> float:
    """``1%`` or ``0.01``."""
    try:
        return float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        raise ValueError(f"budget: {text!r} must be a share: 1% or 0.01") from None


def _next(out: Path, grafana: Grafana, alerting: Alerting) -> list[str]:
    """What is left to do."""
    copy = f"copy {out / 'provisioning'} to {PROVISIONING} and restart Grafana"
    imported = "import the dashboards in Grafana (Dashboards, New, Import)"
    rules = {
        Alerting.PROMETHEUS: f"add {out / 'alerts/loopwatch.yaml'} to rule_files of Prometheus and reload it",
        Alerting.GRAFANA: "" if grafana is Grafana.PROVISIONING else copy,
        Alerting.KUBERNETES: f"kubectl apply -n monitoring -f {out / 'alerts/loopwatch-prometheusrule.yaml'}",
    }
    return [
        f"next: {step}" for step in (copy if grafana is Grafana.PROVISIONING else imported, rules[alerting]) if step
    ]
