"""A control hook of one's own: nudge first, halt a run that pays twice, and otherwise only at a critical signal.

The application's loop asks before each step whether its run was halted, and tells the model the advice.
"""

from opentelemetry.sdk.trace import TracerProvider

from otel_loopwatch import (
    Action,
    Kind,
    Level,
    LoopHalted,
    LoopSignal,
    LoopwatchSpanProcessor,
    RunSummary,
    current_run,
)
from otel_loopwatch.scenarios import SCENARIOS, Scenario
from otel_loopwatch.scripted import play


def careful_with_money(signal: LoopSignal, run: RunSummary) -> Action:
    """What to do about a signal."""
    if signal.kind is Kind.DUPLICATE_WRITE or signal.level is Level.CRITICAL:
        return Action.HALT
    return Action.NUDGE


def before_step() -> None:
    """What the application does at the top of its own loop."""
    run = current_run()
    run.raise_if_halted()
    if run.advice:
        print("to the model:", run.advice)


def answer(scenario: Scenario) -> str:
    """What the agent says, or why it was stopped."""
    try:
        return play(provider.get_tracer("shop"), scenario, before_call=before_step)
    except LoopHalted as halted:
        return f"halted: {halted.report.to_json()}"


provider = TracerProvider()
provider.add_span_processor(LoopwatchSpanProcessor(control_hook=careful_with_money))

for name in ("identical", "duplicate_write"):
    print(answer(SCENARIOS[name]))
provider.shutdown()
