"""The committed dashboards and alerts are what the package makes."""

from __future__ import annotations

from pathlib import Path

import pytest
from scripts import ROOT, script

build = script("dashboards/build.py")
COMMITTED = build.committed()


@pytest.mark.parametrize("path", sorted(COMMITTED))
def test_a_committed_file_is_what_the_package_makes(path: str) -> None:
    """To the letter."""
    assert (ROOT / path).read_text(encoding="utf-8") == COMMITTED[path]


def test_no_other_file_looks_like_one_of_the_pack() -> None:
    """What is no longer made is no longer there."""
    found = {*ROOT.glob("dashboards/**/loopwatch-*.json"), *ROOT.glob("alerts/**/loopwatch*.yaml")}
    made = {ROOT / path for path in COMMITTED}
    assert {path for path in found - made if not path.stem.endswith("_test")} == set()


def test_the_check_passes_and_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """As it does before a commit."""
    assert build.main(["--check"]) == 0
    assert capsys.readouterr() == ("", "")


def test_the_check_says_which_file_is_out_of_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One that was changed and one that is missing, and what to do."""
    monkeypatch.setattr(build, "ROOT", tmp_path)
    assert build.main([]) == 0
    (tmp_path / "alerts/loopwatch.yaml").write_text("groups: []", encoding="utf-8")
    (tmp_path / "alerts/runbook.md").unlink()
    assert build.main(["--check"]) == 1
    said = capsys.readouterr().err.splitlines()
    assert sorted(line.split()[0] for line in said) == ["alerts/loopwatch.yaml", "alerts/runbook.md"]
    assert all("run `make generate`" in line for line in said)
    assert build.main([]) == 0
    assert build.main(["--check"]) == 0
