"""What a ledger of operations tells: an operation, its states, a claim, and the answer to it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from math import inf

MAX_TEXT = 512
"""Characters of a key, a tool, a run, an owner, an authorisation, and of who resolved an operation."""
DIGEST = re.compile(r"([a-z0-9]+:)?[0-9a-f]{16,128}")
"""A digest in hex, of 64 bits or more; the name of its algorithm may stand before it (``blake2b:``)."""


class LedgerUnavailable(Exception):
    """The ledger was not reached, or what it holds cannot be read: whether an operation happened is not known.

    Whoever was about to run a tool with a side effect must not run it. The message names the backend and the cause.
    """


class OperationState(str, Enum):
    """How far an operation has come."""

    CLAIMED = "claimed"
    """Somebody is at it: the tool may be running."""
    DONE = "done"
    """It happened; it never runs again under this key."""
    RELEASED = "released"
    """It is known not to have happened; it may be claimed again."""
    IN_DOUBT = "in_doubt"
    """It may have happened. It is never replayed; a human finds out, and resolves it."""


class ClaimOutcome(str, Enum):
    """The answer to a claim."""

    GRANTED = "granted"
    """The tool is to be run now. Of any number of concurrent claims of one key, one gets this answer."""
    DONE = "done"
    """It happened before; the operation holds the result, where it was stored."""
    BUSY = "busy"
    """Another claimant is at it, and its lease has not passed."""
    IN_DOUBT = "in_doubt"
    """Whether it happened is not known: it must not run before a human has resolved it."""
    MISMATCH = "mismatch"
    """The key was used before with another tool or other arguments, so it stands for something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The wish to run an operation now.

    :raises ValueError: for texts that are empty, longer than :data:`MAX_TEXT` or cannot be stored (NUL, lone
        surrogates), for ``arguments`` that are no digest, for a lease that is no time, and for a deliberate repeat
        without authorisation or under the key it repeats.
    """

    key: str
    """Stands for the operation wherever and whenever it is tried."""
    tool: str
    run: str
    """The run it is part of. A run lives in one process at a time."""
    owner: str
    """Token of the claimant, new for each process: a restarted or forked one is another owner."""
    arguments: str
    """Digest of the canonical arguments in hex, never the arguments themselves."""
    lease_s: float
    """How long the tool may take, in seconds; afterwards the operation is in doubt."""
    authorisation: str | None = None
    """Who allowed it."""
    repeats: str | None = None
    """Key of the operation that is deliberately done once more, under this new key and with an authorisation."""

    def __post_init__(self) -> None:
        for field in ("key", "tool", "run", "owner"):
            check_text(field, getattr(self, field))
        for field in ("authorisation", "repeats"):
            if getattr(self, field) is not None:
                check_text(field, getattr(self, field))
        if not DIGEST.fullmatch(self.arguments):
            raise ValueError(f"arguments is {self.arguments!r:.60}; it must be a digest of 16 to 128 hex digits")
        if not 0 < self.lease_s < inf:
            raise ValueError(f"lease_s is {self.lease_s!r}; it must be a number of seconds above 0")
        self._check_repeat()

    def _check_repeat(self) -> None:
        if self.repeats is not None and self.authorisation is None:
            raise ValueError(f"authorisation is None; it must say who allowed to repeat {self.repeats!r}")
        if self.repeats == self.key:
            raise ValueError(f"repeats is {self.repeats!r}; a deliberate repeat must have a key of its own")


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """An operation as it stands, or as it stood at one point of its history."""

    key: str
    number: int
    """Place in the history of its key, from 1 and without a gap."""
    tool: str
    state: OperationState
    run: str
    owner: str
    """Who claimed it last."""
    arguments: str
    """Digest of the canonical arguments in hex."""
    claimed_ns: int
    """When it was claimed last, ns since the epoch."""
    lease_until_ns: int
    settled_ns: int | None = None
    """When it came into the present state, ns since the epoch; None while it is claimed."""
    by: str | None = None
    """Who brought it into the present state: an owner or a human; None: its lease passed."""
    note: str | None = None
    """Why it is in this state, where that is worth telling."""
    result: str | None = None
    """The success as JSON text; None where it was not stored."""
    authorisation: str | None = None
    repeats: str | None = None


@dataclass(frozen=True, slots=True)
class Claimed:
    """The answer to a claim, and the operation as it stands after it."""

    outcome: ClaimOutcome
    operation: Operation


def check_text(field: str, text: str) -> None:
    """:raises ValueError: where ``text`` is nothing that every backend stores as it is and in bounds."""
    if not 0 < len(text) <= MAX_TEXT:
        raise ValueError(f"{field} is {text!r:.60}, of {len(text)} characters; it must have 1 to {MAX_TEXT}")
    if "\0" in text or re.search("[\ud800-\udfff]", text):
        raise ValueError(f"{field} is {text!r:.60}; it must hold neither NUL nor lone surrogates")
