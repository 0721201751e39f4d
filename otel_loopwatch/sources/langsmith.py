"""LangSmith's runs: one object each, as ``langsmith trace export`` writes them and the SDK returns them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from otel_loopwatch.dialects.langsmith import KIND
from otel_loopwatch.dialects.values import first
from otel_loopwatch.ids import SPAN_ID_BYTES, TRACE_ID_BYTES
from otel_loopwatch.sources import chat
from otel_loopwatch.sources.formats import SpanFormat, record_by_record
from otel_loopwatch.sources.records import Record
from otel_loopwatch.sources.scalars import identity, mapping, nanoseconds, objects, text
from otel_loopwatch.spans import SpanData, SpanEvent

MODEL_KIND = "llm"
_METADATA = "langsmith.metadata."


def _runs(record: Record) -> list[Mapping[str, Any]]:
    return objects(record["runs"]) if isinstance(record.get("runs"), list) else [record]


def _is_run(run: Mapping[str, Any]) -> bool:
    return isinstance(run.get("run_type"), str) and isinstance(run.get("id"), str)


def _recognises(record: Record) -> bool:
    return any(_is_run(run) for run in _runs(record)[:1])


def _spans(record: Record) -> Iterator[SpanData | None]:
    """Runs, and the runs within them."""
    waiting = list(reversed(_runs(record)))
    while waiting:
        run = waiting.pop()
        yield _span(run) if _is_run(run) else None
        waiting += reversed(objects(run.get("child_runs")))


def _span(run: Mapping[str, Any]) -> SpanData:
    start_ns, error = nanoseconds(run.get("start_time")), text(run.get("error"))
    return SpanData(
        trace_id=identity(run.get("trace_id") or _root(run), TRACE_ID_BYTES),
        span_id=identity(run["id"], SPAN_ID_BYTES),
        parent_id=identity(run.get("parent_run_id"), SPAN_ID_BYTES),
        name=text(run.get("name")),
        scope="langsmith",
        attributes=_attributes(run),
        events=(_exception(error),) if error else (),
        failed=bool(error) or run.get("status") == "error",
        status_message=error,
        start_ns=start_ns,
        end_ns=nanoseconds(run.get("end_time")) or start_ns,
    )


def _root(run: Mapping[str, Any]) -> str:
    """The outermost run, which the first part of ``dotted_order`` names after its time."""
    return text(run.get("dotted_order")).partition(".")[0].partition("Z")[2] or text(run.get("id"))


def _exception(error: str) -> SpanEvent:
    kind, _, message = error.partition("(")
    found = {"exception.type": kind, "exception.message": message.removesuffix(")")} if kind.isidentifier() else {}
    return SpanEvent("exception", found or {"exception.message": error})


def _attributes(run: Mapping[str, Any]) -> dict[str, Any]:
    inputs, outputs = mapping(run.get("inputs")), mapping(run.get("outputs"))
    metadata = mapping(mapping(run.get("extra")).get("metadata"))
    attributes: dict[str, Any] = {f"{_METADATA}{key}": value for key, value in metadata.items()}
    attributes[KIND] = run["run_type"]
    if run["run_type"] == MODEL_KIND:
        attributes["gen_ai.input.messages"] = chat.conventional(first(inputs, "messages", "input"))
        attributes["gen_ai.output.messages"] = chat.conventional(chat.of_response(outputs))
        usage = _usage(run, outputs)
        attributes["gen_ai.usage.input_tokens"] = first(usage, "prompt_tokens", "input_tokens")
        attributes["gen_ai.usage.output_tokens"] = first(usage, "completion_tokens", "output_tokens")
    else:
        attributes["gen_ai.prompt"] = inputs["input"] if inputs.keys() == {"input"} else inputs or None
        attributes["gen_ai.completion"] = outputs or None
    return {key: value for key, value in attributes.items() if value is not None}


def _usage(run: Mapping[str, Any], outputs: Mapping[str, Any]) -> Mapping[str, Any]:
    return run if run.get("prompt_tokens") else mapping(first(outputs, "usage_metadata", "usage"))


FORMAT = SpanFormat(
    name="LangSmith runs",
    written_by="`langsmith trace get`, `langsmith trace export`, `langsmith run export`",
    looks="objects with `id` and `run_type`, alone, in a list, or under `runs`",
    recognises=_recognises,
    read=record_by_record(_recognises, _spans, "a run"),
)
