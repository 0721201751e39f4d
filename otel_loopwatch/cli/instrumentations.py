"""What is known of instrumentations: which capture arguments and results, and what switches that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from fnmatch import fnmatchcase


class Content(str, Enum):
    """How much of a call an instrumentation writes down."""

    CAPTURED = "captured"
    """Arguments and results are in the spans."""
    SWITCHED_OFF = "switched off"
    """They could be: a switch is off."""
    NEVER = "never"
    """Tool spans have names and outcomes, and there is no switch."""
    NO_TOOL_SPANS = "no tool spans"
    """Its spans do not show single tool calls."""


@dataclass(frozen=True, slots=True)
class Switch:
    """An environment variable that turns content on; ``on`` are its values that do, in lower case."""

    variable: str
    on: tuple[str, ...]
    default: str
    """Value that holds where it is not set."""

    def is_on(self, env: Mapping[str, str]) -> bool:
        """Whether content is captured with these variables."""
        return (env.get(self.variable, "").strip() or self.default).lower() in self.on

    @property
    def setting(self) -> str:
        """What to set."""
        value = self.on[0]
        return f"{self.variable}={value.upper() if value == 'span_only' else value}"


@dataclass(frozen=True, slots=True)
class Instrumentation:
    """One instrumentation, recognised by the glob pattern of its distribution's name."""

    pattern: str
    family: str
    switches: tuple[Switch, ...] = ()
    content: Content = Content.CAPTURED
    """Where every switch is on, or there is none."""
    note: str = ""

    def state(self, env: Mapping[str, str]) -> tuple[Content, tuple[str, ...]]:
        """What is captured with these variables, and what to set so that more is."""
        off = tuple(switch.setting for switch in self.switches if not switch.is_on(env))
        return (Content.SWITCHED_OFF if off else self.content), off


GENAI = Switch(
    "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", ("span_only", "span_and_event", "true"), "no_content"
)
LATEST = Switch("OTEL_SEMCONV_STABILITY_OPT_IN", ("gen_ai_latest_experimental",), "")
TRACELOOP = Switch("TRACELOOP_TRACE_CONTENT", ("true", "1"), "true")
OPENINFERENCE = (
    Switch("OPENINFERENCE_HIDE_INPUTS", ("false", "0"), "false"),
    Switch("OPENINFERENCE_HIDE_OUTPUTS", ("false", "0"), "false"),
)
LANGSMITH = (
    Switch("LANGSMITH_HIDE_INPUTS", ("false", "0"), "false"),
    Switch("LANGSMITH_HIDE_OUTPUTS", ("false", "0"), "false"),
    Switch("LANGSMITH_OTEL_ENABLED", ("true",), "false"),
)

INSTRUMENTATIONS: tuple[Instrumentation, ...] = (
    Instrumentation("openinference-instrumentation-haystack", "OpenInference", content=Content.NO_TOOL_SPANS),
    Instrumentation(
        "openinference-instrumentation-mcp", "OpenInference", content=Content.NO_TOOL_SPANS, note="passes context only"
    ),
    Instrumentation("openinference-instrumentation-*", "OpenInference", OPENINFERENCE),
    Instrumentation("opentelemetry-instrumentation-genai-smolagents", "OTel GenAI", content=Content.NO_TOOL_SPANS),
    *(
        Instrumentation(f"opentelemetry-instrumentation-genai-{name}", "OTel GenAI", (GENAI, LATEST))
        for name in ("llama-index", "agno", "dspy")
    ),
    Instrumentation("opentelemetry-instrumentation-genai-*", "OTel GenAI", (GENAI,)),
    Instrumentation("opentelemetry-instrumentation-openai-v2", "OTel GenAI", (GENAI,)),
    Instrumentation("opentelemetry-instrumentation-crewai", "OpenLLMetry", content=Content.NO_TOOL_SPANS),
    *(
        Instrumentation(f"opentelemetry-instrumentation-{name}", "OpenLLMetry", (TRACELOOP,))
        for name in ("langchain", "openai", "openai-agents", "anthropic", "mcp", "llamaindex", "haystack", "agno")
    ),
    Instrumentation("langsmith", "LangSmith", LANGSMITH),
    Instrumentation("pydantic-ai", "Pydantic AI", note="off with InstrumentationSettings(include_content=False)"),
    Instrumentation("pydantic-ai-slim", "Pydantic AI", note="off with InstrumentationSettings(include_content=False)"),
    Instrumentation("strands-agents", "Strands"),
    Instrumentation("google-adk", "Google ADK", (GENAI,)),
    Instrumentation(
        "agent-framework-core", "Microsoft Agent Framework", (Switch("ENABLE_SENSITIVE_DATA", ("true",), "false"),)
    ),
    Instrumentation("fastmcp", "MCP", content=Content.NEVER),
    Instrumentation("mcp", "MCP", content=Content.NEVER),
    Instrumentation("autogen-core", "AutoGen", content=Content.NEVER),
    Instrumentation(
        "anthropic",
        "Anthropic SDK",
        (Switch("ANTHROPIC_OPEN_TELEMETRY_TRACES_CONTENT_MODE", ("content",), ""),),
        note="tool spans come from its tool runner only",
    ),
    Instrumentation(
        "langfuse", "Langfuse", (Switch("LANGFUSE_OBSERVE_DECORATOR_IO_CAPTURE_ENABLED", ("true",), "true"),)
    ),
    *(
        Instrumentation(
            name,
            "MLflow",
            (Switch("MLFLOW_USE_DEFAULT_TRACER_PROVIDER", ("false",), "true"),),
            note="by default its spans go to a tracer provider of its own, which nobody else sees",
        )
        for name in ("mlflow", "mlflow-skinny", "mlflow-tracing")
    ),
    Instrumentation(
        "opentelemetry-haystack", "Haystack", (Switch("HAYSTACK_CONTENT_TRACING_ENABLED", ("true",), "false"),)
    ),
    Instrumentation("logfire", "Logfire", note="takes additional_span_processors=[LoopwatchSpanProcessor()]"),
    Instrumentation(
        "arize-phoenix-otel",
        "Phoenix",
        note="add_span_processor needs replace_default_processor=False, or its exporter is dropped",
    ),
    Instrumentation(
        "traceloop-sdk",
        "OpenLLMetry",
        (TRACELOOP,),
        note="pass processor=[LoopwatchSpanProcessor(), Traceloop.get_default_span_processor()] to Traceloop.init",
    ),
)
"""The first whose pattern matches holds. Seen in real runs of these packages in November 2026."""


def recognise(distribution: str) -> Instrumentation | None:
    """The instrumentation a distribution is, or None."""
    return next((known for known in INSTRUMENTATIONS if fnmatchcase(distribution, known.pattern)), None)
