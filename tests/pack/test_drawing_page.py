"""Drawings of dashboards, whole: every type of panel, on a page that asks for nothing and believes no label."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from drawing.__main__ import main
from drawing.chromium import EXECUTABLE, Page, chromium
from drawing.colours import DARK, LIGHT, THEMES, Theme, faded
from drawing.drawn import drawn
from drawing.model import dashboard_of, load
from drawing.page import Drawn
from drawing.picture import opened
from drawing.pictures import CHOSEN
from drawing.spans import Span, spans_of
from drawing.window import Window
from live.hour import Stretch
from scripts import ROOT

from otel_loopwatch.pack.alert import Board

needs_chromium = pytest.mark.skipif(EXECUTABLE is None, reason="no Chromium on the path (Debian: apt install chromium)")

HOSTILE = "</script><script>document.title='taken'</script><img src=http://127.0.0.1:9/x onerror=alert(1)>"
WINDOW = Window(1_800_000_000.0, 1_800_003_600.0)
SERIES: dict[str, list[dict[str, str]]] = {
    "by_tool": [{"tool": HOSTILE}, {"tool": "search"}],
    "by_kind": [{"kind": "drift"}, {"kind": "cycle"}],
    "one": [{}],
    "none": [],
    "buckets": [{"le": "+Inf"}, {"le": "1"}, {"le": "0.5"}],
    "job_of_all": [{"job": "shop"}],
}
"""What the labels of an expression's series are."""


def value(expr: str, labels: dict[str, str], time: float) -> str:
    """A sample: more in wider buckets, and a gap in the middle of the hour elsewhere."""
    if "le" in labels:
        return {"0.5": "0", "1": "2", "+Inf": "5"}[labels["le"]]
    gap = expr == "by_tool" and WINDOW.start + 1200 < time < WINDOW.start + 2400
    return "NaN" if gap else f"{0.25 + time % 1800 / 3600:.3f}"


def answered(path: str, query: dict[str, list[str]]) -> tuple[int, Any]:
    """What Prometheus would say."""
    if path.endswith("/values"):
        return 200, ["write", "search"]
    expr = query["query"][0]
    if expr not in SERIES:
        return 400, f"bad_data: {expr}"
    if path.endswith("query"):
        at = float(query["time"][0])
        return 200, {"result": [{"metric": m, "value": [at, value(expr, m, at)]} for m in SERIES[expr]]}
    start, end, step = (float(query[name][0]) for name in ("start", "end", "step"))
    times = [start + step * n for n in range(int((end - start) / step) + 1)]
    return 200, {"result": [{"metric": m, "values": [[t, value(expr, m, t)] for t in times]} for m in SERIES[expr]]}


class Answers(BaseHTTPRequestHandler):
    """Prometheus' HTTP API, as far as a drawing asks it."""

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        status, data = answered(parts.path, parse_qs(parts.query))
        body = json.dumps({"status": "success", "data": data}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the standard library's
        """Nothing is said."""


@pytest.fixture(scope="module")
def prometheus() -> Iterator[str]:
    """Something that answers like Prometheus."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def browser() -> Iterator[Page]:
    """One browser for all tests of this file."""
    with chromium() as page:
        yield page


def panel(kind: str, expr: str = "one", **more: Any) -> dict[str, Any]:
    """A panel with one query: over time, unless its type wants one moment."""
    moment = kind in ("table", "bargauge", "stat")
    target = {"refId": "A", "expr": expr, "instant": moment, "legendFormat": "{{tool}}{{kind}}"}
    form = {"table": "table", "heatmap": "heatmap"}.get(kind, "time_series")
    return {
        "type": kind,
        "title": f"A {kind}",
        "description": "What it shows.",
        "gridPos": {"x": 0, "y": 0, "w": 12, "h": 8},
        "targets": [{**target, "format": form}],
        **more,
    }


def looks(*overrides: dict[str, Any], custom: dict[str, Any] | None = None, **defaults: Any) -> dict[str, Any]:
    """A panel's field configuration."""
    return {"fieldConfig": {"defaults": {**defaults, "custom": custom or {}}, "overrides": list(overrides)}}


def override(matcher: str, wish: Any, **properties: Any) -> dict[str, Any]:
    """What is different for some fields."""
    named = [{"id": name.replace("__", "."), "value": value} for name, value in properties.items()]
    return {"matcher": {"id": matcher, "options": wish}, "properties": named}


def of(*panels: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A dashboard of panels."""
    return {"title": "Of a test", "panels": list(panels), **more}


def page(prometheus: str, read: dict[str, Any], theme: Theme = LIGHT, **wishes: str) -> Drawn:
    """The page of a dashboard."""
    return drawn(dashboard_of(read), prometheus, [SPAN], WINDOW, wishes, theme)


def body(drawing: Drawn) -> str:
    """The page without style and scripts."""
    return drawing.html.partition("</style>")[2].partition("<script>")[0]


def figure(drawing: Drawn) -> dict[str, Any]:
    """The first chart of a page as plotly is given it."""
    from html import unescape

    quoted = body(drawing).partition('data-figure="')[2].partition('"')[0]
    read: dict[str, Any] = json.loads(unescape(quoted))
    return read


FEW = {"text": "few", "color": "rebeccapurple"}
SPAN = Span("t", "s", "", "execute_tool search", WINDOW.start + 60, 0.5, "ok", {}, {})
GAUGE = {"type": "gauge", "mode": "gradient"}
RED_FROM_HALF = {"steps": [{"color": "green", "value": None}, {"color": "red", "value": 0.5}]}
CASES = {
    "a row is its title": (panel("row", collapsed=True), ["›", "<b>A row</b>"]),
    "text": (
        panel("text", options={"content": "# Head\nunder\n\n- a **b**\n- `c`\n\nsee [there](http://x) <b>"}),
        ["<h1>Head</h1>", "<p>under</p>", "<b>b</b>", "<code>c</code>", '<span class="link">there</span>', "&lt;b&gt;"],
    ),
    "a stat has its unit and the colour of its threshold": (
        panel("stat", **looks(unit="percentunit", decimals=1, thresholds=RED_FROM_HALF)),
        ["25.0%", LIGHT.colour("green"), "What it shows."],
    ),
    "stats side by side have names": (panel("stat", "by_kind", **looks(unit="none")), [">drift<", ">cycle<", "0.25"]),
    "a stat on its colour": (
        panel("stat", options={"colorMode": "background"}, **looks(color={"mode": "fixed", "fixedColor": "blue"})),
        [f"background:{LIGHT.colour('blue')}"],
    ),
    "a stat over time has a line": (
        panel("stat", targets=[{"refId": "A", "expr": "one"}], options={"reduceOptions": {"calcs": ["max"]}}),
        ["<polyline", "0.742"],
    ),
    "a stat of nothing says what the panel wants": (panel("stat", "none", **looks(noValue="quiet")), ["quiet"]),
    "bar gauges": (panel("bargauge", "by_kind", **looks(unit="short", max=1)), ['class="gauges"', "drift", "0.25"]),
    "bar gauges of rows": (
        panel(
            "bargauge",
            "by_kind",
            targets=[{"refId": "A", "expr": "by_kind", "instant": True, "format": "table"}],
            options={"reduceOptions": {"values": True}, "displayMode": "basic"},
        ),
        ["drift", "cycle", "border-right:2px"],
    ),
    "bar gauges of nothing": (panel("bargauge", "none"), ["No data"]),
    "tables colour cells, link, hide and rename": (
        panel(
            "table",
            "by_kind",
            options={"sortBy": [{"displayName": "Loops", "desc": True}]},
            transformations=[{"id": "organize", "options": {"renameByName": {"Value": "Loops", "kind": "Kind"}}}],
            **looks(
                override("byName", "Loops", custom__cellOptions={"type": "color-background"}, unit="percentunit"),
                override("byType", "time", custom__hidden=True),
                override("byRegexp", "/^K/", links=[{"url": "/d/x"}], custom__width=100),
                thresholds=RED_FROM_HALF,
            ),
        ),
        [">Kind<", ">Loops<", "25%", f"background:{LIGHT.colour('green')}", 'class="link"', "width:100px"],
    ),
    "tables have gauges and coloured text": (
        panel(
            "table",
            "by_kind",
            **looks(
                override("byNames", {"mode": "include", "names": ["Value"]}, custom__cellOptions=GAUGE, max=1),
                override("byName", "kind", custom__cellOptions={"type": "color-text"}, custom__align="center"),
            ),
        ),
        ['class="gauge"', 'class="track gradient"', "text-align:center;color:"],
    ),
    "a table without columns": (
        panel("table", transformations=[{"id": "filterFieldsByName", "options": {"include": {"names": []}}}]),
        ["No data"],
    ),
    "a table of nothing": (panel("table", "none"), ["No data"]),
    "a heatmap is marked at its buckets": (panel("heatmap", "buckets", **looks(unit="s")), ["500 ms", "+Inf", "scale"]),
    "a heatmap in one colour": (
        panel("heatmap", "buckets", options={"color": {"mode": "opacity", "fill": "blue"}, "legend": {"show": False}}),
        [faded(LIGHT.colour("blue"), 0.05)],
    ),
    "values as words, in colours of their own": (
        panel("stat", **looks(mappings=[{"type": "range", "options": {"from": 0, "to": 1, "result": FEW}}])),
        [">few<", "rebeccapurple"],
    ),
    "spans": (
        panel("table", targets=[{"refId": "A", "query": "{}"}], datasource={"type": "tempo"}),
        ["Trace Service", "execute_tool search", "500 ms"],
    ),
    "no legend": (
        panel("timeseries", options={"legend": {"showLegend": False}}),
        ['<div class="below"><div class="chart"'],
    ),
    "a heatmap of nothing": (panel("heatmap", "none"), ["No data"]),
    "a chart of nothing": (panel("timeseries", "none"), ["No data"]),
    "a legend as a list": (panel("timeseries", "by_kind"), ['<ul class="legend">', "drift", "cycle"]),
    "a legend as a table, beside": (
        panel(
            "timeseries",
            "by_kind",
            options={"legend": {"displayMode": "table", "placement": "right", "calcs": ["max", "lastNotNull"]}},
            **looks(override("byFrameRefID", "A", displayName="of ${__field.labels.kind}"), unit="percentunit"),
        ),
        ['class="beside"', "Max", "Last *", "of drift", "74.2%"],
    ),
    "a legend with values": (
        panel("timeseries", options={"legend": {"calcs": ["mean"]}}, **looks(displayName="all")),
        ["Mean: 0.49", "all"],
    ),
    "a query that fails is said": (panel("timeseries", "broken("), ['class="fault"', "bad_data: broken("]),
    "an unknown type is said": (panel("geomap"), ["panel type &#x27;geomap&#x27; is not one of"]),
}


@pytest.mark.parametrize(("read", "parts"), CASES.values(), ids=CASES)
@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_every_type_of_panel_is_drawn(prometheus: str, theme: Theme, read: dict[str, Any], parts: list[str]) -> None:
    """With its values as the panel wants them."""
    seen = body(page(prometheus, of(read), theme))
    for name in ("green", "blue"):
        parts = [part.replace(LIGHT.colour(name), theme.colour(name)) for part in parts]
        parts = [part.replace(faded(LIGHT.colour(name), 0.05), faded(theme.colour(name), 0.05)) for part in parts]
    assert [part for part in parts if part not in seen] == []


def traces(read: dict[str, Any]) -> list[tuple[str, str]]:
    """Type and mode of what is drawn."""
    return [(trace["type"], trace.get("mode", "")) for trace in read["data"]]


def test_lines_have_gaps_and_areas_around_them(prometheus: str) -> None:
    """Nothing is drawn where there is nothing, unless the panel spans it."""
    drawing = figure(page(prometheus, of(panel("timeseries", "by_tool", **looks(custom={"fillOpacity": 10})))))
    line = next(trace for trace in drawing["data"] if trace["mode"] == "lines" and "fill" not in trace)
    assert None in line["y"]
    assert sum("fill" in trace for trace in drawing["data"]) == 4
    spanned = panel("timeseries", "by_tool", **looks(custom={"fillOpacity": 10, "spanNulls": True}))
    assert sum("fill" in trace for trace in figure(page(prometheus, of(spanned)))["data"]) == 2


def test_bars_are_stacked(prometheus: str) -> None:
    """Each series stands on those before it."""
    custom = {"drawStyle": "bars", "stacking": {"mode": "normal", "group": "A"}, "fillOpacity": 80}
    drawing = figure(page(prometheus, of(panel("timeseries", "by_kind", **looks(custom=custom)))))
    assert traces(drawing) == [("bar", ""), ("bar", ""), ("scatter", "markers")]
    below, above = drawing["data"][:2]
    assert set(below["base"]) == {0.0}
    assert above["base"] == below["y"]


def test_points_are_drawn_where_they_are_wished_for(prometheus: str) -> None:
    """All of them, or none."""
    always = panel("timeseries", **looks(custom={"drawStyle": "points"}))
    never = panel("timeseries", **looks(custom={"showPoints": "never", "lineStyle": {"fill": "dash"}}))
    assert len(figure(page(prometheus, of(always)))["data"][0]["x"]) > 100
    line, points, _ = figure(page(prometheus, of(never)))["data"]
    assert (line["line"]["dash"], points["x"]) == ("dash", [])


@pytest.mark.parametrize(
    ("mode", "shapes"), [("off", []), ("line", ["solid"]), ("dashed", ["8px,6px"]), ("dashed+area", [None, "8px,6px"])]
)
def test_thresholds_are_lines_and_areas(prometheus: str, mode: str, shapes: list[str | None]) -> None:
    """As their style says."""
    styled = looks(custom={"thresholdsStyle": {"mode": mode}}, thresholds=RED_FROM_HALF)
    layout = figure(page(prometheus, of(panel("timeseries", **styled))))["layout"]
    assert [shape["line"].get("dash") for shape in layout["shapes"]] == shapes


def test_series_that_are_hidden_are_not_drawn(prometheus: str) -> None:
    """From the chart, from the legend."""
    hidden = override("byName", "drift", custom__hideFrom={"viz": True, "legend": True})
    drawing = page(prometheus, of(panel("timeseries", "by_kind", **looks(hidden))))
    assert len(traces(figure(drawing))) == 3
    assert "drift" not in body(drawing)


def test_annotations_are_marked_in_every_chart(prometheus: str) -> None:
    """Dashed lines at both ends, a veil between, and a switch on top."""
    halts = {"name": "Halts", "expr": "by_tool", "iconColor": "red", "step": "1m"}
    drawing = page(prometheus, of(panel("timeseries"), annotations={"list": [halts]}))
    shapes = figure(drawing)["layout"]["shapes"]
    assert {shape["line"].get("dash") for shape in shapes} == {"4px,4px", None}
    assert ">Halts</span>" in body(drawing) or "</i>Halts" in body(drawing)
    off = page(prometheus, of(panel("timeseries"), annotations={"list": [{**halts, "enable": False}]}))
    assert figure(off)["layout"]["shapes"] == []


def test_variables_stand_in_queries_and_on_top(prometheus: str) -> None:
    """What is chosen, or else the first value there is."""
    read = of(
        panel("stat", "${tool}_of_all", **looks(unit="none")),
        templating={"list": [{"name": "tool", "label": "Tool", "type": "query", "query": "label_values(up, tool)"}]},
        links=[{"title": "Others", "asDropdown": True}],
    )
    first = page(prometheus, read)
    assert first.faults == ["A stat: 400 " + json.dumps({"status": "success", "data": "bad_data: search_of_all"})]
    assert "<em>Tool</em><b>search ⌄</b>" in body(first)
    assert "Others ⌄" in body(first)
    assert page(prometheus, read, tool="job").faults == []


EVERY = of(
    *(
        {
            **panel(kind, expr, **looks(custom={"fillOpacity": 20})),
            "gridPos": {"x": n % 3 * 8, "y": n // 3 * 8, "w": 8, "h": 8},
        }
        for n, (kind, expr) in enumerate(
            [
                ("timeseries", "by_tool"),
                ("stat", "by_tool"),
                ("table", "by_tool"),
                ("bargauge", "by_tool"),
                ("heatmap", "buckets"),
                ("text", "none"),
                ("row", "none"),
            ]
        )
    ),
    annotations={"list": [{"name": HOSTILE, "expr": "by_tool", "iconColor": "red"}]},
)


@needs_chromium
@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_a_page_asks_for_nothing_and_complains_of_nothing(
    prometheus: str, browser: Page, tmp_path: Path, theme: Theme
) -> None:
    """In Chromium, with labels that are HTML: they are read, not obeyed."""
    file = tmp_path / "page.html"
    file.write_text(page(prometheus, EVERY, theme).html, encoding="utf-8")
    opened(browser, file)
    assert [each for each in browser.requests if not each.startswith("data:")] == [file.as_uri()]
    assert browser.complaints == []
    assert browser.value("document.title") == "Of a test"
    assert browser.value("document.querySelectorAll('img').length") == 0
    assert HOSTILE in browser.value("document.querySelector('.legend').textContent")
    assert browser.value("document.querySelectorAll('.chart .main-svg').length") > 0


@needs_chromium
def test_the_command_draws_a_picture(prometheus: str, tmp_path: Path) -> None:
    """The whole page, in colours of one byte."""
    from PIL import Image

    out = tmp_path / "page.png"
    assert run(prometheus, tmp_path, EVERY, "--out", str(out), "--to", "1800003600") == 0
    with Image.open(out) as picture:
        assert picture.mode == "P"
        assert picture.width == 1600
        assert picture.height > 24 * 38


def empty(drawing: Drawn) -> list[str]:
    """Titles of the panels that have nothing to show."""
    titles: list[str] = re.findall(r'<h2>([^<]*)</h2>(?:(?!<section).)*class="empty"', body(drawing))
    return titles


def test_a_panel_without_data_says_so(prometheus: str) -> None:
    """That one, and no other."""
    assert empty(page(prometheus, of(panel("stat", "one"), panel("table", "none"), panel("stat", "one")))) == [
        "A table"
    ]


@pytest.mark.parametrize("board", Board)
def test_the_dashboards_are_drawn(url: str, stretch: Stretch, board: Board) -> None:
    """Over real metrics and spans: no query fails, no panel is of an unknown type, and none is empty."""
    dashboard = load(ROOT / "dashboards" / f"{board.value}.json")
    chosen = CHOSEN.get(board, {})
    window = Window(stretch.start_s, time.time())
    drawing = drawn(dashboard, url, spans_of(stretch.traces), window, chosen, DARK)
    assert drawing.faults == []
    assert empty(drawing) == []


def run(prometheus: str, tmp_path: Path, read: dict[str, Any], *more: str) -> int:
    """The command, on a dashboard of its own."""
    file = tmp_path / "dashboard.json"
    file.write_text(json.dumps(read), encoding="utf-8")
    return main([str(file), "--prometheus", prometheus, "--out", str(tmp_path / "out.html"), *more])


def test_the_command_writes_a_page(prometheus: str, tmp_path: Path) -> None:
    """Of the range of time that is asked for."""
    spans = tmp_path / "spans.jsonl"
    spans.write_text("", encoding="utf-8")
    times = ("--from", "1800000000", "--to", "1800003600")
    assert run(prometheus, tmp_path, of(panel("stat")), *times, "--spans", str(spans), "--theme", "dark") == 0
    written = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert "2027-01-15 08:00:00 to 2027-01-15 09:00:00 UTC" in written
    assert DARK.canvas in written


def test_the_command_says_what_could_not_be_drawn(
    prometheus: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And fails, with the rest of the page written."""
    assert run(prometheus, tmp_path, of(panel("stat", "broken("), time={"from": "now-1h", "to": "now"})) == 1
    assert "A stat: 400" in capsys.readouterr().err
    assert (tmp_path / "out.html").exists()
