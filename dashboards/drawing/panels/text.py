"""Text in the little Markdown that dashboards use: headings, paragraphs, lists, emphasis, code, links."""

from __future__ import annotations

import re

from drawing.html import Html, element, html, joined
from drawing.panels.canvas import Canvas

INLINE = (
    (re.compile(r"\*\*(.+?)\*\*"), r"<b>\1</b>"),
    (re.compile(r"`(.+?)`"), r"<code>\1</code>"),
    (re.compile(r"\[(.+?)\]\(.+?\)"), r'<span class="link">\1</span>'),
)


def draw(canvas: Canvas) -> Html:
    """The panel's content."""
    blocks = re.split(r"\n\s*\n", str(canvas.panel.options.get("content", "")).strip())
    return element("div", joined([_block(block) for block in blocks]), class_="text")


def _block(text: str) -> Html:
    if heading := re.match(r"(#+)\s+(.*)", text):
        rest = text[heading.end() :].strip()
        title = element(f"h{len(heading[1])}", _inline(heading[2]))
        return joined([title, _block(rest)]) if rest else title
    if text.lstrip().startswith(("- ", "* ")):
        return element("ul", *(element("li", _inline(item)) for item in re.split(r"^\s*[-*] ", text, flags=re.M)[1:]))
    return element("p", _inline(text))


def _inline(text: str) -> Html:
    written: str = html(text)
    for pattern, replacement in INLINE:
        written = pattern.sub(replacement, written)
    return Html(written)
