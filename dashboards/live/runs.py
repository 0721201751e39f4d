"""One run of an agent in simulated time: its spans as the GenAI conventions have them, its calls through the gate."""

from __future__ import annotations

import json
from enum import Enum
from random import Random

from opentelemetry.context import Context
from opentelemetry.trace import Status, StatusCode, use_span

from live.jobs import Job
from otel_loopwatch.control.run import current_run
from otel_loopwatch.scenarios import Step
from otel_loopwatch.telemetry.names import ERROR_TYPE, TOOL_NAME

MODEL = "scripted-1"
SECOND = 10**9


class Told(str, Enum):
    """What the agent learns with the answer to a call."""

    NOTHING = "nothing"
    TO_CHANGE = "to change"
    """Its call was part of a loop, and it is asked to do something else."""
    TO_END = "to end"
    """The run is halted."""


class Run:
    """An agent at work, from its first moment until :meth:`end`. All that takes time lies before the clock's time.

    ``mcp``: its tools are an MCP server's, whose client writes a span of its own for each call.
    """

    def __init__(self, job: Job, agent: str, random: Random, mcp: bool = False) -> None:
        self._job = job
        self.random = random
        self._mcp = mcp
        attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": agent}
        start = job.tracer.start_span
        self._span = start(f"invoke_agent {agent}", Context(), start_time=job.clock(), attributes=attributes)
        key = f"{self._span.get_span_context().trace_id:032x}"
        self._gated = None if job.gate is None else job.gate.run(key, agent)
        self._calls = 0

    def think(self) -> None:
        """One response of the model."""
        seconds = self.random.lognormvariate(0.3, 0.5)
        attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "scripted",
            "gen_ai.request.model": MODEL,
        }
        now = self._job.clock()
        with use_span(self._span):
            span = self._job.tracer.start_span(
                f"chat {MODEL}", start_time=now - int(seconds * SECOND), attributes=attributes
            )
            span.set_attribute("gen_ai.usage.input_tokens", self.random.randint(400, 4000))
            span.set_attribute("gen_ai.usage.output_tokens", self.random.randint(20, 300))
            span.end(now)
            self._job.model_seconds.record(seconds, attributes)
            if self._gated is not None:
                self._gated.before_model()

    def call(self, step: Step) -> Told:
        """One tool call, unless it is refused. A step without a result is one whose result is not captured."""
        self._calls += 1
        with use_span(self._span):
            passing = None if self._gated is None else self._gated.before(step.tool, step.arguments)
            if passing is not None and passing.refused:
                return Told.TO_END if passing.halted else Told.TO_CHANGE
            self._execute(step)
            note = None
            if self._gated is not None and passing is not None:
                note = self._gated.after(passing, step.result, step.error)
            if current_run().halted:
                return Told.TO_END
        return Told.NOTHING if note is None else Told.TO_CHANGE

    def end(self, error: str | None = None) -> None:
        """The run is over; ``error``: type of what its framework raised."""
        if error is not None:
            self._span.set_attribute(ERROR_TYPE, error)
            self._span.set_status(Status(StatusCode.ERROR, error))
        if self._gated is not None:
            with use_span(self._span):
                self._gated.end()
        self._span.end(self._job.clock())

    def _execute(self, step: Step) -> None:
        now = self._job.clock()
        start_ns = now - int(self.random.uniform(0.2, 3.0) * SECOND)
        span = self._job.tracer.start_span(
            f"execute_tool {step.tool}",
            start_time=start_ns,
            attributes={
                "gen_ai.operation.name": "execute_tool",
                TOOL_NAME: step.tool,
                "gen_ai.tool.call.id": f"call-{self._calls}",
                "gen_ai.tool.call.arguments": json.dumps(step.arguments),
            },
        )
        with use_span(span):
            if self._mcp:
                self._request(step.tool, start_ns, now)
        if step.error is not None:
            span.set_attribute(ERROR_TYPE, "ToolError")
            span.set_status(Status(StatusCode.ERROR, step.error))
        elif step.result:
            span.set_attribute("gen_ai.tool.call.result", step.result)
        span.end(now)

    def _request(self, tool: str, start_ns: int, end_ns: int) -> None:
        attributes = {"mcp.method.name": "tools/call", TOOL_NAME: tool}
        self._job.tracer.start_span(f"tools/call {tool}", start_time=start_ns, attributes=attributes).end(end_ns)
