"""The pytest plugin, in test runs of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import entry_points

import pytest
from scripts import ROOT

from otel_loopwatch.model import Kind
from otel_loopwatch.settings import THRESHOLDS

pytest_plugins = ["pytester"]

OURS = ("-p", "otel_loopwatch.pytest_plugin", "-p", "no:cacheprovider", "-W", "default")

AGENTS = """
import pytest
from opentelemetry.sdk.trace import TracerProvider
from otel_loopwatch.scenarios import SCENARIOS
from otel_loopwatch.scripted import play

PROVIDER = TracerProvider(shutdown_on_exit=False)
pytestmark = pytest.mark.loopwatch(provider=PROVIDER)

def run(scenario):
    play(PROVIDER.get_tracer("agents"), SCENARIOS[scenario])
"""


@pytest.fixture(autouse=True)
def no_other_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the plugin at hand, by its module: installed ones cost a second per run."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def outcomes(pytester: pytest.Pytester, tests: str) -> pytest.RunResult:
    """A run of these tests, with agents that play scenarios."""
    pytester.makepyfile(AGENTS + tests)
    return pytester.runpytest_inprocess(*OURS)


def test_a_loop_fails_the_test_and_is_explained(pytester: pytest.Pytester) -> None:
    """As a failure of the test, with calls, reason and advice; the test after it starts afresh."""
    result = outcomes(
        pytester,
        """
def test_stuck(loopwatch):
    run("identical")

def test_at_work(loopwatch):
    run("paging")
    assert len(loopwatch.calls) == 12
""",
    )
    result.assert_outcomes(failed=1, passed=1)
    warning, critical = THRESHOLDS[Kind.IDENTICAL].warning, THRESHOLDS[Kind.IDENTICAL].critical
    result.stdout.fnmatch_lines(
        [
            f"*LoopFound: identical loop, critical of agent support, first signalled at call {warning + 1}:",
            f"*search_policy gave the same result to the same call {critical} times in a row.",
            f"*calls 2 to {critical + 1}: search_policy*",
            "*advice to the model: *",
        ]
    )


def test_an_expected_loop_passes_and_a_missing_one_fails(pytester: pytest.Pytester) -> None:
    """``expect`` is said before or after the run."""
    result = outcomes(
        pytester,
        """
def test_before(loopwatch):
    loopwatch.expect(kind="identical")
    run("identical")

def test_after(loopwatch):
    run("drift")
    loopwatch.expect("drift", tool="search_policy")

def test_missing(loopwatch):
    loopwatch.expect(kind="identical")
    run("paging")
""",
    )
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*expected a loop (identical), but none formed in 12 calls"])


def test_arguments_come_from_the_marker(pytester: pytest.Pytester) -> None:
    """Those of the processor, and the level that fails."""
    result = outcomes(
        pytester,
        """
from otel_loopwatch import LoopHalted

@pytest.mark.loopwatch(provider=PROVIDER, fail_on="critical")
def test_warnings_pass(loopwatch):
    run("no_progress")

@pytest.mark.loopwatch(provider=PROVIDER, control_hook="halt", enforcement="raise")
def test_halting(loopwatch):
    loopwatch.expect(level="critical")
    with pytest.raises(LoopHalted):
        run("identical")

@pytest.mark.loopwatch(provider=PROVIDER, window=3)
def test_wrong(loopwatch):
    pass
""",
    )
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["*ValueError: window is 3*"])


def test_a_test_that_fails_by_itself_shows_the_loops(pytester: pytest.Pytester) -> None:
    """The failure is the test's own, and the loop that may explain it stands beside it."""
    result = outcomes(
        pytester,
        """
def test_answer(loopwatch):
    run("identical")
    assert "refund" in "I could not find a policy."
""",
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*assert 'refund' in*", "*loopwatch*", "identical loop, critical*"])


def test_test_cases_of_unittest_are_checked(pytester: pytest.Pytester) -> None:
    """Pytest calls no function of theirs that could be failed, so the loop is an error after the test."""
    result = outcomes(
        pytester,
        """
import unittest

@pytest.mark.usefixtures("loopwatch")
class TestAgent(unittest.TestCase):
    def test_stuck(self):
        run("identical")

    def test_at_work(self):
        run("paging")
""",
    )
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["*identical loop, critical*"])


def test_a_watch_that_saw_nothing_warns(pytester: pytest.Pytester) -> None:
    """A test must not pass for years because the agent was never instrumented; other tests are left alone."""
    result = outcomes(
        pytester,
        """
def test_nothing(loopwatch):
    pass

def test_of_something_else():
    pass
""",
    )
    result.assert_outcomes(passed=2, warnings=1)
    result.stdout.fnmatch_lines(["*NothingSeen: A test watches an agent and saw no tool call*"])


def test_a_stuck_run_is_recorded(pytester: pytest.Pytester) -> None:
    """The failing test leaves the case file behind."""
    result = outcomes(
        pytester,
        """
def test_stuck(loopwatch):
    loopwatch.record("stuck.jsonl", content="keep")
    run("identical")
""",
    )
    result.assert_outcomes(failed=1)
    assert "returning a kettle" in (pytester.path / "stuck.jsonl").read_text(encoding="utf-8")


def test_the_marker_and_the_fixture_are_documented(pytester: pytest.Pytester) -> None:
    """``--markers`` and ``--fixtures`` list them."""
    pytester.runpytest_inprocess(*OURS, "--markers").stdout.fnmatch_lines(["@pytest.mark.loopwatch(*"])
    pytester.runpytest_inprocess(*OURS, "--fixtures").stdout.fnmatch_lines(["loopwatch -- *pytest_plugin.py*"])


def test_loading_the_plugin_costs_nothing() -> None:
    """It imports neither OpenTelemetry nor anything of ours but the package itself."""
    program = (
        "import sys, pytest; before = set(sys.modules); import otel_loopwatch.pytest_plugin; "
        "print(sorted(name for name in set(sys.modules) - before if name.split('.')[0] in "
        "('opentelemetry', 'otel_loopwatch', 'msgspec', 'yaml', 'xxhash')))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['otel_loopwatch', 'otel_loopwatch.pytest_plugin']"


def test_the_package_works_without_pytest() -> None:
    """Nothing but the plugin imports it: the helpers can be used with unittest, or in a script."""
    program = "import sys; sys.modules['pytest'] = None; import otel_loopwatch.testing, otel_loopwatch.processor"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.skipif(
    not [entry for entry in entry_points(group="pytest11") if entry.name == "loopwatch"],
    reason="the package was installed before the plugin was there; install it again",
)
def test_the_example_project_passes_by_its_own_means() -> None:
    """As a user runs it: the plugin comes with the package, and the provider is the global one."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("OTEL_", "COV", "PYTEST"))}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=ROOT / "examples" / "testing", capture_output=True, text=True, check=False, env=clean,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert "4 passed" in done.stdout
