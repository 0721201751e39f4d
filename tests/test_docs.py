"""Code in the pages about sampling and about set-ups without code does what it says."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import yaml
from scripts import ROOT

from otel_loopwatch.config import load
from otel_loopwatch.settings import Control


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
