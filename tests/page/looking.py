"""What a person sees and does on the page."""

from __future__ import annotations

import json
from typing import Any

from drawing.chromium import Page
from page.gateways import Gateway, eventually

DETAILS = "document.getElementById('details').innerText"


def visit(browser: Page, served: Gateway, view: str = "") -> None:
    """Open the page and wait until it is in touch; ``view`` is the URL's hash."""
    browser.visit("about:blank")
    browser.visit(served.address + view)
    assert eventually(lambda: state(browser) == "live"), browser.complaints


def state(browser: Page) -> Any:
    """Of the connection."""
    return browser.value("document.getElementById('connection').dataset.state")


def rows(browser: Page) -> list[str]:
    """The rows of the list in their order, each in one line."""
    texts: list[str] = browser.value(
        "[...document.querySelectorAll('.run')].sort((a, b) => a.ariaPosInSet - b.ariaPosInSet)"
        ".map(row => row.innerText.replaceAll('\\n', ' '))"
    )
    return texts


def sees(browser: Page, *texts: str, within: str = "body") -> bool:
    """Whether all of it comes to be seen."""
    seen = f"document.querySelector({json.dumps(within)})?.innerText ?? ''"
    return eventually(lambda: all(text in browser.value(seen) for text in texts))


def fill(browser: Page, selector: str, text: str) -> None:
    """Put the keyboard into a field and type."""
    browser.value(f"document.querySelector({json.dumps(selector)}).select()")
    browser.type(text)


def focused(browser: Page) -> Any:
    """What has the keyboard: its id, else its class."""
    return browser.value("document.activeElement.id || document.activeElement.className")


def own(browser: Page, address: str) -> bool:
    """Nothing was complained of, and nobody asked but the gateway."""
    strangers = [asked for asked in browser.requests if not asked.startswith((address, "data:"))]
    return (browser.complaints, strangers) == ([], [])
