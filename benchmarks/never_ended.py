"""What runs that never end cost in memory: agents whose spans are started, work, and are forgotten.

``python benchmarks/never_ended.py [RUNS]``, by default 200,000. Prints by how much the process has grown.
Linux only: reads ``/proc``.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from opentelemetry.context import Context
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import set_span_in_context

from otel_loopwatch import LoopwatchSpanProcessor

RUNS = 200_000
AGENT = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "forgetful"}
TOOL = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "look",
    "gen_ai.tool.call.arguments": '{"query": "lamp"}',
    "gen_ai.tool.call.result": "The lamp stands in the hall",
}


def resident_mb() -> float:
    """Memory of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE") / 1e6


def main(runs: int) -> None:
    """Start the runs and print the growth, ten times on the way."""
    provider = TracerProvider()
    processor = LoopwatchSpanProcessor()
    provider.add_span_processor(processor)
    tracer = provider.get_tracer("benchmark")
    before = resident_mb()
    for number in range(1, runs + 1):
        agent = tracer.start_span("invoke_agent", context=Context(), attributes=AGENT)
        tracer.start_span("execute_tool look", context=set_span_in_context(agent, Context()), attributes=TOOL).end()
        if number % (runs // 10 or 1) == 0:
            print(f"{number:>9,} runs {resident_mb() - before:7.1f} MB, {processor.live_runs:,} remembered", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS)
