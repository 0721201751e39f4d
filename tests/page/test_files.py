"""The page's files, as they are served."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from page.gateways import gateway

from otel_loopwatch import look
from otel_loopwatch.gateway import page
from otel_loopwatch.gateway.page.files import OWN

PATHS = list(page.FILES)
FOLDER = Path(page.__file__).parent
TEXTS = {name: (FOLDER / name).read_text() for name in (*OWN, "index.html")} | {
    name: look.shared(name) for name in look.NAMES
}


def test_every_file_is_served() -> None:
    """None that lies there was forgotten."""
    there = {
        path.name for folder in (FOLDER, Path(look.__file__).parent) for path in folder.iterdir() if path.is_file()
    }
    assert {name for name in there if not name.endswith(".py")} == set(TEXTS)
    assert [route.path for route in page.routes()] == PATHS
    assert set(page.FILES.values()) == set(TEXTS)


def test_every_import_is_of_a_file_that_is_served_and_exports_it() -> None:
    """A module that is missing would stop the whole page."""
    for text in TEXTS.values():
        for names, module in re.findall(r'^import \{ (.*) \} from "\./(.*)";$', text, re.MULTILINE):
            exported = re.findall(
                r"^export (?:async )?(?:function\*?|const|class|let) (\w+)", TEXTS[module], re.MULTILINE
            )
            assert set(names.split(", ")) <= set(exported), module


def test_every_import_is_used() -> None:
    """Nothing is taken for nothing."""
    for name, text in TEXTS.items():
        for names in re.findall(r"^import \{ (.*) \} from", text, re.MULTILINE):
            for each in names.split(", "):
                assert len(re.findall(rf"\b{each}\b", text)) > 1, (name, each)


def test_no_file_makes_html_of_values_or_names_another_host() -> None:
    """Values become text nodes and attributes, never markup."""
    for name, text in TEXTS.items():
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", text), (
            name
        )
        assert not re.search(r"https?://|url\(", text), name


@pytest.mark.parametrize("path", PATHS)
def test_every_file_has_the_policy_and_its_type(path: str, tmp_path: Path) -> None:
    """Also where nobody is to look: a script opened on its own has no more rights."""
    with gateway(tmp_path) as served, urlopen(served.address + path[1:]) as answer:
        headers = answer.headers
    assert headers["Content-Security-Policy"] == page.POLICY
    assert (headers["X-Content-Type-Options"], headers["Referrer-Policy"]) == ("nosniff", "no-referrer")
    ending = Path(path).suffix or ".html"
    kind = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}[ending]
    assert headers["Content-Type"] == f"{kind}; charset=utf-8"


@pytest.mark.parametrize("directive", [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self' data:",
    "base-uri 'none'", "frame-ancestors 'none'", "form-action 'none'",
])  # fmt: skip
def test_the_policy_allows_the_page_alone(directive: str) -> None:
    """Nothing inline, nothing from elsewhere, no frame."""
    assert directive in page.POLICY.split("; ")
    assert "unsafe" not in page.POLICY


def test_a_file_that_is_known_is_not_sent_again(tmp_path: Path) -> None:
    """But asked for each time, so that a new version shows at once."""
    with gateway(tmp_path) as served:
        with urlopen(served.address) as answer:
            tag, caching = answer.headers["ETag"], answer.headers["Cache-Control"]
        with pytest.raises(HTTPError) as unchanged:
            urlopen(Request(served.address, headers={"If-None-Match": tag}))
    assert (caching, unchanged.value.code) == ("no-cache", 304)
    unchanged.value.close()


def test_the_page_is_for_everybody_and_runs_are_not(tmp_path: Path) -> None:
    """A browser that opens an address has no token to show; the page asks for one."""
    with gateway(tmp_path, token="a-token-for-the-tests", closed=True) as served:
        for path in PATHS:
            urlopen(served.address + path[1:]).close()
        with pytest.raises(HTTPError) as refused:
            urlopen(f"{served.address}v1/runs")
    assert refused.value.code == 401
    refused.value.close()


def test_what_is_no_file_of_the_page_is_not_found(tmp_path: Path) -> None:
    """Nor is what lies beside them."""
    with gateway(tmp_path) as served, pytest.raises(HTTPError) as missing:
        urlopen(f"{served.address}page/files.py")
    assert missing.value.code == 404
    missing.value.close()
