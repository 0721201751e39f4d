"""The ledger of operations with side effects: claimed before they run, settled afterwards, so that none runs twice."""

from otel_loopwatch.guard.ledger.base import (
    Claim,
    Claimed,
    ClaimOutcome,
    LedgerUnavailable,
    Operation,
    OperationState,
)
from otel_loopwatch.guard.ledger.journal import Journal
from otel_loopwatch.guard.ledger.ledger import Ledger
from otel_loopwatch.guard.ledger.opening import open_ledger

__all__ = [
    "Claim",
    "ClaimOutcome",
    "Claimed",
    "Journal",
    "Ledger",
    "LedgerUnavailable",
    "Operation",
    "OperationState",
    "open_ledger",
]
