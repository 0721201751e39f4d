"""The transformations of tables that the dashboards use, as Grafana's documentation describes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from drawing.frames import Field, Frame, Row, Value, filled

Frames = Sequence[Frame]
Options = dict[str, Any]


def transformed(frames: Frames, steps: Sequence[dict[str, Any]]) -> Frames:
    """What is left of frames after all steps; ValueError names one that is not known."""
    for step in steps:
        if step.get("disabled"):
            continue
        if step["id"] not in TRANSFORMATIONS:
            raise ValueError(f"transformation {step['id']!r} is not one of {', '.join(sorted(TRANSFORMATIONS))}")
        frames = TRANSFORMATIONS[step["id"]](frames, step.get("options", {}))
    return frames


def merged(frames: Frames, _options: Options) -> Frames:
    """One table: rows that agree in all columns that every frame has become one, if they contradict nowhere."""
    frames = [frame for frame in frames if frame.fields]
    columns = _columns(frames)
    counts = Counter(each.name for frame in frames for each in frame.fields)
    shared = [name for name, count in counts.items() if count == len(frames)]
    if len(frames) < 2 or not shared:
        return frames
    rows: list[Row] = []
    for row in (row for frame in frames for row in frame.rows()):
        _put(rows, row, shared)
    return [filled(columns, rows)]


def _columns(frames: Frames) -> list[Field]:
    known: dict[str, Field] = {}
    for each in (each for frame in frames for each in frame.fields):
        known.setdefault(each.name, replace(each, labels={}))
    return list(known.values())


def _put(rows: list[Row], row: Row, shared: Sequence[str]) -> None:
    for there in rows:
        same = all(there.get(name) == row.get(name) for name in shared)
        if same and all(there.get(name) in (None, value) for name, value in row.items()):
            there.update(row)
            return
    rows.append(dict(row))


def joined(frames: Frames, options: Options) -> Frames:
    """One row for each value of a column; columns of one name are numbered."""
    by = options.get("byField") or "Time"
    keyed = [(frame, *_keyed(frame, by)) for frame in frames if any(each.called(by) for each in frame.fields)]
    if not keyed:
        return frames
    keys = list(dict.fromkeys(key for _, _, places in keyed for key in places))
    if options.get("mode", "outer") == "inner":
        keys = [key for key in keys if all(key in places for _, _, places in keyed)]
    others = [_at(each, keys, places) for frame, column, places in keyed for each in frame.fields if each is not column]
    return [Frame("", (replace(keyed[0][1], values=tuple(keys)), *_numbered(others)))]


def _keyed(frame: Frame, by: str) -> tuple[Field, dict[Value, int]]:
    column = next(each for each in frame.fields if each.called(by))
    return column, {key: place for place, key in enumerate(column.values)}


def _at(field: Field, keys: Sequence[Value], places: dict[Value, int]) -> Field:
    return replace(field, values=tuple(field.values[places[key]] if key in places else None for key in keys))


def _numbered(fields: Sequence[Field]) -> list[Field]:
    counts, seen = Counter(each.shown for each in fields), Counter[str]()
    numbered = []
    for each in fields:
        seen[each.shown] += 1
        title = f"{each.shown} {seen[each.shown]}" if counts[each.shown] > 1 else each.title
        numbered.append(replace(each, title=title))
    return numbered


def organized(frames: Frames, options: Options) -> Frames:
    """Columns left out, put into an order and renamed, by the names they have before."""
    left_out, order = options.get("excludeByName", {}), options.get("indexByName", {})
    renamed = options.get("renameByName", {})
    organized = []
    for frame in frames:
        fields = [each for each in frame.fields if not left_out.get(each.shown)]
        fields.sort(key=lambda each: order.get(each.shown, len(order) + len(frame.fields)))
        titled = (replace(each, title=renamed.get(each.shown) or each.title) for each in fields)
        organized.append(Frame(frame.ref, tuple(titled)))
    return organized


def filtered(frames: Frames, options: Options) -> Frames:
    """The columns that are named, or all but those."""
    kept, left_out = options.get("include", {}).get("names"), options.get("exclude", {}).get("names", ())
    return [
        Frame(frame.ref, tuple(each for each in frame.fields if _kept(each.shown, kept, left_out))) for frame in frames
    ]


def _kept(name: str, kept: Sequence[str] | None, left_out: Sequence[str]) -> bool:
    return name not in left_out and (kept is None or name in kept)


def sorted_by(frames: Frames, options: Options) -> Frames:
    """Rows in the order of a column."""
    for wish in options.get("sort", [])[:1]:
        frames = [in_order(frame, wish["field"], descending=bool(wish.get("desc"))) for frame in frames]
    return frames


def in_order(frame: Frame, name: str, *, descending: bool) -> Frame:
    """The rows in the order of a column, those without a value last; as it is where there is no such column."""
    column = next((each for each in frame.fields if each.called(name)), None)
    if column is None:
        return frame
    places = range(len(frame))
    known = [place for place in places if column.values[place] is not None]
    known.sort(key=lambda place: _ordered(column, place), reverse=descending)
    return frame.taken([*known, *(place for place in places if column.values[place] is None)])


def _ordered(column: Field, place: int) -> tuple[float, str]:
    value = column.values[place]
    return (value, "") if isinstance(value, float) else (0.0, str(value))


TRANSFORMATIONS: dict[str, Callable[[Frames, Options], Frames]] = {
    "filterFieldsByName": filtered,
    "joinByField": joined,
    "merge": merged,
    "organize": organized,
    "sortBy": sorted_by,
}
