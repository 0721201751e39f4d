"""How each field looks: the panel's defaults, what its data source says, and what overrides make of both."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from drawing.colours import Theme
from drawing.frames import Field, Frame, Value
from drawing.mappings import mapped
from drawing.model import Json, Panel
from drawing.thresholds import Thresholds, thresholds_of
from drawing.units import formatted, moment

NO_DATA = "No data"


@dataclass(frozen=True, slots=True)
class Style:
    """The options of one field, by their ids in overrides: ``unit``, ``custom.fillOpacity``."""

    given: Json
    thresholds: Thresholds
    theme: Theme

    def get(self, name: str, default: Any = None) -> Any:
        """An option; None counts as not given."""
        value = self.given.get(name)
        return default if value is None else value

    @property
    def mode(self) -> str:
        """Where colours come from: ``fixed``, ``thresholds``, ``palette-classic``."""
        mode: str = self.get("color", {}).get("mode", "thresholds")
        return mode

    def text(self, value: Value) -> str:
        """A value as it is written."""
        found = mapped(value, self.get("mappings", ()))
        if found and found.text is not None:
            return found.text
        if isinstance(value, float):
            return formatted(value, self.get("unit", ""), self.get("decimals"))
        return str(self.get("noValue", "")) if value is None else value

    def colour(self, value: Value, number: int = 0) -> str:
        """The colour of a value of the series at a place."""
        found = mapped(value, self.get("mappings", ()))
        if found and found.colour:
            return self.theme.colour(found.colour)
        if self.mode == "fixed":
            return self.theme.colour(self.get("color", {}).get("fixedColor", "text"))
        if self.mode == "thresholds":
            figure = value if isinstance(value, float) else None
            return self.theme.colour(self.thresholds.colour(figure, self.get("min", 0.0), self.get("max", 100.0)))
        return self.theme.series(number)


def style_of(panel: Panel, field: Field, frame: Frame, theme: Theme) -> Style:
    """How a field of a frame looks."""
    given = {**_flat(panel.defaults), **field.config}
    for override in panel.overrides:
        if MATCHERS[override["matcher"]["id"]](field, frame, override["matcher"].get("options")):
            given |= {each["id"]: each.get("value") for each in override["properties"]}
    return Style(given, thresholds_of(given.get("thresholds")), theme)


def title_of(style: Style, field: Field) -> str:
    """What a field is called on the page."""
    wish = str(style.get("displayName", "")) or field.shown
    names = {f"__field.labels.{name}": value for name, value in field.labels.items()} | {"__field.name": field.name}
    return re.sub(r"\$\{([^}]*)\}", lambda found: names.get(found[1], ""), wish)


def time_text(value: Value) -> str:
    """A time as tables have it."""
    return moment(value) if isinstance(value, float) else ""


def _flat(defaults: Json) -> Json:
    plain = {name: value for name, value in defaults.items() if name != "custom"}
    return plain | {f"custom.{name}": value for name, value in defaults.get("custom", {}).items()}


def _by_names(field: Field, _frame: Frame, wish: Json) -> bool:
    named = any(field.called(name) for name in wish.get("names", ()))
    return named != (wish.get("mode") == "exclude")


MATCHERS: dict[str, Callable[[Field, Frame, Any], bool]] = {
    "byFrameRefID": lambda _, frame, ref: frame.ref == ref,
    "byName": lambda field, _, name: field.called(name),
    "byNames": _by_names,
    "byRegexp": lambda field, _, pattern: bool(re.search(str(pattern).strip("/"), field.shown)),
    "byType": lambda field, _, kind: field.kind.value == kind or (kind == "string" and field.kind.value == "text"),
}
