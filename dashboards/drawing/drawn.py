"""A dashboard from beginning to end: what is chosen, asked and drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from drawing.colours import Theme
from drawing.data import Sources
from drawing.model import Dashboard
from drawing.page import Drawn, page
from drawing.spans import Span
from drawing.variables import Choices, by_name
from drawing.window import Window


def drawn(
    dashboard: Dashboard,
    prometheus: str,
    spans: Sequence[Span],
    window: Window,
    wishes: Mapping[str, str],
    theme: Theme,
) -> Drawn:
    """The page of a dashboard over a range of time; ``wishes`` are values of its variables.

    :raises ValueError: for a wish that the dashboard has no variable for.
    """
    variables = Choices(prometheus, window, wishes).chosen(dashboard.variables)
    sources = Sources(prometheus, spans, window, by_name(variables))
    return page(dashboard, variables, sources, theme)
