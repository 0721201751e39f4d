"""The page about the pack says what the pack does, and its examples are taken by the programs they are for."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from argparse import ArgumentParser
from pathlib import Path

import pytest
import yaml
from scripts import ROOT

from otel_loopwatch.cli import main, pack
from otel_loopwatch.pack.alerts import alerts
from otel_loopwatch.pack.files import Alerting, Grafana, files
from otel_loopwatch.pack.naming import Naming
from otel_loopwatch.pack.setup import SetUp
from otel_loopwatch.pack.windows import WINDOWS
from otel_loopwatch.telemetry import names

PAGE = (ROOT / "docs/pack.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def rows(first: str) -> list[list[str]]:
    """The rows of the table whose first heading this is."""
    lines = PAGE[PAGE.index(f"| {first} |") :].split("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")][2:]


def test_every_option_is_explained_with_its_default() -> None:
    """The table has the command's own options, and what they are where they are not given."""
    parser = ArgumentParser()
    pack.add_arguments(parser)
    given = vars(parser.parse_args(["--out", ""]))
    told = {row[0].strip("`"): row[1].strip("`") for row in rows("option")}
    assert {f"--{name.replace('_', '-')}" for name in given} == told.keys()
    said = {f"--{name.replace('_', '-')}": str(value) for name, value in given.items() if value}
    assert said == {option: default for option, default in told.items() if option in said}


def test_the_command_writes_what_is_announced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it stands in the page, and in each way in which alerts are evaluated."""
    monkeypatch.chdir(tmp_path)
    command = next(line for line in blocks("sh")[0].splitlines() if line.startswith("otel-loopwatch"))
    assert main(command.split()[1:]) == 0
    assert {str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*.json")} == {
        f"pack/dashboards/{row[0].split('`')[1]}.json" for row in rows("part") if row[0].startswith("dashboard ")
    }
    for _, option, file, _ in rows("evaluated by"):
        alerting = Alerting(option.strip("`").split()[1])
        assert file.strip("`") in files(SetUp(), Grafana.JSON, alerting)


def test_the_budget_is_spent_as_the_table_says() -> None:
    """Each threshold is the budget times what the windows allow."""
    headings = PAGE[PAGE.index("| `--budget` | page") :].splitlines()[0]
    assert all(f"{window.long} and {window.short}" in headings for window in WINDOWS)
    for budget, *thresholds in rows("`--budget` | page: 1h and 5m | page: 6h and 30m | ticket: 1d and 2h"):
        share = float(budget.strip("`%"))
        assert [float(threshold.strip("%")) for threshold in thresholds] == pytest.approx(
            [share * window.factor for window in WINDOWS]
        )


def test_alerts_that_are_named_exist() -> None:
    """And the two about what is missing are among them."""
    named = set(re.findall(r"\bLoopwatch[A-Z]\w+", PAGE))
    existing = {alert.name for group in alerts(SetUp()).values() for alert in group}
    assert {"LoopwatchMetricsAbsent", "LoopwatchDetectorBlind"} <= named <= existing


@pytest.mark.parametrize(("pack_of", "naming"), [("default", Naming.UNDERSCORES), ("`--names dots`", Naming.DOTS)])
def test_paths_are_covered_where_their_names_are_ours(pack_of: str, naming: Naming) -> None:
    """A path that is said to be covered writes what the pack asks for, and no other does."""
    called = {(row[1].strip("`"), row[4] == pack_of) for row in rows("path")}
    assert {name for name, covered in called if covered} == {naming.series(names.TOOL_CALLS)}
    assert naming.series(names.TOOL_CALLS) not in {name for name, covered in called if not covered}


def test_links_within_the_page_and_to_files_lead_somewhere() -> None:
    """Headings and files of this repository."""
    anchors = {
        re.sub(r"[^\w -]", "", h).lower().replace(" ", "-") for h in re.findall(r"^#+ (.+)$", PAGE, re.MULTILINE)
    }
    links = re.findall(r"\]\(([^):]+)\)", PAGE)
    assert links
    assert {link[1:] for link in links if link.startswith("#")} <= anchors
    assert all((ROOT / "docs" / link.partition("#")[0]).exists() for link in links if not link.startswith("#"))


def example(key: str) -> str:
    """The YAML block that has a key at its top."""
    return next(block for block in blocks("yaml") if key in (yaml.safe_load(block) or {}))


@pytest.mark.skipif(shutil.which("amtool") is None, reason="amtool is not installed (package prometheus-alertmanager)")
@pytest.mark.parametrize(("severity", "receiver"), [("critical", "page"), ("warning", "ticket")])
def test_alertmanager_routes_as_shown(severity: str, receiver: str, tmp_path: Path) -> None:
    """By severity, and with the inhibition that the stack of the examples has."""
    file = tmp_path / "alertmanager.yaml"
    file.write_text(example("route"), encoding="utf-8")
    stack = yaml.safe_load((ROOT / "examples/stack/alertmanager.yaml").read_text(encoding="utf-8"))
    assert yaml.safe_load(example("route"))["inhibit_rules"] == stack["inhibit_rules"]
    test = ["amtool", "config", "routes", "test", f"--config.file={file}", f"severity={severity}"]
    assert subprocess.run(test, capture_output=True, text=True, check=True).stdout.strip() == receiver


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed (Debian package prometheus)")
def test_prometheus_scrapes_the_collector_as_shown(tmp_path: Path) -> None:
    """The configuration is accepted."""
    file = tmp_path / "prometheus.yaml"
    file.write_text(example("scrape_configs"), encoding="utf-8")
    done = subprocess.run(["promtool", "check", "config", str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_mixin_has_all_of_the_pack(tmp_path: Path) -> None:
    """Every dashboard, and every group of rules in its root."""
    jsonnet = pytest.importorskip("_jsonnet")
    pack.write(tmp_path / "pack", files(SetUp()))
    (tmp_path / "mixin.libsonnet").write_text(blocks("jsonnet")[0], encoding="utf-8")
    roots = "{dashboards: m.grafanaDashboards, rules: m.prometheusRules.groups, alerts: m.prometheusAlerts.groups}"
    source = f"local m = import '{tmp_path}/mixin.libsonnet'; {roots}"
    mixin = json.loads(jsonnet.evaluate_snippet("mixin", source))
    assert mixin["dashboards"].keys() == {file.name for file in (tmp_path / "pack/dashboards").iterdir()}
    assert [group["name"] for group in mixin["alerts"]] == list(alerts(SetUp()))
    assert all("record" in rule for group in mixin["rules"] for rule in group["rules"])
