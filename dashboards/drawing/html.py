"""HTML in which every text that is not HTML already is escaped."""

from __future__ import annotations

from html import escape


class Html(str):
    """Text that is HTML."""

    __slots__ = ()


def html(text: str) -> Html:
    """The HTML of a text."""
    return text if isinstance(text, Html) else Html(escape(text))


def joined(parts: list[Html]) -> Html:
    """One after the other."""
    return Html("".join(parts))


def element(name: str, *children: str, **attributes: str) -> Html:
    """An element; ``class_`` stands for ``class``, and an attribute that is empty is left out."""
    named = ((key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items() if value)
    written = "".join(f' {key}="{escape(value)}"' for key, value in named)
    return Html(f"<{name}{written}>{''.join(map(html, children))}</{name}>")


def css(**properties: str | float) -> str:
    """An inline style; numbers are pixels."""
    written = (
        f"{name.replace('_', '-')}:{f'{value:.6g}px' if isinstance(value, (int, float)) else value}"
        for name, value in properties.items()
    )
    return ";".join(written)
