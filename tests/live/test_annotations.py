from dataclasses import replace
from typing import Any

import pytest
from live_agent import RESULT, SECRET, SIGNAL, rig
from opentelemetry.sdk.trace import ReadableSpan

from otel_loopwatch import notes
from otel_loopwatch.control.hook import Decision
from otel_loopwatch.control.run import LiveRun
from otel_loopwatch.model import Action, Level
from otel_loopwatch.telemetry import names
from otel_loopwatch.telemetry.annotate import MAX_AGENT_EVENTS, mark_agent
from otel_loopwatch.telemetry.names import ATTRIBUTES, On, ValueType

PYTHON_TYPE = {ValueType.STRING: str, ValueType.INT: int, ValueType.BOOLEAN: bool, ValueType.STRINGS: tuple}
LOOP_KEYS = {a.name for a in ATTRIBUTES if a.on is On.LOOP} - {names.LOOP_DRY_RUN}
RUN_KEYS = {a.name for a in ATTRIBUTES if a.on is On.RUN} - {names.RUN_LIMIT, names.RUN_TERMINATION}
CALL_KEYS = {a.name for a in ATTRIBUTES if a.on is On.CALL} - {names.CALL_REFUSED}


def ours(attributes: Any) -> dict[str, Any]:
    """The attributes that we wrote."""
    return {key: value for key, value in (attributes or {}).items() if key.startswith("loopwatch.")}


def looping_agent(**arguments: Any) -> list[ReadableSpan]:
    """Spans of an agent that makes one and the same call ten times."""
    bench = rig(**arguments)
    with bench.agent():
        for _ in range(10):
            bench.call()
    return bench.spans()


def test_every_exporter_sees_the_same() -> None:
    """What is written reaches exporters registered before and after ours."""
    bench = rig()
    with bench.agent():
        for _ in range(4):
            bench.call()
    before, after = (
        [(s.name, dict(s.attributes or {})) for s in e.get_finished_spans()] for e in (bench.before, bench.after)
    )
    assert before == after
    assert before[2][1][names.LOOP_KIND] == "identical"


def test_every_call_carries_fingerprints_and_outcome() -> None:
    """Equal calls have equal fingerprints, whether or not they loop."""
    bench = rig()
    with bench.agent():
        bench.call()
        bench.call()
        bench.call(arguments='{"query": "other"}')
    first, again, other = (ours(span.attributes) for span in bench.spans("execute_tool"))
    assert set(first) == CALL_KEYS
    assert first == again
    assert first[names.CALL_FINGERPRINT] != other[names.CALL_FINGERPRINT]
    assert len(first[names.CALL_FINGERPRINT]) == 16


def test_a_refused_call_is_marked_and_neither_judged_nor_counted() -> None:
    """The tool never ran: what stands in the place of its answer is our own note."""
    bench = rig()
    with bench.agent():
        for _ in range(6):
            bench.call(result=notes.refusal("It gave the same result 5 times."))
    spans = bench.spans("execute_tool")
    assert all((span.attributes or {})[names.CALL_REFUSED] is True for span in spans)
    assert not any(names.LOOP_DETECTED in (span.attributes or {}) for span in spans)
    assert bench.counts("loopwatch.tool.calls") == {}


def test_our_own_note_makes_no_other_answer() -> None:
    """A model that was told with the answer got the same answer all the same."""
    bench = rig()
    with bench.agent():
        for number in range(3):
            bench.call(result=notes.added(RESULT, notes.nudge(f"It was so {number} times.")))
    assert bench.counts("loopwatch.loop.signals") == {("search_docs", "identical", "warning"): 1}


def test_values_have_the_types_of_the_catalogue() -> None:
    """Names and types on the wire are those that documentation and dashboards are made from."""
    types = {attribute.name: PYTHON_TYPE[attribute.type] for attribute in ATTRIBUTES}
    found = {
        key: type(value) for span in looping_agent(control_hook="halt") for key, value in ours(span.attributes).items()
    }
    assert found == {key: types[key] for key in found}
    assert set(found) == LOOP_KEYS | RUN_KEYS | CALL_KEYS


def test_the_call_that_completes_the_loop_is_marked() -> None:
    """Attributes and event sit on the third of equal calls, and name the first."""
    calls = [span for span in looping_agent() if span.name.startswith("execute_tool")]
    marked = calls[2]
    assert marked.attributes is not None
    assert marked.attributes[names.LOOP_LEVEL] == "warning"
    assert marked.attributes[names.LOOP_FIRST_SPAN_ID] == f"{calls[0].context.span_id:016x}"
    (event,) = marked.events
    assert event.name == names.LOOP_EVENT
    assert set(event.attributes or {}) == LOOP_KEYS
    assert not LOOP_KEYS & set(calls[1].attributes or {})


def test_the_agent_shows_the_worst_loop_and_the_balance() -> None:
    """The agent's span has the critical level, an event per signal and how the run ended."""
    agent = looping_agent()[-1]
    assert agent.attributes is not None
    assert agent.attributes[names.LOOP_LEVEL] == "critical"
    assert [e.attributes[names.LOOP_LEVEL] for e in agent.events if e.attributes] == ["warning", "critical"]
    assert agent.attributes[names.RUN_STATUS] == "looped"
    assert agent.attributes[names.RUN_PROGRESSED] is False


def test_a_clean_run_says_so() -> None:
    """Without a loop there are no loop attributes, only the balance."""
    bench = rig()
    with bench.agent():
        bench.call()
    attributes = ours(bench.spans("invoke_agent")[0].attributes)
    assert set(attributes) == RUN_KEYS - {names.RUN_STOP_REASON, names.RUN_STOP_REPORT}
    assert attributes[names.RUN_STATUS] == "clean"


def test_events_on_the_agent_are_few() -> None:
    """A long run of many loops does not push the application's own events out; attributes follow the worst."""
    bench, run = rig(), LiveRun("run")
    with bench.agent() as span:
        for level in [Level.WARNING] * MAX_AGENT_EVENTS + [Level.CRITICAL, Level.WARNING]:
            mark_agent(span, run, replace(SIGNAL, level=level), Decision(Action.CONTINUE))
    (agent,) = bench.spans("invoke_agent")
    assert len(agent.events) == MAX_AGENT_EVENTS
    assert ours(agent.attributes)[names.LOOP_LEVEL] == "critical"


def test_no_argument_and_no_result_is_copied() -> None:
    """Digests only: nothing of what the tool was asked or answered is in our attributes, events or metrics."""
    for span in looping_agent(control_hook="halt"):
        written = [str(ours(span.attributes)), *(str(event.attributes) for event in span.events)]
        assert not any(SECRET in text or RESULT in text for text in written)


@pytest.mark.parametrize(
    ("hook", "action", "dry"), [("observe", "continue", None), ("dry_run", "halt", True), ("halt", "halt", None)]
)
def test_the_action_is_recorded(hook: str, action: str, dry: bool | None) -> None:
    """The span says what the control decided, and whether that was only for the record."""
    agent = looping_agent(control_hook=hook)[-1]
    assert agent.attributes is not None
    assert agent.attributes[names.LOOP_ACTION] == action
    assert agent.attributes.get(names.LOOP_DRY_RUN) is dry


def test_without_late_writes_the_agent_is_still_marked(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Where an SDK refuses late writes, the loop is told on the agent's span, and the log says so once."""
    monkeypatch.setattr("otel_loopwatch.telemetry.late_write.works_here", lambda: False)
    bench = rig()
    with bench.agent() as agent:
        for _ in range(3):
            bench.call()
        assert ours(agent.attributes)[names.LOOP_KIND] == "identical"
    assert bench.processor.writes_own_span is False
    assert not ours(bench.spans("execute_tool")[2].attributes)
    assert [record.message for record in caplog.records if "only agent spans" in record.message]


def test_one_log_record_per_signal(caplog: pytest.LogCaptureFixture) -> None:
    """A burst logs when it is seen and when it gets critical, not at each call."""
    looping_agent()
    assert [record.levelname for record in caplog.records if record.name == names.SCOPE] == ["WARNING", "ERROR"]
