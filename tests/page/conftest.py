"""One browser for all tests of the page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from drawing.chromium import EXECUTABLE, Page, chromium

WIDE = (1280, 800)


@pytest.fixture(scope="session")
def one_browser() -> Iterator[Page]:
    """A browser, or a reason to skip."""
    if EXECUTABLE is None:
        pytest.skip("no Chromium on the path (Debian: apt install chromium)")
    with chromium() as page:
        yield page


@pytest.fixture
def browser(one_browser: Page) -> Iterator[Page]:
    """The browser as it was started: wide, light, and without what an earlier test left in its tab."""
    one_browser.size(*WIDE)
    one_browser.scheme("light")
    yield one_browser
    one_browser.value("location.protocol === 'http:' && sessionStorage.clear()")
    one_browser.visit("about:blank")
