"""A call that an agent wants to make, before it is decided about."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from otel_loopwatch.guard.classify import Came
from otel_loopwatch.guard.kinds import ResultKind
from otel_loopwatch.guard.tools import Tool


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A call that the agent wants to make."""

    tool: Tool
    arguments: Mapping[str, Any]
    call_id: str
    request: Hashable
    """Equal for calls that are the same once more."""
    operation_key: str | None
    repeats: str | None
    authorisation: str | None

    def leaves_in_doubt(self, came: Came) -> bool:
        """Whether a side effect may have happened: whatever the failure, the ledger keeps it from being tried again."""
        clear = came.known or came.kind in (ResultKind.SUCCESS, ResultKind.PENDING)
        return self.operation_key is not None and not clear
