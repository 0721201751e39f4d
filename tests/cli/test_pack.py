"""`pack`: the files it writes, what it says is left to do, and how it refuses what it cannot use."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
import yaml

from otel_loopwatch.cli import BAD_INPUT, main
from otel_loopwatch.pack.files import Alerting, Grafana, files
from otel_loopwatch.pack.naming import Naming
from otel_loopwatch.pack.setup import SetUp

IMPORT, RULES, COPY, APPLY = "import the dashboards", "rule_files of Prometheus", "restart Grafana", "kubectl apply"
NEXT = {
    (Grafana.JSON, Alerting.PROMETHEUS): (IMPORT, RULES),
    (Grafana.JSON, Alerting.GRAFANA): (IMPORT, COPY),
    (Grafana.JSON, Alerting.KUBERNETES): (IMPORT, APPLY),
    (Grafana.PROVISIONING, Alerting.PROMETHEUS): (COPY, RULES),
    (Grafana.PROVISIONING, Alerting.GRAFANA): (COPY,),
    (Grafana.PROVISIONING, Alerting.KUBERNETES): (COPY, APPLY),
}


def written(folder: Path) -> dict[str, str]:
    """Every file below a folder, and its text."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in found}


@pytest.mark.parametrize(("grafana", "alerting"), NEXT)
def test_a_pack_is_written(
    grafana: Grafana, alerting: Alerting, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What its kind has and nothing else; each file is named, and then what is left to do."""
    out = tmp_path / "deep" / "pack"
    assert main(["pack", "--out", str(out), "--grafana", grafana.value, "--alerts", alerting.value]) == 0
    assert written(out) == files(SetUp(), grafana, alerting)
    said = capsys.readouterr()
    assert {Path(line) for line in said.out.splitlines()} == {path for path in out.rglob("*") if path.is_file()}
    steps = said.err.splitlines()
    assert all(step.startswith("next: ") for step in steps)
    assert [part in step for part, step in zip(NEXT[grafana, alerting], steps, strict=True)] == [True] * len(steps)


@pytest.mark.parametrize(
    ("flags", "setup"),
    [
        ([], SetUp()),
        (["--budget", "1%"], SetUp()),
        (["--budget", "0.01"], SetUp()),
        (["--budget", "2.5%"], SetUp(budget=0.025)),
        (["--job", "a", "--job", "b-c"], SetUp(jobs=("a", "b-c"))),
        (["--chat-only", r"chat\d"], SetUp(chat_only=r"chat\d")),
        (["--names", "dots"], SetUp(naming=Naming.DOTS)),
        (["--runbook-url", "https://wiki.example"], SetUp(runbook_url="https://wiki.example")),
        (["--grafana-url", "https://grafana.example"], SetUp(grafana_url="https://grafana.example")),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_flags_are_the_set_up(flags: list[str], setup: SetUp, tmp_path: Path) -> None:
    """Each reaches the files; without any, they are the committed ones."""
    assert main(["pack", "--out", str(tmp_path), *flags]) == 0
    assert written(tmp_path) == files(setup)


def test_alerts_in_grafana_ask_the_chosen_data_source(tmp_path: Path) -> None:
    """By its uid."""
    assert main(["pack", "--out", str(tmp_path), "--alerts", "grafana", "--datasource", "mimir"]) == 0
    content = yaml.safe_load((tmp_path / "provisioning/alerting/loopwatch.yaml").read_text(encoding="utf-8"))
    asked = [rule["data"][0]["datasourceUid"] for group in content["groups"] for rule in group["rules"]]
    assert set(asked) == {"mimir"}


def test_an_earlier_pack_is_replaced(tmp_path: Path) -> None:
    """And what is not of it stays."""
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    for budget in ("5%", "1%"):
        assert main(["pack", "--out", str(tmp_path), "--budget", budget]) == 0
    assert written(tmp_path) == {**files(SetUp()), "notes.txt": "mine"}


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--budget", "some"], ("budget: 'some'", "1% or 0.01")),
        (["--budget", "%"], ("budget: '%'", "1% or 0.01")),
        (["--budget", "0"], ("budget: 0.0", "above 0")),
        (["--budget", "7%"], ("budget: 0.07", "below 6.9%")),
        (["--budget", "nan"], ("budget: nan", "above 0")),
        (["--job", ""], ("jobs: ''", "not be empty")),
        (["--chat-only", "("], ("chat_only: '('", "regular expression")),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_bad_value_is_one_line(
    flags: list[str], said: Iterable[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On standard error, with exit code 2; nothing is written."""
    assert main(["pack", "--out", str(tmp_path), *flags]) == BAD_INPUT
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("otel-loopwatch: ")
    assert [part for part in said if part not in line] == []
    assert written(tmp_path) == {}


@pytest.mark.parametrize("out", ["file", "file/pack"])
def test_a_folder_that_cannot_be_written_is_one_line(
    out: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The path is named."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert main(["pack", "--out", str(tmp_path / out)]) == BAD_INPUT
    said = capsys.readouterr()
    assert said.out == ""
    (line,) = said.err.splitlines()
    assert line.startswith(f"otel-loopwatch: {tmp_path / 'file'}")
