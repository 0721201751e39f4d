"""Where decisions about runs come from: a gateway, a topic."""

from __future__ import annotations

from typing import Protocol

from otel_loopwatch.control.decisions import RunDecision


class Listener(Protocol):
    """Who is told; for any thread."""

    def decided(self, decision: RunDecision) -> None:
        """A decision holds. To be told twice, or too late, does no harm: the highest version of a run counts."""

    def heard(self) -> None:
        """The source is there: it answered, or said that there is nothing new."""


class Follower(Protocol):
    """Follows one source, in a thread made for it."""

    def follow(self, listener: Listener) -> None:
        """Tell all decisions that hold, then each new one, and every few seconds that the source was heard.

        Returns or raises where contact is lost, and is then called again after a pause; it may go on where it was. In a
        forked child it is called anew: connections are opened here, never at set-up.
        """

    def stop(self) -> None:
        """Have :meth:`follow` return soon, and at once if it is called again. From any thread."""
