"""A picture of a page, by a headless Chromium."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

from drawing.chromium import Page, chromium
from drawing.layout import PAGE

FIRST_HEIGHT = 1000
COLOURS = 256
"""In a picture: as many as one byte holds, which makes the file a third as large."""


def photographed(html: str, out: Path) -> None:
    """Write the whole page as a PNG."""
    with TemporaryDirectory(prefix="drawing-") as name, chromium() as browser:
        file = Path(name) / "page.html"
        file.write_text(html, encoding="utf-8")
        opened(browser, file)
        browser.picture(out)
    with Image.open(out) as picture:
        picture.convert("RGB").quantize(COLOURS, kmeans=1, dither=Image.Dither.NONE).save(out, optimize=True)


def opened(browser: Page, file: Path) -> None:
    """Show a page in a window as large as it is, until all its charts are drawn."""
    browser.size(PAGE, FIRST_HEIGHT)
    browser.open(file)
    browser.value("drawn.then(() => true)")
    browser.size(PAGE, int(browser.value("Math.ceil(document.documentElement.getBoundingClientRect().height)")))
    browser.frame()
