"""Colours by the names that dashboards give them, light and dark, and those of the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

SHADES = ("super-light-{}", "light-{}", "{}", "semi-dark-{}", "dark-{}")
HUES = {
    "red": "#FFA6B0 #FF7383 #F2495C #E02F44 #C4162A #AD0317",
    "orange": "#FFCB7D #FFB357 #FF9830 #FF780A #FA6400 #E55400",
    "yellow": "#FFF899 #FFEE52 #FADE2A #F2CC0C #E0B400 #CC9D00",
    "green": "#C8F2C2 #96D98D #73BF69 #56A64B #37872D #19730E",
    "blue": "#C0D8FF #8AB8FF #5794F2 #3274D9 #1F60C4 #1250B0",
    "purple": "#DEB6F2 #CA95E5 #B877D9 #A352CC #8F3BB8 #7C2EA3",
}
"""Six shades each: the first five are those of the dark theme, the last five those of the light one."""
PALETTE = (
    *("green", "yellow", "blue", "orange", "red", "purple"),
    *("dark-green", "dark-yellow", "dark-blue", "dark-orange", "dark-red", "dark-purple"),
    *("super-light-green", "super-light-yellow", "super-light-blue"),
    *("super-light-orange", "super-light-red", "super-light-purple"),
)
"""In which order series are coloured."""


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of a page."""

    name: str
    canvas: str
    panel: str
    text: str
    faint: str
    border: str
    grid: str
    link: str
    named: Mapping[str, str]

    def colour(self, name: str) -> str:
        """A colour by its name; what is no name is a colour of CSS."""
        return self.named.get(name, name)

    def series(self, number: int) -> str:
        """The colour of a series by its place."""
        return self.named[PALETTE[number % len(PALETTE)]]


def _named(first: int, text: str, panel: str) -> dict[str, str]:
    named = {"text": text, "panel-bg": panel, "transparent": "rgba(0,0,0,0)"}
    for hue, shades in HUES.items():
        for shade, colour in zip(SHADES, shades.split()[first:], strict=False):
            named[shade.format(hue)] = colour
    return named


DARK = Theme(
    name="dark",
    canvas="#111217",
    panel="#181b1f",
    text="rgb(204,204,220)",
    faint="rgba(204,204,220,0.65)",
    border="rgba(204,204,220,0.12)",
    grid="rgba(240,250,255,0.09)",
    link="#6e9fff",
    named=_named(0, "rgb(204,204,220)", "#181b1f"),
)
LIGHT = Theme(
    name="light",
    canvas="#f4f5f5",
    panel="#ffffff",
    text="rgb(36,41,46)",
    faint="rgba(36,41,46,0.75)",
    border="rgba(36,41,46,0.12)",
    grid="rgba(0,10,23,0.09)",
    link="#1f62e0",
    named=_named(1, "rgb(36,41,46)", "#ffffff"),
)
THEMES = {theme.name: theme for theme in (LIGHT, DARK)}


def channels(colour: str) -> tuple[int, int, int]:
    """Red, green and blue of ``#rrggbb``."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def faded(colour: str, opacity: float) -> str:
    """A colour one can see through; what is not ``#rrggbb`` stays as it is."""
    if len(colour) != len("#rrggbb"):
        return colour
    return f"rgba({','.join(map(str, channels(colour)))},{opacity:g})"


def over(colour: str) -> str:
    """Black or white, whichever is read better on a colour: the rule of Grafana's stats and cells."""
    if len(colour) != len("#rrggbb"):
        return "inherit"
    red, green, blue = channels(colour)
    return "#202226" if (299 * red + 587 * green + 114 * blue) / 1000 > 150 else "#f7f8fa"
