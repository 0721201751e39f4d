"""From spans to the calls and turns of runs."""

from otel_loopwatch.tracker.events import Reader, RunEnded, Tracked
from otel_loopwatch.tracker.replay import replay
from otel_loopwatch.tracker.tracker import Tracker

__all__ = ["Reader", "RunEnded", "Tracked", "Tracker", "replay"]
