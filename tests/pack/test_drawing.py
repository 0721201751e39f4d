"""What drawings of dashboards are made of: numbers, tables, axes, places, and what queries become."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from drawing import axes, tempo, traceql, units
from drawing.calcs import reduced
from drawing.colours import DARK, LIGHT, faded, over
from drawing.data import legend
from drawing.data import table as instant_table
from drawing.frames import Field, Frame, Kind, Value
from drawing.html import Html, css, element
from drawing.layout import COLUMN, GAP, box, risen
from drawing.mappings import Mapped, mapped
from drawing.marks import stretches
from drawing.model import Place, panel_of
from drawing.panels.heatmap import differences
from drawing.spans import spans_of
from drawing.thresholds import thresholds_of
from drawing.transformations import in_order, transformed
from drawing.variables import Choices, by_name, pattern
from drawing.window import Window, seconds, window_of

HOUR = Window(0.0, 3600.0)


@pytest.mark.parametrize(
    ("value", "unit", "decimals", "text"),
    [
        (0, "short", None, "0"),
        (999, "short", None, "999"),
        (1234, "short", None, "1.23 K"),
        (1999, "short", 0, "2 K"),
        (2_500_000, "short", None, "2.5 Mil"),
        (-1500, "short", None, "-1.5 K"),
        (0.0123, "percentunit", None, "1.23%"),
        (0.279, "percentunit", 1, "27.9%"),
        (12.5, "percent", None, "12.5%"),
        (0, "s", 1, "0 s"),
        (1.5e-7, "s", None, "150 ns"),
        (0.00025, "s", None, "250 µs"),
        (0.25, "s", None, "250 ms"),
        (30, "s", None, "30 s"),
        (90, "s", None, "1.5 min"),
        (5400, "s", None, "1.5 hour"),
        (172_800, "s", None, "2 day"),
        (1_209_600, "s", None, "2 week"),
        (31_556_900 * 2, "s", None, "2 year"),
        (1_500_000, "ns", None, "1.5 ms"),
        (1500, "ms", None, "1.5 s"),
        (0.5, "cps", None, "0.5 c/s"),
        (1500, "reqps", None, "1.5K req/s"),
        (0, "dtdurations", None, "0 seconds"),
        (0.25, "dtdurations", None, "250 milliseconds"),
        (1, "dtdurations", None, "1 second"),
        (3700, "dtdurations", None, "1 hour"),
        (3725, "dtdurations", 2, "1 hour, 2 minutes, 5 seconds"),
        (-60, "dtdurations", None, "1 minute ago"),
        (90_061, "dtdhms", None, "1 d 01:01:01"),
        (86_400_000, "dateTimeAsIso", None, "1970-01-02 00:00:00"),
        (2.5, "none", 0, "3"),
        (-0.0001, "none", 2, "0.00"),
        (7, "", None, "7"),
        (7, "lines", None, "7 lines"),
        (3.14159, "none", None, "3.14"),
        (float("inf"), "s", None, "∞"),
        (float("-inf"), "s", None, "-∞"),
        (float("nan"), "s", None, "NaN"),
    ],
)
def test_numbers_are_written_as_grafana_writes_them(value: float, unit: str, decimals: int | None, text: str) -> None:
    """By unit and wish for decimals."""
    assert units.formatted(float(value), unit, decimals) == text


def frame(ref: str, **columns: list[Value]) -> Frame:
    """A frame of columns: numbers where all values are numbers."""
    return Frame(ref, tuple(Field(name, kind_of(values), tuple(values)) for name, values in columns.items()))


def kind_of(values: list[Value]) -> Kind:
    """What a column of such values is."""
    return Kind.NUMBER if all(isinstance(value, float) for value in values) else Kind.TEXT


def shown(frames: Any) -> list[dict[str, tuple[Value, ...]]]:
    """Frames by the names on the page."""
    return [{each.shown: each.values for each in frame.fields} for frame in frames]


CALLS = frame("A", tool=["search", "read"], calls=[10.0, 4.0])
WASTED = frame("B", tool=["read", "write"], wasted=[1.0, 2.0])


@pytest.mark.parametrize(
    ("step", "frames", "result"),
    [
        ({"id": "merge"}, [CALLS], [{"tool": ("search", "read"), "calls": (10.0, 4.0)}]),
        (
            {"id": "merge"},
            [CALLS, WASTED],
            [{"tool": ("search", "read", "write"), "calls": (10.0, 4.0, None), "wasted": (None, 1.0, 2.0)}],
        ),
        (
            {"id": "merge"},
            [CALLS, frame("B", tool=["read"], calls=[5.0])],
            [{"tool": ("search", "read", "read"), "calls": (10.0, 4.0, 5.0)}],
        ),
        (
            {"id": "merge"},
            [CALLS, frame("B", other=["x"])],
            [{"tool": ("search", "read"), "calls": (10.0, 4.0)}, {"other": ("x",)}],
        ),
        (
            {"id": "joinByField", "options": {"byField": "tool"}},
            [CALLS, WASTED],
            [{"tool": ("search", "read", "write"), "calls": (10.0, 4.0, None), "wasted": (None, 1.0, 2.0)}],
        ),
        (
            {"id": "joinByField", "options": {"byField": "tool", "mode": "inner"}},
            [CALLS, frame("B", tool=["read"], calls=[5.0])],
            [{"tool": ("read",), "calls 1": (4.0,), "calls 2": (5.0,)}],
        ),
        (
            {"id": "joinByField", "options": {"byField": "nothing"}},
            [CALLS],
            [{"tool": ("search", "read"), "calls": (10.0, 4.0)}],
        ),
        (
            {"id": "organize", "options": {"indexByName": {"calls": 0, "tool": 1}, "renameByName": {"calls": "Calls"}}},
            [CALLS],
            [{"Calls": (10.0, 4.0), "tool": ("search", "read")}],
        ),
        ({"id": "organize", "options": {"excludeByName": {"tool": True}}}, [CALLS], [{"calls": (10.0, 4.0)}]),
        (
            {"id": "filterFieldsByName", "options": {"include": {"names": ["tool"]}}},
            [CALLS],
            [{"tool": ("search", "read")}],
        ),
        ({"id": "filterFieldsByName", "options": {"exclude": {"names": ["tool"]}}}, [CALLS], [{"calls": (10.0, 4.0)}]),
        (
            {"id": "sortBy", "options": {"sort": [{"field": "calls"}]}},
            [CALLS],
            [{"tool": ("read", "search"), "calls": (4.0, 10.0)}],
        ),
        (
            {"id": "sortBy", "options": {"sort": [{"field": "x"}]}},
            [WASTED],
            [{"tool": ("read", "write"), "wasted": (1.0, 2.0)}],
        ),
        ({"id": "merge", "disabled": True}, [WASTED], [{"tool": ("read", "write"), "wasted": (1.0, 2.0)}]),
    ],
)
def test_tables_are_transformed(step: dict[str, Any], frames: list[Frame], result: list[dict[str, Any]]) -> None:
    """One step at a time, down to the order of columns and rows."""
    made = shown(transformed(frames, [step]))
    assert made == result
    assert [list(each) for each in made] == [list(each) for each in result]


def test_an_unknown_transformation_is_named() -> None:
    """With those that are known."""
    with pytest.raises(ValueError, match="transformation 'pivot' is not one of filterFieldsByName, joinByField"):
        transformed([CALLS], [{"id": "pivot"}])


def test_what_is_missing_is_sorted_to_the_end() -> None:
    """Upwards and downwards alike."""
    column = frame("A", n=[2.0, None, 3.0])
    assert in_order(column, "n", descending=True).fields[0].values == (3.0, 2.0, None)
    assert in_order(column, "n", descending=False).fields[0].values == (2.0, 3.0, None)


def test_an_instant_answer_becomes_a_table() -> None:
    """Time, labels in alphabetical order, value; a label that a series lacks is empty."""
    answer = [
        {"metric": {"tool": "read", "job": "a"}, "value": [60, "1.5"]},
        {"metric": {"job": "b"}, "value": [60, "NaN"]},
    ]
    assert shown([instant_table(answer, "A", "Value #A")]) == [
        {"Time": (60.0, 60.0), "job": ("a", "b"), "tool": ("read", None), "Value #A": (1.5, None)}
    ]


@pytest.mark.parametrize(
    ("labels", "form", "name"),
    [
        ({"tool": "read", "kind": "drift"}, "{{tool}}: {{ kind }}{{none}}", "read: drift"),
        ({"tool": "read"}, "{{kind}}", "Value"),
        ({"tool": "read"}, "__auto", "read"),
        ({"tool": "read", "kind": "drift"}, "__auto", '{tool="read", kind="drift"}'),
        ({"__name__": "up", "job": "a"}, "", 'up{job="a"}'),
        ({"__name__": "up"}, "", "up"),
        ({}, "", "sum(up)"),
    ],
)
def test_series_are_named_by_their_legend(labels: dict[str, str], form: str, name: str) -> None:
    """By what the target wants, or by their labels, or by the expression."""
    assert legend(labels, form, "sum(up)") == name


@pytest.mark.parametrize(
    ("points", "least", "step"), [(780, 15, 30), (780, 60, 60), (100, 15, 300), (2000, 0.1, 10), (1, 15, 21600)]
)
def test_steps_are_those_that_grafana_chooses(points: float, least: float, step: float) -> None:
    """Six hours: a round number near the width of the panel, never below the least."""
    assert Window(0, 6 * 3600).step(points, least) == step


def test_moments_are_multiples_of_the_step() -> None:
    """From the step before the start to the last one in range."""
    assert Window(100, 250).grid(60) == (60, 120, 180, 240)


@pytest.mark.parametrize(("text", "length"), [("30s", 30), ("1m", 60), ("6h", 21600), ("500ms", 0.5), ("7d", 604800)])
def test_durations_are_read(text: str, length: float) -> None:
    """As dashboards write them."""
    assert seconds(text) == length


def test_what_is_no_duration_is_named() -> None:
    """And the units there are."""
    with pytest.raises(ValueError, match="duration 'soon' is no number with one of ms, s, m"):
        seconds("soon")


def test_relative_ranges_end_now() -> None:
    """As the dashboard's own range of time."""
    assert window_of("now-6h", "now", 100_000) == Window(78_400, 100_000)


@pytest.mark.parametrize(
    ("values", "low", "high", "ends"),
    [
        ([3, 47], 0, None, (0, 52)),
        ([3, 47], None, None, (0, 52)),
        ([0, 0], 0, None, (0, 1)),
        ([], None, None, (0, 1)),
        ([-10, 10], None, None, (-12, 12)),
        ([0.2], 0, 1, (0, 1)),
    ],
)
def test_axes_end_at_round_numbers(
    values: list[float], low: float | None, high: float | None, ends: tuple[float, float]
) -> None:
    """Around the values, from zero where none is negative, or where the panel says."""
    assert axes.extent(values, low, high) == ends


@pytest.mark.parametrize(
    ("high", "pixels", "whole", "marks"),
    [
        (52, 220, False, [0, 10, 20, 30, 40, 50]),
        (2, 140, False, [0, 0.5, 1, 1.5, 2]),
        (2, 140, True, [0, 1, 2]),
        (1, 10, False, [0, 1]),
    ],
)
def test_axes_are_marked_at_round_numbers(high: float, pixels: float, whole: bool, marks: list[float]) -> None:
    """Far enough apart to be read; whole where no decimals are written."""
    assert axes.marks(0, high, pixels, whole=whole) == marks


@pytest.mark.parametrize(
    ("window", "texts"),
    [
        (Window(0, 21600), ["00:00", "01:00", "02:00", "03:00", "04:00", "05:00", "06:00"]),
        (Window(0, 60), ["00:00:00", "00:00:10", "00:00:20", "00:00:30", "00:00:40", "00:00:50", "00:01:00"]),
        (
            Window(0, 3 * 86400),
            ["01/01 00:00", "01/01 12:00", "01/02 00:00", "01/02 12:00", "01/03 00:00", "01/03 12:00", "01/04 00:00"],
        ),
        (
            Window(0, 20 * 86400),
            ["01/01 00:00", "01/04 00:00", "01/07 00:00", "01/10 00:00", "01/13 00:00", "01/16 00:00", "01/19 00:00"],
        ),
    ],
)
def test_time_is_marked_at_round_moments(window: Window, texts: list[str]) -> None:
    """In the form that the length of the range wants."""
    assert [text for _, text in axes.moments(window, 462)] == texts


@pytest.mark.parametrize(
    ("calc", "value"),
    [
        ("lastNotNull", 3.0),
        ("last", None),
        ("first", 1.0),
        ("firstNotNull", 1.0),
        ("min", 1.0),
        ("max", 3.0),
        ("mean", 2.0),
        ("sum", 4.0),
        ("count", 2.0),
        ("range", 2.0),
        ("diff", 2.0),
    ],
)
def test_series_become_one_value(calc: str, value: float | None) -> None:
    """Nothing is left out of account, and of nothing comes nothing."""
    assert reduced([1.0, None, 3.0, None], calc) == value
    assert reduced([None], calc) is None


PERCENT = {"mode": "percentage", "steps": [{"color": "green", "value": None}, {"color": "red", "value": 50}]}


@pytest.mark.parametrize(
    ("read", "value", "colour"),
    [
        (None, 79.0, "green"),
        (None, 80.0, "red"),
        ({"steps": [{"color": "blue", "value": None}]}, None, "blue"),
        (PERCENT, 4.0, "green"),
        (PERCENT, 5.0, "red"),
        ({"steps": []}, 5.0, "green"),
    ],
)
def test_thresholds_give_colours(read: dict[str, Any] | None, value: float | None, colour: str) -> None:
    """From a value on, or from a part of the range on."""
    assert thresholds_of(read).colour(value, 0.0, 10.0) == colour


ZERO = {"type": "value", "options": {"0": {"text": "none", "color": "green"}}}
LARGE = {"type": "range", "options": {"from": 10, "to": None, "result": {"text": "many"}}}
NULL = {"type": "special", "options": {"match": "null", "result": {"text": "n/a"}}}
WORDS = {"type": "regex", "options": {"pattern": "^read", "result": {"color": "blue"}}}


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (0.0, Mapped("none", "green")),
        (10.0, Mapped("many", None)),
        (9.0, None),
        (None, Mapped("n/a", None)),
        ("read_page", Mapped(None, "blue")),
        ("write", None),
    ],
)
def test_values_are_mapped(value: Value, found: Mapped | None) -> None:
    """By the first mapping that fits."""
    assert mapped(value, [ZERO, LARGE, NULL, WORDS]) == found


@pytest.mark.parametrize(
    ("values", "result"), [(["a"], "a"), (["a.b"], r"a\\.b"), (["a", "b"], "(a|b)"), (["f(x)"], r"f\\(x\\)")]
)
def test_chosen_values_are_a_pattern(values: list[str], result: str) -> None:
    """What means something in a regular expression is escaped, for a string of PromQL."""
    assert pattern(values) == result


VARIABLES = [
    {"name": "datasource", "type": "datasource", "query": "prometheus", "label": "Data source"},
    {
        "name": "job",
        "type": "query",
        "query": "label_values(up, job)",
        "multi": True,
        "includeAll": True,
        "allValue": ".+",
    },
    {"name": "tool", "type": "query", "query": "label_values(up, tool)", "current": {"value": ["a.b"]}},
    {"name": "service", "type": "textbox", "query": ".*"},
]


def test_variables_have_what_is_chosen() -> None:
    """All, what the dashboard was saved with, what was typed in; a single value is no pattern."""
    chosen = Choices("", HOUR, {}).chosen(VARIABLES)
    assert [variable.shown for variable in chosen] == ["Prometheus", "All", "a.b", ".*"]
    assert by_name(chosen) == {"datasource": "Prometheus", "job": ".+", "tool": "a.b", "service": ".*"}


def test_variables_take_wishes() -> None:
    """Several with commas between; a backslash is doubled for PromQL."""
    chosen = by_name(Choices("", HOUR, {"job": "a,b", "service": r"a\d"}).chosen(VARIABLES))
    assert chosen["job"] == "(a|b)"
    assert chosen["service"] == r"a\\d"


def test_a_wish_without_a_variable_is_named() -> None:
    """With those there are."""
    with pytest.raises(ValueError, match="variable 'colour' is not one of the dashboard's: datasource, job"):
        Choices("", HOUR, {"colour": "red"}).chosen(VARIABLES)


def placed(x: int, y: int, w: int, h: int) -> dict[str, Any]:
    """A text panel at a place."""
    return {"type": "text", "gridPos": {"x": x, "y": y, "w": w, "h": h}}


def test_panels_rise_and_do_not_overlap() -> None:
    """A gap is closed, and what would cover another panel comes below it."""
    panels = [
        panel_of(place)
        for place in (placed(0, 0, 12, 4), placed(12, 0, 12, 4), placed(0, 9, 24, 2), placed(6, 1, 4, 2))
    ]
    tops = {(each.place.x, each.place.w): place.top for each, place in risen(panels)}
    assert tops == {(0, 12): 0, (12, 12): 0, (6, 4): box(Place(0, 4, 1, 1)).top, (0, 24): box(Place(0, 6, 1, 1)).top}


def test_the_grid_fills_the_page() -> None:
    """24 columns with gaps between."""
    assert box(Place(0, 0, 24, 1)).width == pytest.approx(1600 - 2 * 16)
    assert box(Place(1, 0, 1, 1)).left == pytest.approx(COLUMN + GAP)


def test_moments_that_follow_each_other_are_one_stretch() -> None:
    """A pause longer than the step ends it."""
    assert list(stretches([60, 120, 180, 300], 60)) == [(60, 180), (300, 300)]


def test_buckets_are_what_each_adds() -> None:
    """Cumulative counts become counts, and zero nothing."""
    assert differences([[1.0, 0.0, None], [3.0, 0.0, 2.0]]) == [[1.0, None, None], [2.0, None, 2.0]]
    assert differences([]) == []


def test_text_is_escaped_where_it_is_no_html() -> None:
    """In elements and attributes; empty attributes are left out."""
    assert element("p", "<b>", Html("<i>"), class_='"', title="") == '<p class="&quot;">&lt;b&gt;<i></p>'
    assert css(font_size=12.0, color="red") == "font-size:12px;color:red"


def test_colours_have_names_in_both_themes() -> None:
    """Also those of CSS; writing on them is dark or light."""
    assert (DARK.colour("red"), LIGHT.colour("red")) == ("#F2495C", "#E02F44")
    assert DARK.colour("#123456") == "#123456"
    assert faded("#FF0000", 0.5) == "rgba(255,0,0,0.5)"
    assert faded("red", 0.5) == "red"
    assert (over("#FADE2A"), over("#C4162A"), over("red")) == ("#202226", "#f7f8fa", "inherit")


def otlp(name: str, at_s: int, parent: str = "", trace: str = "t1", **attributes: Any) -> str:
    """A span as a line of OTLP/JSON."""
    kinds = {str: "stringValue", bool: "boolValue", float: "doubleValue"}
    span = {
        "traceId": trace,
        "spanId": f"{name}-{at_s}",
        "parentSpanId": parent,
        "name": name,
        "startTimeUnixNano": str(at_s * 10**9),
        "endTimeUnixNano": str(at_s * 10**9 + 5 * 10**8),
        "status": {"code": 2},
        "attributes": [
            {"key": key.replace("_", "."), "value": {kinds.get(type(value), "intValue"): value}}
            for key, value in attributes.items()
        ]
        + [{"key": "tools", "value": {"arrayValue": {"values": [{"stringValue": "a"}, {"stringValue": "b"}]}}}],
    }
    service = {"attributes": [{"key": "service.name", "value": {"stringValue": "shop"}}]}
    return json.dumps({"resourceSpans": [{"resource": service, "scopeSpans": [{"spans": [span]}]}]})


SPANS = (
    otlp("agent", 10),
    otlp("execute_tool search", 20, "agent-10", loop_kind="drift", loop_count=7, loop_new=False),
    otlp("execute_tool read", 30, "agent-10", loop_kind="cycle", loop_count=0),
    otlp("execute_tool search", 40, "lost", "t2", loop_kind="drift", loop_share=0.5),
    otlp("execute_tool search", 5000, "lost", "t3", loop_kind="drift"),
)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("{}", ["agent", "execute_tool search", "execute_tool read", "execute_tool search"]),
        ('{ span.loop.kind = "drift" }', ["execute_tool search"] * 2),
        ('{ .loop.kind != "drift" && resource.service.name = "shop" }', ["execute_tool read"]),
        ("{ span.loop.count > 6 }", ["execute_tool search"]),
        ("{ span.loop.kind > 6 }", []),
        ("{ span.loop.new = false }", ["execute_tool search"]),
        ('{ name =~ ".*read.*" }', ["execute_tool read"]),
        ('{ name !~ "execute.*" && status = error }', ["agent"]),
        (
            "{ span.loop.kind != nil && duration <= 1 }",
            ["execute_tool search", "execute_tool read", "execute_tool search"],
        ),
        ("{ span.loop.kind = nil }", ["agent"]),
        ('{ resource.none = "x" }', []),
    ],
)
def test_spans_are_found(tmp_path: Path, query: str, found: list[str]) -> None:
    """By all conditions, among those of the range of time."""
    file = tmp_path / "spans.jsonl"
    file.write_text("\n".join(SPANS) + "\n\n", encoding="utf-8")
    asked = traceql.parsed(query)
    assert [span.name for span in spans_of(file) if asked.finds(span) and span.start < HOUR.end] == found


@pytest.mark.parametrize("query", ["span.a = 1", "{ a b }", "{ a = 1 } | count() > 2"])
def test_other_traceql_is_named(query: str) -> None:
    """Nothing is guessed."""
    with pytest.raises(ValueError, match="TraceQL"):
        traceql.parsed(query)


def test_spans_become_the_table_of_grafana(tmp_path: Path) -> None:
    """The newest trace first, attributes in alphabetical order, zero and false empty, as many as the target wants."""
    file = tmp_path / "spans.jsonl"
    file.write_text("\n".join(SPANS), encoding="utf-8")
    query = '{ span.loop.kind =~ ".+" } | select(span.tools, span.loop.count, span.loop.new, span.loop.share)'
    table = tempo.table({"refId": "A", "spss": 1}, query, spans_of(file), HOUR)
    assert shown([table]) == [
        {
            "traceIdHidden": ("t2", "t1"),
            "Trace Service": ("shop", "shop"),
            "Trace Name": ("execute_tool search", "agent"),
            "Span ID": ("execute_tool search-40", "execute_tool search-20"),
            "Start time": (40.0, 20.0),
            "Name": ("execute_tool search", "execute_tool search"),
            "loop.count": (None, "7"),
            "loop.kind": ("drift", "drift"),
            "loop.new": (None, None),
            "loop.share": ("0.5", None),
            "tools": ("a, b", "a, b"),
            "Duration": (5e8, 5e8),
        }
    ]
