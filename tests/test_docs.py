"""Code in the pages does what it says, and their pictures are there."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import time
from typing import Any

import pytest
import rulebook
import yaml
from scripts import ROOT

from otel_loopwatch.cli import main
from otel_loopwatch.config import load
from otel_loopwatch.control.signature import sign
from otel_loopwatch.detectors import RULES
from otel_loopwatch.dialects import Limit
from otel_loopwatch.model import Kind
from otel_loopwatch.outcomes import Grade
from otel_loopwatch.settings import Control, Threshold


def blocks(page: str, language: str) -> list[str]:
    """The fenced blocks of a language in a page of ``docs``."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_sampler_is_set_up_as_shown() -> None:
    """As a program of its own."""
    (block,) = blocks("sampling.md", "python")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("OTEL_", "COV"))}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", block], capture_output=True, text=True, check=False, env=clean
    )
    assert done.returncode == 0, done.stderr


def test_the_options_of_the_configuration_file_are_valid() -> None:
    """Those of the instrumentation are parameters of ours."""
    (block,) = blocks("no-code.md", "yaml")
    options = load(env={}, **yaml.safe_load(block)["instrumentation/development"]["python"]["loopwatch"])
    assert options.control is Control.DRY_RUN
    assert options.settings.policy("get_job_status").polling


def test_the_policies_shown_say_what_is_said_of_them() -> None:
    """Each tool of the example finds its policy, and an agent's holds where no tool's does."""
    (block,) = blocks("detection.md", "yaml")
    settings = load(env={}, **yaml.safe_load(block)).settings
    assert settings.thresholds[Kind.NO_PROGRESS] == Threshold(8, 16)
    assert settings.policy("job_status").polling
    assert settings.policy("send_mail").side_effect
    assert settings.policy("send_mail").identity_keys == {"order", "recipient"}
    assert settings.policy("search_web").volatile_keys == {"score", "took_ms"}
    assert settings.policy("run_tests", "explorer").thresholds[Kind.IDENTICAL] == Threshold(5, 9)
    assert settings.policy("scratchpad").ignore
    assert settings.policy("write", "explorer").side_effect is False


def test_every_rule_and_every_grade_is_explained() -> None:
    """A new one has a purpose, kinds and numbers, or the page would have a gap."""
    rules, grades = list(rulebook.rules()), list(rulebook.grades())
    assert [row[0].strip("`") for row in rules] == list(RULES)
    assert all(kinds and looks_for.endswith(".") for _, kinds, looks_for, _ in rules)
    assert [row[0].upper() for row in grades] == [grade.name for grade in Grade]
    assert all(all(row) for row in grades)


def test_the_run_explained_is_explained_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Each piece between lines of three dots is in the command's output, in this order."""
    monkeypatch.chdir(ROOT)
    (block,) = blocks("explain.md", "console")
    command, _, shown = block.partition("\n")
    assert main(shlex.split(command)[2:]) == 0
    rest = capsys.readouterr().out
    for piece in filter(None, re.split(r"^\.\.\.\n", shown, flags=re.MULTILINE)):
        assert piece.rstrip("\n") in rest
        rest = rest.partition(piece.rstrip("\n"))[2]


def test_the_webhook_is_set_up_and_checked_as_shown() -> None:
    """The options are valid, and the receiver's function takes what is signed with them, and nothing else."""
    (options,), (code,) = blocks("webhook.md", "yaml"), blocks("webhook.md", "python")
    target = load(env={}, **yaml.safe_load(options)).webhook
    receiver: dict[str, Any] = {}
    exec(code, receiver)
    assert target is not None
    assert target.secret is not None
    header = sign(target.secret, b"{}", int(time.time()))
    assert receiver["is_ours"](target.secret, header, b"{}")
    assert not receiver["is_ours"](target.secret, header, b"[]")


def test_pictures_of_the_pages_are_there() -> None:
    """Every picture that a page or the README shows is a file of this repository."""
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    shown = [(page.parent / path) for page in pages for path in _pictures(page.read_text(encoding="utf-8"))]
    assert shown
    assert [path for path in shown if not path.is_file()] == []


def _pictures(text: str) -> list[str]:
    found = re.findall(r"!\[[^\]]*\]\(([^)]+)\)|(?:src|srcset)=\"([^\"]+)\"", text)
    return [path for path in map("".join, found) if "://" not in path]


def test_every_limit_is_in_the_table_of_frameworks() -> None:
    """What a run may be said to have ended by is told of a framework, and nothing else is."""
    text = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")
    rows = [line.split("|") for line in text.splitlines() if line.startswith("| ")][2:]
    told = {word for row in rows for word in re.findall(r"`(\w+)`", row[3])}
    assert told | {Limit.USAGE_LIMIT.value} == {limit.value for limit in Limit}
    assert f"`{Limit.USAGE_LIMIT.value}`" in text
