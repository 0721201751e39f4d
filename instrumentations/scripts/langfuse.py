"""Langfuse's decorators on an application's own agent."""

from __future__ import annotations

import watch
from watch import Task, Watch

from scripts.decorated import Decorators, run


def set_up(watching: Watch, _: str) -> None:
    """Langfuse takes the application's provider; what it would send leaves for nowhere."""
    from langfuse import Langfuse
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    Langfuse(tracer_provider=watching.provider(), span_exporter=InMemorySpanExporter())


def play(task: Task) -> None:
    """Run the agent once."""
    from langfuse import observe

    run(
        task,
        Decorators(
            tool=observe(as_type="tool"),
            model=observe(as_type="generation"),
            agent=lambda name: observe(as_type="agent", name=name),
        ),
    )


if __name__ == "__main__":
    watch.main(set_up, play, scenarios=("looping", "healthy", "parallel", "sub_agent", "error", "uncaught"))
