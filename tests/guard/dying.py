"""What a process of its own does that dies: a module that it can import, however pytest has named that of the tests."""

from __future__ import annotations

import os
from typing import Any

from guard.agent import guarded

from otel_loopwatch.guard import tool


def crash(path: str, key: str, arguments: dict[str, Any]) -> None:
    """Die in the middle of a payment."""

    def pay(**_: Any) -> object:
        os._exit(3)

    guarded(ledger=path).attempt(tool(name="pay", side_effect=True)(pay), arguments, operation_key=key)
