"""From a loop to whoever is on call, through real servers: scraped, recorded, alerted, delivered."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue
from typing import Any

import pytest
import yaml
from halting import halted
from live import RULES, api
from live.hour import SUPPORT, Stretch
from live.jobs import Job
from live.processes import DEADLINE_S, NotInstalled, until
from live.receiver import Receiver
from live.servers import Target, alertmanager, prometheus
from scripts import ROOT

NIGHT = "night-agent"
"""A job of which Prometheus knows nothing yet."""
BURN = "LoopwatchToolLoopBudgetBurn"
TOOL = "search_policy"
HALTS = f'loopwatch_run_halts_total{{job="{NIGHT}"}}'
SHARE = f'job_tool:loopwatch_loop_wasted_calls_per_loopwatch_tool_calls:ratio_rate5m{{job="{SUPPORT}"}}'


@dataclass(frozen=True, slots=True)
class OnCall:
    """The Prometheus that watches, and what its Alertmanager sends."""

    url: str
    sent: Queue[Any]
    seen: list[dict[str, Any]] = field(default_factory=list)

    def alert(self, **labels: str) -> dict[str, Any]:
        """The first alert with these labels; waits for it."""
        late = time.monotonic() + DEADLINE_S
        while True:
            for alert in self.seen:
                if labels.items() <= alert["labels"].items():
                    return alert
            self.seen.extend(self.sent.get(timeout=late - time.monotonic())["alerts"])


def hurried(folder: Path) -> Path:
    """The rules, but for what would take minutes: how long a burn has to last, and how often is recorded."""
    rules = yaml.safe_load(RULES.read_text(encoding="utf-8"))
    for group in rules["groups"]:
        group.pop("interval", None)
        for rule in group["rules"]:
            if rule.get("alert") == BURN:
                rule["for"] = "1s"
    file = folder / "rules.yaml"
    file.write_text(yaml.safe_dump(rules), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def on_call(history: Path, stretch: Stretch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OnCall]:
    """The jobs of the stretch and one more, scraped every second, and a run of the latter that loops and is halted."""
    with ExitStack() as stack:
        receiver = stack.enter_context(Receiver())
        night = stack.enter_context(closing(Job(NIGHT, time.time_ns, "halt")))
        targets = [Target(job, stack.enter_context(job.endpoint())) for job in (*stretch.jobs, night)]
        try:
            manager = stack.enter_context(alertmanager(receiver.url))
            rules = hurried(tmp_path_factory.mktemp("rules"))
            url = stack.enter_context(prometheus(history, rules, targets, manager))
        except NotInstalled as missing:
            pytest.skip(str(missing))
        halted(night, lambda: until(lambda: bool(api.instant(url, HALTS)), "the series of halts is there"))
        yield OnCall(url, receiver.taken)


def test_a_halted_run_reaches_whoever_is_on_call(on_call: OnCall) -> None:
    """The rule as it is shipped: scraped, evaluated, sent on, with the tool, the kind of the loop and what to do."""
    alert = on_call.alert(alertname="LoopwatchRunHalted", job=NIGHT)
    assert alert["status"] == "firing"
    assert alert["labels"] == {
        "alertname": "LoopwatchRunHalted",
        "job": NIGHT,
        "gen_ai_tool_name": TOOL,
        "loopwatch_run_stop_reason": "identical",
        "severity": "warning",
    }
    assert alert["annotations"]["summary"] == "Loopwatch halted an agent run."
    assert f"A run in {NIGHT} was halted at {TOOL} (identical)" in alert["annotations"]["description"]


def test_a_burnt_budget_reaches_whoever_is_on_call(on_call: OnCall) -> None:
    """The tool that has been looping for the last hour, in a job whose counters go on where the history ends."""
    alert = on_call.alert(alertname=BURN, job=SUPPORT, gen_ai_tool_name=TOOL, long="1h")
    assert alert["labels"]["severity"] == "critical"
    assert re.match(rf"\d\d\.\d+% of the calls of {TOOL} in {SUPPORT} ", alert["annotations"]["description"])


@pytest.mark.parametrize("labels", [{"job": NIGHT}, {"alertname": BURN}], ids=str)
def test_an_alert_says_where_to_read_and_where_to_look(on_call: OnCall, labels: dict[str, str]) -> None:
    """A section of the runbook, and a dashboard opened with the job and the tool."""
    alert = on_call.alert(**labels)
    file, _, anchor = alert["annotations"]["runbook_url"].partition("#")
    headings = re.findall(r"^## (\w+)$", (ROOT / "alerts" / file).read_text(encoding="utf-8"), re.MULTILINE)
    assert anchor in {heading.lower() for heading in headings}
    job, tool = alert["labels"]["job"], alert["labels"]["gen_ai_tool_name"]
    assert alert["annotations"]["dashboard_url"] == f"/d/loopwatch-tool?var-job={job}&var-tool={tool}"


def test_recorded_series_go_on_from_the_history(on_call: OnCall, stretch: Stretch) -> None:
    """The recording rules run on what is scraped now."""
    until(lambda: bool(api.instant(on_call.url, f"timestamp({SHARE}) > {stretch.end_s}")), "it is recorded")
    shares = {s["metric"]["gen_ai_tool_name"]: float(s["value"][1]) for s in api.instant(on_call.url, SHARE)}
    assert shares[TOOL] > 0.144


def test_no_rule_fails(on_call: OnCall) -> None:
    """Every rule is evaluated, and none ends in an error: many-to-many matches come out only with real series."""
    until(lambda: all(rule["health"] != "unknown" for rule in rules_of(on_call.url)), "every rule was evaluated")
    assert {rule["name"]: rule.get("lastError") for rule in rules_of(on_call.url) if rule["health"] != "ok"} == {}


def rules_of(url: str) -> list[dict[str, Any]]:
    """All rules, as Prometheus sees them."""
    return [rule for group in api.asked(url, "/api/v1/rules")["groups"] for rule in group["rules"]]
