"""A call in the shapes that packages take: arguments as an object, outcomes as text."""

from __future__ import annotations

import json
from typing import Any

from ..detector import Call


def arguments_of(call: Call) -> dict[str, Any]:
    """The arguments as keyword arguments; what is not an object becomes one with the key ``input``."""
    if call.arguments is None:
        return {}
    return call.arguments if isinstance(call.arguments, dict) else {"input": call.arguments}


def as_text(value: Any) -> str:
    """What a model would be shown of a JSON value; nothing for an unknown one."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def outcome_of(call: Call) -> str:
    """The error, or else the result, as text."""
    return as_text(call.result) if call.error is None else call.error


def canonical(value: Any) -> str:
    """JSON with sorted keys, equal for equal values."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def described(call: Call) -> str:
    """The call in one line: the tool's name and its arguments."""
    return f"{call.tool} {canonical(arguments_of(call))}"
