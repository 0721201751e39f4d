"""The watch: the real processor on the agent's provider, for as long as a test runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider

from otel_loopwatch import LoopHalted, current_run
from otel_loopwatch.model import Kind
from otel_loopwatch.scenarios import SCENARIOS
from otel_loopwatch.scripted import play
from otel_loopwatch.settings import THRESHOLDS
from otel_loopwatch.testing import LoopFound, ScriptedAgent, Watch
from otel_loopwatch.testing import watch as watch_module


def provider_of(*scenarios: str, watch: Watch | None = None) -> TracerProvider:
    """A provider on which scripted agents have been at work."""
    provider = TracerProvider(shutdown_on_exit=False)
    if watch is not None:
        watch.attach(provider)
    for scenario in scenarios:
        play(provider.get_tracer("agents"), SCENARIOS[scenario])
    return provider


def test_a_healthy_run_passes() -> None:
    """Leaving the watch checks, and the calls were seen."""
    with Watch(TracerProvider(shutdown_on_exit=False)) as watch:
        provider_of("paging", watch=watch)
    assert len(watch.calls) == 12
    assert watch.loops == []


def test_a_loop_fails_the_check() -> None:
    """The message explains it."""
    last = THRESHOLDS[Kind.IDENTICAL].critical + 1
    with pytest.raises(LoopFound, match=f"calls 2 to {last}: search_policy"), Watch(TracerProvider()) as watch:
        provider_of("identical", watch=watch)


def test_a_failure_of_the_block_itself_is_not_hidden() -> None:
    """What the block raises reaches the test, not the loop that came before it."""
    with pytest.raises(KeyError, match="riddle"), Watch(provider_of()) as watch:
        provider_of("identical", "riddle", watch=watch)
    assert len(watch.loops) == 1


@pytest.mark.parametrize(
    ("expected", "told"),
    [
        ({}, None),
        ({"kind": "identical"}, None),
        ({"kind": "identical", "level": "critical", "tool": "search_policy"}, None),
        ({"kind": "drift"}, "identical loop, critical"),
        ({"level": "warning"}, "identical loop, critical"),
        ({"tool": "read_order"}, "identical loop, critical"),
    ],
)
def test_an_expected_loop_belongs_to_the_test(expected: dict[str, str], told: str | None) -> None:
    """Only the kind, the level and the tool that were named; another loop still fails."""
    watch = Watch(TracerProvider(shutdown_on_exit=False))
    watch.expect(**expected)
    provider_of("identical", watch=watch)
    if told is None:
        watch.check()
        assert len(watch.loops) == 1
    else:
        with pytest.raises(LoopFound, match=told):
            watch.check()


def test_an_expected_loop_that_does_not_form_fails() -> None:
    """A test about a loop must see one."""
    watch = Watch(TracerProvider(shutdown_on_exit=False))
    watch.expect("identical", tool="search_policy")
    provider_of("paging", watch=watch)
    with pytest.raises(LoopFound, match=r"expected a loop \(identical of search_policy\), but none formed in 12 calls"):
        watch.check()


@pytest.mark.parametrize("wrong", [{"kind": "circle"}, {"level": "severe"}])
def test_an_unknown_kind_or_level_is_refused(wrong: dict[str, str]) -> None:
    """At once, by name."""
    with pytest.raises(ValueError, match=next(iter(wrong.values()))):
        Watch(TracerProvider(shutdown_on_exit=False)).expect(**wrong)


def test_a_warning_passes_where_only_criticals_fail() -> None:
    """``fail_on`` is the level from which a loop fails."""
    with Watch(TracerProvider(shutdown_on_exit=False), fail_on="critical") as watch:
        provider_of("no_progress", watch=watch)
    assert [loop.signal.level.value for loop in watch.loops] == ["warning"]


def test_the_processor_takes_its_arguments_and_halts() -> None:
    """What production does is what the test sees: here the run is halted and the next call refused."""
    provider = TracerProvider(shutdown_on_exit=False)
    watch = Watch(provider, control_hook="halt", enforcement="raise", thresholds={"identical": {"critical": 4}})
    with pytest.raises(LoopHalted):
        play(provider.get_tracer("agents"), SCENARIOS["identical"])
    watch.close()
    assert len(watch.calls) == 5
    assert watch.loops[0].signal.level.value == "critical"


def test_advice_reaches_the_agent_under_test() -> None:
    """The application's own loop asks for it, as in production, also where the hook only records."""
    provider = TracerProvider(shutdown_on_exit=False)
    watch = Watch(provider, control_hook="dry_run")
    with ScriptedAgent(provider.get_tracer("agents")) as agent:
        for _ in range(3):
            agent.call("search", {"q": "kettle"}, "There is no policy for kettles in the handbook.")
        assert "search gave the same result" in (current_run().advice or "")
    watch.close()
    assert len(watch.loops) == 1


def test_what_comes_after_closing_is_not_seen() -> None:
    """A closed watch leaves the provider as it was, but for an empty place."""
    provider = TracerProvider(shutdown_on_exit=False)
    watch = Watch(provider)
    watch.close()
    watch.close()
    play(provider.get_tracer("agents"), SCENARIOS["identical"])
    assert watch.calls == []


def test_watches_of_one_provider_share_a_place_in_it() -> None:
    """A session of many tests adds one processor; watches that overlap both see everything."""
    provider = TracerProvider(shutdown_on_exit=False)
    first, second = Watch(provider), Watch(provider)
    first.attach(provider)
    play(provider.get_tracer("agents"), SCENARIOS["paging"])
    assert len(first.calls) == len(second.calls) == 12
    assert sum(relay is watch_module._RELAYS(provider) for relay in first._relays + second._relays) == 2


@pytest.mark.parametrize("variable", ["OTEL_SDK_DISABLED", "OTEL_LOOPWATCH_DISABLED"])
def test_a_watch_that_would_see_nothing_is_refused(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Test environments like to switch telemetry off; a test must not pass because of it."""
    monkeypatch.setenv(variable, "true")
    with pytest.raises(RuntimeError, match="no loop would be seen"):
        Watch(TracerProvider(shutdown_on_exit=False))


def test_without_a_provider_of_the_application_one_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that spans of instrumentations, which ask for the global one, are made at all."""
    made: list[TracerProvider] = []
    monkeypatch.setattr(trace, "get_tracer_provider", trace.ProxyTracerProvider)
    monkeypatch.setattr(trace, "set_tracer_provider", made.append)
    watch = Watch()
    assert made == [watch.provider]


def test_exporters_of_the_application_stay() -> None:
    """Phoenix's provider takes an added processor as a replacement, unless it is told not to."""

    class Replacing(TracerProvider):
        replaced = False

        def add_span_processor(self, processor: SpanProcessor, replace_default_processor: bool = True) -> None:
            self.replaced |= replace_default_processor
            super().add_span_processor(processor)

    provider = Replacing(shutdown_on_exit=False)
    watch = Watch(provider)
    play(provider.get_tracer("agents"), SCENARIOS["paging"])
    assert not provider.replaced
    assert len(watch.calls) == 12


def test_the_provider_of_the_application_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it exports to, it still does."""
    provider = TracerProvider(shutdown_on_exit=False)
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
    watch = Watch()
    play(provider.get_tracer("agents"), SCENARIOS["paging"])
    assert watch.provider is provider
    assert len(watch.calls) == 12


def test_recordings_are_written_when_the_watch_is_closed(tmp_path: Path) -> None:
    """Also where the run failed: that is the run one wants to keep."""
    watch = Watch(TracerProvider(shutdown_on_exit=False))
    watch.record(tmp_path / "case.jsonl")
    provider_of("identical", watch=watch)
    with pytest.raises(LoopFound):
        watch.check()
    assert (tmp_path / "case.jsonl").read_text(encoding="utf-8").count('"tool"') == 15
