"""`demo`: each scenario ends as it should, and the terminal shows how."""

from __future__ import annotations

import pytest

from otel_loopwatch.cli import main
from otel_loopwatch.scenarios import SCENARIOS

LOOPS = [name for name, scenario in SCENARIOS.items() if not scenario.healthy]
HEALTHY = [name for name, scenario in SCENARIOS.items() if scenario.healthy]


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    """Lines printed by the demo."""
    assert main(["demo", *arguments]) == 0
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_is_warned_about_with_advice(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each shape is recognised as what it is, and the model gets advice."""
    lines = shown(capsys, "--scenario", name)
    warning = next(index for index, line in enumerate(lines) if "WARNING" in line)
    assert lines[warning].strip() == f"WARNING {name}, action nudge"
    assert lines[warning + 1].strip().startswith("advice to the model: ")


@pytest.mark.parametrize("name", [name for name in LOOPS if name != "no_progress"])
def test_a_critical_loop_is_halted(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The run ends there, with a stop report and a halted run in the metrics."""
    lines = shown(capsys, "--scenario", name)
    text = "\n".join(lines)
    assert f"CRITICAL {name}, action halt" in text
    assert not any(line.startswith("answered") for line in lines)
    assert "loopwatch.run.halts 1" in text
    assert "Stop report" in text


@pytest.mark.parametrize("name", LOOPS)
def test_without_halting_the_agent_gets_to_its_answer(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """--no-halt only tells: every step of the script is taken."""
    lines = shown(capsys, "--scenario", name, "--no-halt")
    assert f"answered  {SCENARIOS[name].answer}" in lines
    assert any(line.startswith(f"{len(SCENARIOS[name].steps):3}  ") for line in lines)
    assert "Stop report" not in "\n".join(lines)


@pytest.mark.parametrize("name", HEALTHY)
def test_good_work_is_left_alone(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Polling, paging and edit-test rounds raise no signal."""
    text = "\n".join(shown(capsys, "--scenario", name))
    assert "WARNING" not in text
    assert "CRITICAL" not in text
    assert f"answered  {SCENARIOS[name].answer}" in text
    assert 'loopwatch.run.status           "clean"' in text


def test_marked_spans_are_shown_as_exported(capsys: pytest.CaptureFixture[str]) -> None:
    """The exporter, which was registered before Loopwatch, has the attributes on both spans."""
    text = "\n".join(shown(capsys))
    assert "Span execute_tool search_policy, as exported" in text
    assert "Span invoke_agent support, as exported" in text
    assert 'loopwatch.run.status           "halted"' in text


def test_demo_is_the_same_each_time(capsys: pytest.CaptureFixture[str]) -> None:
    """Ids and times are scripted, so the output can stand in documents."""
    assert shown(capsys) == shown(capsys)


def test_plain_output_has_no_colours(capsys: pytest.CaptureFixture[str]) -> None:
    """What is piped or stored has no escape codes."""
    assert "\x1b" not in "\n".join(shown(capsys))
