"""Every code block of the README is run, and what it shows is what comes out."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from scripts import ROOT, script

from otel_loopwatch.cli import main
from otel_loopwatch.config import load
from otel_loopwatch.model import Action, Kind
from otel_loopwatch.pack.files import PROVISIONING

docs = script("docs/generate.py")
README = (ROOT / "README.md").read_text(encoding="utf-8")
QUIET = {name: value for name, value in os.environ.items() if not name.startswith(("OTEL_", "COV"))}


class Block(NamedTuple):
    """A fenced block: its language and its text."""

    language: str
    text: str


BLOCKS = [Block(*found) for found in re.findall(r"^```(\w*)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)]


def blocks(language: str) -> list[Block]:
    """The blocks of a language."""
    return [block for block in BLOCKS if block.language == language]


def test_every_block_is_of_a_kind_that_is_run() -> None:
    """No block escapes the tests below."""
    assert {block.language for block in BLOCKS} == {"console", "python", "sh", "yaml"}


@pytest.mark.parametrize("block", blocks("python"), ids=lambda block: block.text.splitlines()[-1][:40])
def test_python_blocks_run(block: Block) -> None:
    """As a program of their own, warnings being errors."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", block.text], capture_output=True, text=True, check=False, env=QUIET
    )
    assert done.returncode == 0, done.stderr


def test_quick_start_has_fewer_than_ten_lines() -> None:
    """As promised."""
    assert len(blocks("python")[0].text.splitlines()) < 10


@pytest.mark.parametrize("block", blocks("console"), ids=lambda block: block.text.splitlines()[0])
def test_shown_output_is_real(block: Block, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each piece between lines of three dots is in the command's output, in this order."""
    monkeypatch.chdir(ROOT)
    command, _, shown = block.text.partition("\n")
    prompt, program, *arguments = shlex.split(command)
    assert (prompt, program) == ("$", "otel-loopwatch")
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main(arguments) == 0
    rest = out.getvalue()
    for piece in filter(None, re.split(r"^\.\.\.\n", shown, flags=re.MULTILINE)):
        assert piece in rest
        rest = rest.partition(piece)[2]


@pytest.mark.parametrize("block", blocks("sh"), ids=lambda block: block.text.strip())
def test_shell_blocks_run(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is installed has the name of this distribution, our command writes, and what is copied is there."""
    monkeypatch.chdir(tmp_path)
    for line in block.text.splitlines():
        program, *arguments = shlex.split(line, comments=True)
        SHELL[program](arguments)


def _installed(arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments, "--no-index", "--dry-run"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "already satisfied" in done.stdout


def _run(arguments: list[str]) -> None:
    assert main(arguments) == 0


def _copied(arguments: list[str]) -> None:
    copy, recursively, source, target = arguments
    assert (copy, recursively, target) == ("cp", "-r", PROVISIONING + "/")
    assert {path.name for path in Path(source).iterdir()} == {"alerting", "dashboards"}


SHELL = {"pip": _installed, "otel-loopwatch": _run, "sudo": _copied}


@pytest.mark.parametrize("block", blocks("yaml"), ids=lambda block: block.text.splitlines()[0])
def test_yaml_blocks_are_valid_configurations(block: Block, tmp_path: Path) -> None:
    """They load, and set something."""
    file = tmp_path / "loopwatch.yaml"
    file.write_text(block.text, encoding="utf-8")
    assert load(str(file), {}) != load(env={})


def test_sections_stand_in_the_promised_order() -> None:
    """One sentence, then what one sees, and the limits last."""
    assert re.findall(r"^## (.*)$", README, re.MULTILINE) == [
        "What you see",
        "Install",
        "Quick start",
        "What it sees, and what it does not",
        "Warn, block or halt",
        "Dashboards and alerts",
        "Fleets, and agents in any language",
        "Compatibility",
        "Compared",
        "Cost",
        "Privacy",
        "Limits",
    ]
    assert README.splitlines()[2].count(".") == 1


def test_generated_parts_are_in_step_with_the_package() -> None:
    """Tables of the documents and the recorded calls of the examples are what docs/generate.py makes."""
    assert docs.main(["--check"]) == 0


@pytest.mark.parametrize("document", docs.DOCUMENTS)
def test_every_mark_is_understood(document: str) -> None:
    """A block that says it is made is one that is made: a mark with a slip in it would be left alone for ever."""
    text = (ROOT / document).read_text(encoding="utf-8")
    marks = re.findall(r"<!-- \w+: made by", text)
    assert marks
    assert len(docs.SECTION.findall(text)) == len(marks)


def test_a_document_out_of_step_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The check fails and says what to do."""
    monkeypatch.setattr(docs, "built", lambda: [(ROOT / "README.md", "")])
    assert docs.main(["--check"]) == 1
    assert "make generate" in capsys.readouterr().err


def test_every_kind_and_action_is_explained() -> None:
    """A new kind or action needs words of its own."""
    assert set(docs.QUESTIONS) == set(Kind)
    assert set(docs.ACTIONS) == set(Action)


@pytest.mark.parametrize("document", [ROOT / name for name in docs.DOCUMENTS], ids=lambda path: str(path.name))
def test_links_lead_somewhere(document: Path) -> None:
    """Each relative link of a document is a file of the project."""
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", document.read_text(encoding="utf-8")):
        assert (document.parent / target).exists()
