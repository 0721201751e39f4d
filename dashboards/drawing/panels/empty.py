"""A panel that has nothing to show."""

from __future__ import annotations

from drawing.html import Html, element
from drawing.panels.canvas import Canvas
from drawing.styles import NO_DATA


def empty(canvas: Canvas) -> Html:
    """What the panel wants to be said then."""
    return element("p", str(canvas.panel.defaults.get("noValue") or NO_DATA), class_="empty")
