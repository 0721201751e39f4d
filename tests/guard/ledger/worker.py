"""A process of an agent: `python worker.py URL OWNER RUN EFFECTS [dies]`.

For each key on its standard input it claims the operation, runs its tool where that is granted (one line more in the
file EFFECTS), completes it, and says what the claim was told. With ``dies`` it kills itself at that point of the first
operation that it is granted: ``claimed`` (before the tool), ``ran`` (before it completes) or ``completed`` (before it
says so).
"""

from __future__ import annotations

import os
import signal
import sys

from guard.ledger.telling import claim

from otel_loopwatch.guard.ledger import ClaimOutcome, Ledger, open_ledger


def main(url: str, owner: str, run: str, effects: str, dies: str = "") -> None:
    """Work until the input ends."""

    def reached(point: str) -> None:
        if point == dies:
            os.kill(os.getpid(), signal.SIGKILL)

    def operate(ledger: Ledger, key: str) -> None:
        reached("claimed")
        with open(effects, "a", encoding="utf-8") as file:
            file.write(f"{key}\n")
        reached("ran")
        ledger.complete(key, owner, f'"{key} by {owner}"')
        reached("completed")

    ledger = open_ledger(url)
    say("ready")
    for key in map(str.strip, sys.stdin):
        outcome = ledger.claim(claim(key, owner=owner, run=run)).outcome
        if outcome is ClaimOutcome.GRANTED:
            operate(ledger, key)
        say(outcome.value)
    ledger.close()


def say(line: str) -> None:
    """Tell who started it."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
