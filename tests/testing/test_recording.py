"""Recordings: a case file whose replay shows what the live run showed, with or without its content."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider

from otel_loopwatch import Settings, cli
from otel_loopwatch.labels import bare
from otel_loopwatch.model import ToolCall
from otel_loopwatch.outcomes import outcome_of
from otel_loopwatch.scenarios import SCENARIOS
from otel_loopwatch.scripted import play
from otel_loopwatch.testing import Content, LoopFound, ScriptedAgent, Watch, recorded_calls, recorded_results
from otel_loopwatch.testing.findings import Findings
from otel_loopwatch.testing.pseudonyms import FAILURES, STAND_INS, Pseudonyms
from otel_loopwatch.testing.recording import Recording

TOOL_WORDS = set(
    re.findall(r"[a-z]{4,}", " ".join(f"{s.agent} {step.tool}" for s in SCENARIOS.values() for step in s.steps))
) | {"calls", "tool", "args", "result", "error", "agent", "batch", "http", "case"}
"""What a digested recording says in the clear: names of tools and agents, and the words of the format."""


STAND_IN_WORDS = set(re.findall(r"[a-z]{4,}", " ".join([*STAND_INS.values(), *FAILURES.values()])))
"""What stands in for results, by their grade, and in front of failures, by their kind."""


def recorded(path: Path, *scenarios: str, content: str) -> Watch:
    """A recording of scripted agents, each a trace of its own."""
    provider = TracerProvider(shutdown_on_exit=False)
    watch = Watch(provider)
    watch.record(path, content=content)
    for scenario in scenarios:
        play(provider.get_tracer("agents"), SCENARIOS[scenario])
    watch.close()
    return watch


def replayed(path: Path, capsys: pytest.CaptureFixture[str]) -> list[tuple[str, str, int]]:
    """Kind, level and call of each signal that the command finds in a file."""
    assert cli.main(["replay", "--json", str(path)]) == 0
    lines = map(json.loads, capsys.readouterr().out.splitlines())
    return [(line["kind"], line["level"], line["call"]) for line in lines]


@pytest.mark.parametrize("content", ["keep", "digest"])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_replay_shows_what_was_seen_live(
    scenario: str, content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same kinds and levels at the same calls."""
    watch = recorded(tmp_path / "case.jsonl", scenario, content=content)
    live = [(signal.kind.value, signal.level.value, at) for signal, at in watch._findings.signals]
    assert replayed(tmp_path / "case.jsonl", capsys) == live
    assert bool(live) is not SCENARIOS[scenario].healthy


@pytest.mark.parametrize("fail_on", ["warning", "critical"])
def test_a_recorded_loop_fails_the_command(fail_on: str, tmp_path: Path) -> None:
    """``--fail-on`` is what continuous integration looks at."""
    recorded(tmp_path / "stuck.jsonl", "identical", content="digest")
    recorded(tmp_path / "healthy.jsonl", "paging", content="digest")
    assert cli.main(["replay", "--fail-on", fail_on, str(tmp_path / "stuck.jsonl")]) == 1
    assert cli.main(["replay", "--fail-on", fail_on, str(tmp_path / "healthy.jsonl")]) == 0


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_digests_let_nothing_be_read(scenario: str, tmp_path: Path) -> None:
    """No word of an argument's value and none of a result is in the file, but for those that stand in for the grade."""
    recorded(tmp_path / "case.jsonl", scenario, content="digest")
    text = (tmp_path / "case.jsonl").read_text(encoding="utf-8").lower()
    values = " ".join(
        f"{' '.join(map(str, step.arguments.values()))} {step.result} {step.error}"
        for step in SCENARIOS[scenario].steps
    )
    open_to_read = STAND_IN_WORDS | {key for step in SCENARIOS[scenario].steps for key in step.arguments}
    words = set(re.findall(r"[a-z]{4,}", values.lower())) - open_to_read
    assert words
    assert not words & (set(re.findall(r"[a-z]{4,}", text)) - TOOL_WORDS)


def test_numbers_that_count_the_calls_still_do() -> None:
    """They are others, in the same steps, and what follows them is the same each time."""
    pseudonyms = Pseudonyms()
    calls = [ToolCall(run="run", tool="look", result=f"[{number}] The parcel waits") for number in (1, 2, 3)]
    fronts = [bare(str(pseudonyms.result(call))) for call in calls]
    first = fronts[0].number
    assert first is not None
    assert first > 1
    assert [(front.text, front.number) for front in fronts] == [(fronts[0].text, first + n) for n in range(3)]


def test_two_recordings_of_one_run_share_no_words(tmp_path: Path) -> None:
    """The key is made for one recording and kept nowhere, so words cannot be guessed from a dictionary."""
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for file in files:
        recorded(file, "identical", content="digest")
    first, second = (json.loads(file.read_text(encoding="utf-8"))["calls"][1]["args"] for file in files)
    assert first.keys() == second.keys() == {"topic"}
    assert first != second


def test_content_that_is_kept_can_be_answered_from(tmp_path: Path) -> None:
    """By tool and arguments, in the order of the calls; failures are answers, too."""
    recorded(tmp_path / "case.jsonl", "duplicate_write", "retry_storm", content="keep")
    answers = recorded_results(tmp_path / "case.jsonl")
    assert answers["send_refund", '{"amount": 39, "order": "A123"}'][:2] == [
        "Refund R700 was sent.",
        "Refund R701 was sent.",
    ]
    assert set(answers["reserve_room", '{"hour": 10, "room": "4.01"}']) == {"HTTP 403: this calendar is read-only"}


def test_a_trace_can_be_answered_from(tmp_path: Path) -> None:
    """Yesterday's stuck run is seldom a recording, and mostly a trace that a backend kept."""
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "look",
        "gen_ai.tool.call.arguments": '{"b": 1, "a": 2}',
        "gen_ai.tool.call.result": "seen",
    }
    span = {
        "traceId": "1" * 32,
        "spanId": "2" * 16,
        "name": "execute_tool look",
        "startTimeUnixNano": "1",
        "endTimeUnixNano": "2",
        "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()],
    }
    thought = span | {"spanId": "3" * 16, "name": "chat", "attributes": []}
    document = {"resourceSpans": [{"scopeSpans": [{"spans": [span, thought]}]}]}
    (tmp_path / "trace.json").write_text(json.dumps(document), encoding="utf-8")
    assert recorded_results(tmp_path / "trace.json") == {("look", '{"a": 2, "b": 1}'): ["seen"]}
    assert [call.tool for call in recorded_calls(tmp_path / "trace.json")] == ["look"]


def test_a_call_without_content_answers_nothing(tmp_path: Path) -> None:
    """What was not captured is not made up."""
    write(tmp_path / "case.jsonl", Content.KEEP, {})
    assert recorded_results(tmp_path / "case.jsonl") == {("look", "null"): [""]}


@pytest.mark.parametrize("content", [None, "once upon a time"])
def test_a_file_that_cannot_be_read_is_named(content: str | None, tmp_path: Path) -> None:
    """Missing, or nothing that is known."""
    if content is not None:
        (tmp_path / "story.txt").write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=r"story\.txt"):
        recorded_calls(tmp_path / "story.txt")


def test_each_trace_is_a_case_and_each_run_an_agent(tmp_path: Path) -> None:
    """Two sub-agents of one name stay apart, and a second trace is a second case."""
    provider = TracerProvider(shutdown_on_exit=False)
    watch, tracer = Watch(provider), provider.get_tracer("agents")
    watch.record(tmp_path / "work.jsonl")
    with tracer.start_as_current_span("request"):
        for _ in range(2):
            with ScriptedAgent(tracer, "helper") as agent:
                agent.call("look", {"at": 1}, "a long description of what is there to be seen")
    with ScriptedAgent(tracer, "main") as agent:
        agent.call("look", {"at": 1}, "a long description of what is there to be seen")
    watch.close()
    cases = [json.loads(line) for line in (tmp_path / "work.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(case["id"], [call["agent"] for call in case["calls"]]) for case in cases] == [
        ("work-1", ["helper", "helper-2"]),
        ("work-2", ["main"]),
    ]


def write(path: Path, content: Content, *calls: dict[str, Any]) -> dict[str, Any]:
    """One case with these calls, as it was written."""
    found = Findings(calls=[ToolCall(run="run", tool="look", **call) for call in calls])
    Recording(path, content).write(found, Settings())
    record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return record


@pytest.mark.parametrize(
    ("call", "entry"),
    [
        ({}, {}),
        ({"arguments": '{"a": [1, true, null]}'}, {"args": {"a": [1, True, None]}}),
        ({"arguments": "not JSON"}, {"args": "not JSON"}),
        ({"failed": True}, {"error": True}),
        ({"failed": True, "error": "gone"}, {"error": "gone"}),
        ({"result": "half a pair: \udc80"}, {"result": "half a pair: \udc80"}),
        ({"start_ns": 5_000_000, "batch": 3, "user_turn": 2}, {"batch": 3, "turn": 2}),
    ],
)
def test_what_is_unknown_is_left_out(call: dict[str, Any], entry: dict[str, Any], tmp_path: Path) -> None:
    """An entry has what the call had, in the words of the case format."""
    (written,) = write(tmp_path / "case.jsonl", Content.KEEP, call)["calls"]
    assert written == {"tool": "look", "agent": "agent", "at_ms": 0} | entry


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ({"result": "ok"}, {"result": "ok"}),
        ({"result": "[]"}, {"result": "[]"}),
        ({"result": "still running"}, {"result": "running"}),
        ({"failed": True}, {"error": True}),
        ({"arguments": {"on": True, "off": None, "many": ()}}, {"args": {"on": True, "off": None, "many": []}}),
    ],
)
def test_digests_keep_what_proves_little(call: dict[str, Any], said: dict[str, Any], tmp_path: Path) -> None:
    """An acknowledgement stays one, or a replay would take it for strong evidence."""
    (written,) = write(tmp_path / "case.jsonl", Content.DIGEST, call)["calls"]
    assert said.items() <= written.items()


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        ("HTTP 503: the service is busy", True),
        ("permission denied for the folder", True),
        ("something broke", True),
        ("Error: HTTP 503: the service is busy", False),
        ("Error: the folder was not found", False),
        ("The kettle was delivered on 3 May by the north depot.", False),
        ('{"rows": [{"name": "kettle", "left": 3}]}', False),
        ("42", False),
        ("done", False),
        ("no results found", False),
        ("2026-05-02T10:00:00Z", False),
    ],
)
def test_digests_say_what_the_text_said(text: str, failed: bool, tmp_path: Path) -> None:
    """Outcome and grade are the same, so that a replay judges as the live run was judged; the text is gone."""
    call = {"failed": True, "error": text} if failed else {"result": text}
    (written,) = write(tmp_path / "case.jsonl", Content.DIGEST, call)["calls"]
    said = written["error" if failed else "result"]
    assert outcome_of(said, failed) == outcome_of(text, failed)
    assert said != text


def test_digests_that_would_tell_another_story_are_refused(tmp_path: Path) -> None:
    """No file is better than one in which yesterday's loop is not to be found."""
    found = Findings()
    for number in range(5):
        call = ToolCall(
            run="run", tool="look", arguments={"at": 1}, result="the same long text", start_ns=number * 10**9
        )
        found.called(call)
    with pytest.raises(LoopFound, match="content='keep'"):
        Recording(tmp_path / "case.jsonl", Content.DIGEST).write(found, Settings())
    assert not (tmp_path / "case.jsonl").exists()
