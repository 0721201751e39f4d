"""The gate: what passes, what the model is told, what is refused, and when a run ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest
from live_agent import rig
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

from otel_loopwatch import notes
from otel_loopwatch.control.gate import FOR_REHEARSALS, Gate, GatedRun
from otel_loopwatch.control.hook import ControlHook, DryRun
from otel_loopwatch.control.policy import ResponsePolicy
from otel_loopwatch.control.report import RunStatus, TerminalState, Termination
from otel_loopwatch.control.run import LoopHalted
from otel_loopwatch.model import Action, Kind, Level, Outcome
from otel_loopwatch.settings import THRESHOLDS, Budget, Options, Settings

SECOND = 10**9
POLICY = "No policy covers kettles. Known policies: clothing, furniture."
LIMITS = THRESHOLDS[Kind.IDENTICAL]


def ticking(step: int = SECOND) -> Callable[[], int]:
    """A clock that goes on by ``step`` ns at every look."""
    times: Iterator[int] = count(1_780_000_000 * SECOND, step)
    return lambda: next(times)


class Bench:
    """A gate with meters, and tools that count how often they ran."""

    def __init__(self, control: ControlHook | str | None = None, step: int = SECOND, **arguments: Any) -> None:
        self.reader = InMemoryMetricReader()
        meters = MeterProvider([self.reader], shutdown_on_exit=False)
        self.gate = Gate(control, meter_provider=meters, clock=ticking(step), **arguments)
        self.run = self.gate.run("run", "support")
        self.ran = 0

    def call(
        self, tool: str = "search", query: str = "kettles", result: object = POLICY, error: Exception | None = None
    ) -> object:
        """One call through the gate: what the model gets."""
        passing = self.run.before(tool, {"query": query})
        if passing.refused:
            return passing.message
        self.ran += 1
        if error is not None:
            return self.run.after(passing, error=error)
        return self.run.answer(passing, result)

    def counts(self, metric: str) -> dict[tuple[str, ...], Any]:
        """Values of a counter, zeros left out."""
        data = self.reader.get_metrics_data()
        metrics = [m for r in data.resource_metrics for s in r.scope_metrics for m in s.metrics] if data else []
        points: list[Any] = [point for m in metrics if m.name == metric for point in m.data.data_points]
        return {tuple(str(v) for _, v in sorted(p.attributes.items())): p.value for p in points if p.value}


def acted(run: GatedRun) -> list[str]:
    """What was done to a run, in order."""
    return [taken.action.value for taken in run.decisions]


def test_a_loop_is_nudged_twice_then_refused_twice_then_halted() -> None:
    """The whole ladder; the tool's own counter shows that nothing ran after the critical signal."""
    bench = Bench(ResponsePolicy(ahead=False))
    told = [bench.call() for _ in range(LIMITS.critical + 4)]
    assert acted(bench.run)[:5] == ["nudge", "nudge", "block", "block", "halt"]
    assert [notes.BEGIN in str(answer) for answer in told[: LIMITS.critical]] == [False, False, True, True, False]
    assert bench.ran == LIMITS.critical
    assert bench.run.halted
    assert notes.is_refusal(str(told[LIMITS.critical]))
    assert "search gave the same result" in bench.run.farewell


def test_what_is_done_is_counted_by_tool_and_action() -> None:
    """Also where no span processor watches."""
    bench = Bench(ResponsePolicy(ahead=False))
    for _ in range(LIMITS.critical + 3):
        bench.call()
    counted = {"nudge": 2, "block": 2, "halt": 1}
    assert bench.counts("loopwatch.control.actions") == {("search", a): n for a, n in counted.items()}
    assert bench.counts("loopwatch.run.halts") == {("search", "identical"): 1}
    assert bench.counts("loopwatch.tool.calls") == {("search", "success"): LIMITS.critical}
    bench.run.end()
    assert bench.counts("loopwatch.run.ended") == {("halted",): 1}


def test_other_calls_pass_while_one_is_refused() -> None:
    """A block is about one call; the run goes on."""
    bench = Bench(ResponsePolicy(ahead=False, max_refusals=None))
    for _ in range(LIMITS.critical):
        bench.call()
    assert notes.is_refusal(str(bench.call()))
    assert bench.call(query="toasters", result="Toasters can be returned within 30 days.") != ""
    assert bench.call("read_order", "A-1", "One kettle, paid by card.") == "One kettle, paid by card."
    assert notes.is_refusal(str(bench.call()))
    assert bench.ran == LIMITS.critical + 2


def test_a_change_of_the_world_gives_the_refused_call_another_chance() -> None:
    """Tests that failed alike five times may be run again after an edit."""
    bench = Bench(ResponsePolicy(ahead=False))
    failure = "3 failed, 10 passed. FAILED tests/test_cart.py::test_total - assert 10 == 12"
    for _ in range(LIMITS.critical):
        bench.call("run_tests", "all", failure)
    assert notes.is_refusal(str(bench.call("run_tests", "all", failure)))
    bench.call("write_file", "cart.py: return total", "written")
    ran = bench.ran
    bench.call("run_tests", "all", "13 passed")
    assert bench.ran == ran + 1


def test_a_long_pause_gives_it_another_chance() -> None:
    """The world may have changed by itself."""
    bench = Bench(ResponsePolicy(ahead=False))
    for _ in range(LIMITS.critical):
        bench.call()
    assert notes.is_refusal(str(bench.call()))
    bench.gate.clock = ticking(SECOND)
    later = next(iter(count(1_780_000_000 * SECOND + 3600 * SECOND)))
    bench.gate.clock = lambda: later
    assert not bench.run.before("search", {"query": "kettles"}).refused


def test_calls_of_one_response_are_one_attempt() -> None:
    """Three equal calls beside each other were decided before any had a result."""
    bench = Bench(ResponsePolicy(ahead=False))
    bench.run.before_model()
    passed = [bench.run.before("search", {"query": "kettles"}) for _ in range(3)]
    assert [bench.run.after(passing, POLICY) for passing in passed] == [None, None, None]


def test_moving_work_is_never_told_anything() -> None:
    """A poll whose answer moves, pages, and different look-ups."""
    bench = Bench(ResponsePolicy())
    for number in range(30):
        moved = f"{number + 1} of 40 stations passed"
        assert bench.call("track", "P-7", moved) == moved
        assert bench.call("read_page", str(number), f"Page {number}: lamp {number * 7}") != ""
    assert acted(bench.run) == []
    assert bench.ran == 60


def test_a_failing_call_is_judged_as_a_failure() -> None:
    """The note then goes with the error's text."""
    bench = Bench(ResponsePolicy(ahead=False))
    told = [bench.call(error=PermissionError("access to vault denied")) for _ in range(4)]
    assert any(note and notes.BEGIN in str(note) for note in told)
    assert bench.run.decisions[0].kind is Kind.RETRY_STORM


def test_a_declared_outcome_wins() -> None:
    """What the application says of a result counts more than its words."""
    bench = Bench(ResponsePolicy(ahead=False))
    for _ in range(4):
        passing = bench.run.before("job", {"id": 1})
        bench.run.after(passing, "the job is at work", outcome=Outcome.PENDING)
    assert bench.counts("loopwatch.tool.calls") == {("job", "pending"): 4}
    assert acted(bench.run) == []


def test_ahead_refuses_the_call_that_would_complete_the_loop() -> None:
    """The tool runs once less, and the note says what one more call would be."""
    bench = Bench(ResponsePolicy(ahead=True))
    told = [str(bench.call()) for _ in range(LIMITS.critical + 3)]
    assert bench.ran == LIMITS.critical - 1
    assert "Once more" in told[LIMITS.critical - 1]
    assert acted(bench.run)[:5] == ["nudge", "nudge", "block", "block", "halt"]


def test_a_dry_run_shows_every_decision_and_carries_none_out() -> None:
    """What it would have done is visible first."""
    bench = Bench(DryRun(ResponsePolicy(ahead=False)))
    told = {bench.call() for _ in range(LIMITS.critical + 4)}
    assert told == {POLICY}
    assert bench.ran == LIMITS.critical + 4
    assert acted(bench.run)[:5] == ["nudge", "nudge", "block", "block", "halt"]
    assert all(taken.dry_run for taken in bench.run.decisions)
    assert not bench.run.halted
    assert bench.counts("loopwatch.control.actions") == {}
    assert bench.counts("loopwatch.run.halts") == {}


def test_where_somebody_can_answer_a_run_is_warned_until_the_last_resort() -> None:
    """Attended: no refusal; but not for ever."""
    bench = Bench(ResponsePolicy(ahead=False, attended=True, last_resort=12))
    for _ in range(20):
        bench.call()
    assert acted(bench.run)[:3] == ["nudge", "nudge", "halt"]
    assert bench.ran == 13


@pytest.mark.parametrize("answer", ["running", "ok", "[]", "still running, 0 errors", "done"])
def test_weak_evidence_never_ends_a_run(answer: str) -> None:
    """A long poll may be told something; every call of it runs."""
    bench = Bench(ResponsePolicy())
    for _ in range(80):
        bench.call("job_status", "7", answer)
    assert bench.ran == 80
    assert not bench.run.halted


def test_always_allow_does_not_switch_off_the_last_resort() -> None:
    """An answer given once, in a hurry, must not burn a night's budget."""
    bench = Bench(ResponsePolicy(ahead=False, last_resort=12))
    for _ in range(LIMITS.critical + 1):
        bench.call()
    bench.run.always_allow("ann")
    for _ in range(20):
        bench.call()
    assert acted(bench.run)[-1] == "halt"
    assert LIMITS.critical < bench.ran <= 13


def test_go_on_rearms_without_losing_history() -> None:
    """A person lifts the halt: some repeats pass, then the ladder is climbed again; earlier decisions stay."""
    bench = Bench(ResponsePolicy(ahead=False))
    for _ in range(LIMITS.critical + 3):
        bench.call()
    assert bench.run.halted
    before = acted(bench.run)
    bench.run.go_on("ann")
    assert not bench.run.halted
    ran = bench.ran
    for _ in range(12):
        bench.call()
    assert bench.ran == ran + 3
    assert bench.run.halted
    assert acted(bench.run)[: len(before)] == before
    assert [taken.by for taken in bench.run.decisions if taken.why == "go on"] == ["ann"]


def test_progress_starts_afresh() -> None:
    """A version that rises: what is refused now passes again."""
    bench = Bench(ResponsePolicy(ahead=False, max_refusals=None))
    bench.run.progress(1)
    for _ in range(LIMITS.critical):
        bench.call()
    assert notes.is_refusal(str(bench.call()))
    bench.run.progress(2)
    assert bench.call() == POLICY


def test_a_halted_run_says_why_and_how_to_resume() -> None:
    """The report, the exception and the last words carry the advice."""
    bench = Bench("halt")
    for _ in range(LIMITS.critical + 1):
        bench.call()
    report = bench.run.report()
    assert report is not None
    assert (report.status, report.state) == (RunStatus.HALTED, TerminalState.STOPPED_LOOP_GUARD)
    assert report.termination is Termination.NO_PROGRESS
    assert report.exit_code == 12
    assert bench.run.before_model() == report
    with pytest.raises(LoopHalted, match="same result") as halted:
        bench.run.raise_if_halted()
    assert halted.value.advice in bench.run.farewell


def test_a_budget_that_is_used_up_halts() -> None:
    """Turns are counted at the model's requests."""
    bench = Bench(ResponsePolicy(ahead=False), options=Options(settings=Settings(budget=Budget(turns=2))))
    assert [bench.run.before_model() is None for _ in range(3)] == [True, True, False]
    assert bench.run.before("search", {}).halted


def test_a_healthy_run_has_nothing_to_say() -> None:
    """No report, no farewell, nothing raised."""
    bench = Bench(ResponsePolicy(ahead=False))
    bench.call()
    bench.run.raise_if_halted()
    assert bench.run.report() is None
    assert bench.run.farewell == ""
    bench.run.end()
    bench.run.end()
    assert len(bench.gate) == 0


def test_a_hook_of_the_application_is_obeyed_and_nothing_is_added() -> None:
    """BLOCK from a hook refuses for as long as the loop lasts, and never ends the run."""
    bench = Bench(lambda signal, run: Action.BLOCK)
    for _ in range(40):
        bench.call()
    assert bench.ran == LIMITS.warning
    assert not bench.run.halted


def test_whatever_fails_inside_the_call_passes() -> None:
    """Nothing of ours reaches the application; the failure is counted."""
    bench = Bench(ResponsePolicy(ahead=False))
    bench.gate.clock = iter([1, 1, 1]).__next__
    bench.gate.engine = None  # type: ignore[assignment]
    passing = bench.run.before("search", {"query": "kettles"})
    assert not passing.refused
    assert bench.run.answer(passing, POLICY) == POLICY
    assert bench.counts("loopwatch.processor.failures") == {("AttributeError",): 1}


def test_disabled_it_lets_everything_pass() -> None:
    """As if it were not there."""
    bench = Bench(ResponsePolicy(ahead=False), disabled=True)
    assert {bench.call() for _ in range(20)} == {POLICY}


def test_runs_are_bounded_in_number() -> None:
    """The least recently used one makes room."""
    bench = Bench(ResponsePolicy(ahead=False), max_runs=4)
    for number in range(20):
        bench.gate.run(f"run {number}").before("search")
    assert len(bench.gate) == 4
    assert bench.gate.run("run 19") is bench.gate.run("run 19")


def test_results_that_are_no_text_become_text_only_where_a_note_is_added() -> None:
    """A mapping stays a mapping until the model must be told."""
    bench = Bench(ResponsePolicy(ahead=False))
    found = {"policies": ["clothing", "furniture"], "about": "kettles are not covered"}
    told = [bench.call(result=found) for _ in range(LIMITS.warning)]
    assert told[0] is found
    assert str(told[-1]).startswith('{"about":"kettles')
    assert notes.without(str(told[-1])).endswith("}")


def test_reworded_questions_are_refused_and_other_questions_pass() -> None:
    """A block of a drift is about the question, in whatever words."""
    bench = Bench(ResponsePolicy(ahead=False, actions={(Kind.DRIFT, Level.WARNING): Action.BLOCK}, max_refusals=None))
    words = ["return", "a", "used", "kettle", "policy", "for", "kitchen"]
    for turn in range(12):
        bench.call(query=" ".join(words[turn % 7 :] + words[: turn % 7] + ["please"] * (turn // 7)))
    assert "block" in acted(bench.run)
    ran = bench.ran
    bench.call(query="opening hours of north depot", result="Open from 9 to 17.")
    assert bench.ran == ran + 1


def test_gate_and_processor_know_of_each_other() -> None:
    """One halt is counted once and is on the agent's span; a halt of the processor's stops calls at the gate."""
    bench = rig()
    gate = Gate(ResponsePolicy(ahead=False, actions={(Kind.IDENTICAL, Level.WARNING): Action.HALT}), clock=ticking())
    run = gate.run("run")
    with bench.agent():
        for _ in range(LIMITS.warning + 2):
            passing = run.before("search_docs", {"query": "kettles"})
            if not passing.refused:
                bench.call(result=POLICY)
                run.after(passing, POLICY)
    assert bench.counts("loopwatch.run.halts") == {("search_docs", "identical"): 1}
    assert bench.counts("loopwatch.run.ended") == {("halted",): 1}
    (agent,) = bench.spans("invoke_agent")
    assert (agent.attributes or {})["loopwatch.loop.action"] == "halt"
    assert len(bench.spans("execute_tool")) == LIMITS.warning


def test_a_run_halted_by_the_processor_is_stopped_at_the_gate() -> None:
    """The gate's own policy only nudges."""
    bench = rig(control_hook="halt")
    run = Gate(ResponsePolicy(attended=True), clock=ticking()).run("run")
    with bench.agent():
        for _ in range(LIMITS.critical):
            bench.call(result=POLICY)
        assert run.halted
        passing = run.before("other_tool", {})
        assert passing.halted
        assert "same result" in passing.message
        with pytest.raises(LoopHalted):
            run.raise_if_halted()
        run.go_on("ann")
        assert not run.before("other_tool", {}).refused


def test_a_run_that_got_out_of_its_loop_starts_at_the_foot_of_the_ladder() -> None:
    """Three answers that are new: the loop is over, and that is counted."""
    bench = Bench(ResponsePolicy(ahead=False, max_refusals=None))
    for _ in range(LIMITS.critical + 1):
        bench.call()
    ran = bench.ran
    for topic in ("lamps have a warranty of two years", "chairs are returned by van", "desks are built to order"):
        bench.call("read_page", topic, f"The page says that {topic}.")
    assert bench.counts("loopwatch.loop.recoveries") == {("search", "identical"): 1}
    assert str(bench.call()).startswith(POLICY)
    assert bench.ran == ran + 4


def test_a_refused_call_has_nothing_to_tell() -> None:
    """An adapter may report it all the same."""
    bench = Bench(lambda signal, run: Action.BLOCK)
    for _ in range(LIMITS.warning):
        bench.call()
    passing = bench.run.before("search", {"query": "kettles"})
    assert passing.refused
    assert bench.run.after(passing, passing.message) is None
    assert bench.counts("loopwatch.tool.calls") == {("search", "success"): LIMITS.warning}


def test_a_run_of_which_nothing_was_heard_is_forgotten() -> None:
    """As long as the engine remembers it, the gate does."""
    bench = Bench(ResponsePolicy(), run_ttl_s=100)
    bench.call()
    other = bench.gate.run("other")
    later = bench.gate.clock() + 1000 * SECOND
    bench.gate.clock = lambda: later
    other.before_model()
    assert len(bench.gate) == 1


def test_what_a_huge_result_would_be_again_is_not_foreseen() -> None:
    """It is not kept; the call runs, and the loop is refused one call later."""
    bench = Bench(ResponsePolicy())
    for _ in range(LIMITS.critical + 2):
        bench.call(result=POLICY * 1000)
    assert bench.ran == LIMITS.critical


def test_only_the_latest_results_are_kept() -> None:
    """Looking ahead costs bounded memory."""
    bench = Bench(ResponsePolicy())
    for number in range(40):
        bench.call(query=f"article {number}", result=f"Article {number} weighs {number * 13} grams.")
    assert len(bench.run._results) == FOR_REHEARSALS


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"max_nudges": -1}, "max_nudges is -1; it must be at least 0"),
        ({"max_refusals": -2}, "max_refusals is -2; it must be at least 0"),
        ({"last_resort": 0}, "last_resort is 0; it must be at least 1"),
        ({"cooldown_s": -0.5}, "cooldown_s is -0.5; it must be at least 0"),
        ({"actions": {Kind.DRIFT: Action.HALT}}, r"actions has .*it must map \(Kind, Level\) to an Action"),
        ({"actions": {(Kind.DRIFT, Level.WARNING): "halt"}}, "to an Action"),
    ],
)
def test_a_bad_policy_is_refused_at_set_up(arguments: dict[str, Any], said: str) -> None:
    """The error names the field, the value and the rule."""
    with pytest.raises(ValueError, match=said):
        ResponsePolicy(**arguments)


def test_nudges_about_one_loop_keep_a_distance() -> None:
    """A cooldown longer than the loop leaves it at one."""
    bench = Bench(ResponsePolicy(ahead=False, cooldown_s=3600))
    for _ in range(LIMITS.critical - 1):
        bench.call()
    assert acted(bench.run) == ["nudge"]
