"""What a panel is drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from drawing.colours import Theme
from drawing.frames import Frame
from drawing.layout import Box
from drawing.marks import Mark
from drawing.model import Panel
from drawing.window import Window

HEADER, PADDING = 32.0, 8.0
"""Pixels of a panel's head, and on each side of what is in it."""


@dataclass(frozen=True, slots=True)
class Canvas:
    """A panel, its data, and where and how it is drawn."""

    panel: Panel
    frames: Sequence[Frame]
    box: Box
    theme: Theme
    window: Window
    marks: Sequence[Mark] = ()

    @property
    def width(self) -> float:
        """Pixels for what is in the panel."""
        return self.box.width - 2 * PADDING

    @property
    def height(self) -> float:
        """Pixels for what is in the panel."""
        return self.box.height - PADDING - (HEADER if self.panel.title else PADDING)
