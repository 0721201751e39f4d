"""The heads of rows."""

from __future__ import annotations

from drawing.html import Html, element
from drawing.panels.canvas import Canvas


def draw(canvas: Canvas) -> Html:
    """Open or folded, and the title."""
    return element("div", "›" if canvas.panel.collapsed else "⌄", element("b", canvas.panel.title), class_="row")
