"""The page: markup, style, scripts and data in one file that asks nobody for anything.

The policy of the page names its own style and script by their digests (CSP level 3) and allows nothing else: what a
tool is called or answers cannot run, load or send anything, even if it got past the escapes.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from otel_loopwatch import look

SCRIPTS = ("runs.js", "text.js", "draw.js", "details.js", "list.js", "filters.js", "keys.js", "main.js")
"""In the order in which they need each other, after those that are shared; together they are one module."""
ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}
"""As JSON escapes: HTML then sees neither the end of the data nor a comment in it."""


def page(data: Mapping[str, Any]) -> str:
    """The whole document, in ASCII but for our own words."""
    style = look.shared("look.css") + _asset("style.css")
    script = look.bundle([*map(look.shared, look.SCRIPTS), *map(_asset, SCRIPTS)])
    parts = {"policy": _policy(style, script), "style": style, "script": script, "data": embedded(data)}
    pieces = _asset("page.html").split("{{")
    filled = [pieces[0]]
    for piece in pieces[1:]:
        name, _, rest = piece.partition("}}")
        filled += parts[name], rest
    return "".join(filled)


def embedded(data: Mapping[str, Any]) -> str:
    """JSON that can stand in a script element: no character of it means anything to HTML."""
    text = json.dumps(data, separators=(",", ":"))
    for character, escape in ESCAPES.items():
        text = text.replace(character, escape)
    return text


def _asset(name: str) -> str:
    return look.asset(__package__, name)


def _policy(style: str, script: str) -> str:
    allowed = {
        "default-src": "'none'",
        "style-src": _digest(style),
        "script-src": _digest(script),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }
    return "; ".join(f"{directive} {source}" for directive, source in allowed.items())


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
