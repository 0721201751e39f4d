"""Arguments and results as text, for those who asked to see them."""

from __future__ import annotations

import json

from otel_loopwatch.model import ToolCall


def contents(call: ToolCall, limit: int, indent: int | None = 1) -> tuple[str | None, str | None]:
    """Arguments and result (or error), each cut at so many characters; ``None`` for what was not captured."""
    result = call.result if call.result is not None else call.error
    return _shown(call.arguments, limit, indent), _shown(result, limit, indent)


def _shown(value: object, limit: int, indent: int | None) -> str | None:
    if value is None:
        return None
    text = value if isinstance(value, str) else _text(value, indent)
    return text if len(text) <= limit else f"{text[:limit]} … ({len(text) - limit} characters more)"


def _text(value: object, indent: int | None) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, indent=indent, default=repr)
    except (TypeError, ValueError, RecursionError):
        return repr(value)
