"""Cells and tables of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def number(value: float | None, form: str = "{:g}") -> str:
    """A number; nothing where there is none."""
    return "" if value is None else form.format(value)


def share(known: Mapping[str, Any]) -> str:
    """Runs hit, with the interval of their share in per cent."""
    if not known["runs"]:
        return ""
    low, high = (100 * bound for bound in known["interval"])
    return f"{known['hit']}/{known['runs']} ({low:.1f}-{high:.1f} %)"


def label(name: str, figures: Mapping[str, Any]) -> str:
    """A detector with its version; a plain rule has none."""
    return f"{name} {figures['version']}".strip()
