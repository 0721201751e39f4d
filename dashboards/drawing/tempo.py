"""The table of spans that Grafana makes of what Tempo finds."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from drawing.frames import Field, Frame, Kind
from drawing.model import Json
from drawing.spans import INTRINSIC, Attribute, Span
from drawing.traceql import parsed
from drawing.window import Window

TRACES, SPANS = 20, 3
"""How many traces, and spans of each, are shown where the target does not say."""
HIDDEN, WIDE, NARROW = {"custom.hidden": True}, {"custom.width": 200}, {"custom.width": 120}


def table(target: Json, query: str, spans: Sequence[Span], window: Window) -> Frame:
    """The spans that a query finds in a range of time: those of the newest traces first."""
    asked = parsed(query)
    found: dict[str, list[Span]] = defaultdict(list)
    for span in spans:
        if window.start <= span.start <= window.end and asked.finds(span):
            found[span.trace].append(span)
    roots = {span.trace: span for span in spans if not span.parent}
    newest = sorted(found, key=lambda trace: found[trace][0].start, reverse=True)[: target.get("limit", TRACES)]
    shown = [span for trace in newest for span in found[trace][: target.get("spss", SPANS)]]
    return Frame(target["refId"], tuple(_columns(shown, [roots.get(span.trace, span) for span in shown], asked.names)))


def _columns(spans: Sequence[Span], roots: Sequence[Span], names: Sequence[str]) -> Iterator[Field]:
    yield Field("traceIdHidden", Kind.TEXT, tuple(span.trace for span in spans), config=HIDDEN)
    services = tuple(written(root.read("resource.service.name")) for root in roots)
    yield Field("traceService", Kind.TEXT, services, title="Trace Service", config=WIDE)
    yield Field("traceName", Kind.TEXT, tuple(root.name for root in roots), title="Trace Name", config=WIDE)
    ids = tuple(span.id for span in spans)
    yield Field("spanID", Kind.TEXT, ids, title="Span ID", config={**WIDE, "links": [{"title": "Span"}]})
    yield Field("time", Kind.TIME, tuple(span.start for span in spans), title="Start time")
    unnamed = {} if "name" in names else HIDDEN
    yield Field("name", Kind.TEXT, tuple(span.name for span in spans), title="Name", config=unnamed)
    for name in sorted(set(names) - set(INTRINSIC), key=bare):
        yield Field(bare(name), Kind.TEXT, tuple(written(span.read(name)) for span in spans))
    lengths = tuple(span.duration * 1e9 for span in spans)
    yield Field("duration", Kind.NUMBER, lengths, title="Duration", config={**NARROW, "unit": "ns"})


def bare(name: str) -> str:
    """An attribute's name without its scope."""
    return re.sub(r"^(span|resource)?\.", "", name)


def written(value: Attribute) -> str | None:
    """An attribute as text; Grafana leaves the cells of zero, false and the empty text empty."""
    if not value:
        return None
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else value
