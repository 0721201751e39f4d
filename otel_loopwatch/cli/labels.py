"""What files say about runs beyond their calls: attributes of spans, and fields of cases."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from otel_loopwatch.model import ToolCall
from otel_loopwatch.sources import SpansFile, read
from otel_loopwatch.sources.cases import case_id, is_case
from otel_loopwatch.tracker.runs import trace_key

Labels = dict[str, dict[str, list[str]]]
"""By trace or case, then by name: the values, as text, in the order in which they stand."""


def labels_of(path: str, names: Collection[str]) -> Labels:
    """The values of these names in a file. Raises ``UnreadableFile``."""
    labels: Labels = {}
    for subject, values in _subjects(path) if names else ():
        for name in names:
            if values.get(name) is not None:
                labels.setdefault(subject, {}).setdefault(name, []).append(_text(values[name]))
    return labels


def subject_of(call: ToolCall) -> str:
    """What a call's labels are found under: its trace, or its case."""
    return trace_key(call.trace_id) if call.trace_id else call.group or call.run


def _subjects(path: str) -> Iterator[tuple[str, Any]]:
    source = read(path)
    if isinstance(source, SpansFile):
        yield from ((trace_key(span.trace_id), span.attributes) for span in source)
    else:
        yield from ((case_id(record, line), record) for line, record in source.records if is_case(record))


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
