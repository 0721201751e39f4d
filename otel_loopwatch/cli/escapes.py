"""Ways on which content leaves the process although Loopwatch is told to withhold it from spans."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from otel_loopwatch.settings import ContentPolicy, Options

CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"


def escapes(packages: Mapping[str, str], env: Mapping[str, str], options: Options) -> Iterator[str]:
    """One sentence each; none where content is kept on the spans anyway."""
    if options.content is ContentPolicy.KEEP:
        return
    if options.disabled:
        yield f"Loopwatch is disabled: content is exported as captured, in spite of content={options.content.value}."
    if options.digest_key is None:
        yield "digest_key is not set: whoever guesses a value can check the guess by its digest or fingerprint."
    if env.get(CAPTURE, "").strip().lower() in ("event_only", "span_and_event"):
        yield f"{CAPTURE}={env[CAPTURE]}: messages are also written to log records, which Loopwatch does not see."
    if "logfire" in packages and env.get("LOGFIRE_PENDING_SPANS", "").strip().lower() not in ("false", "0", "f"):
        yield "logfire sends pending spans when spans start, content included; set LOGFIRE_PENDING_SPANS=false."
    if "langsmith" in packages and env.get("LANGSMITH_OTEL_ONLY", "").strip().lower() != "true":
        yield "langsmith also sends runs over a channel of its own; set LANGSMITH_OTEL_ONLY=true."
    for name in ("mlflow", "mlflow-skinny", "mlflow-tracing"):
        if name in packages:
            yield f"{name} keeps traces of its own beside the spans, with everything in them."
