"""From spans to the calls and turns of runs.

============================  ==========================================================================
``tracker``                   the two events of a span, the tables of traces, what ends when
``plain``                     traces without an agent so far
``tree``, ``siblings``        one trace: who is whose parent, what is open beside it
``scope``, ``runs``           whose run a span's work is, and the run's key
``turns``                     which calls are siblings of one model response
``calls``, ``merge``          tool spans: several that tell one call, in one tree
``twins``                     one call told in two trees, by two instrumentations
``responses``                 model spans: turns
``message_calls``,            calls that exist only in the messages of model spans
``messages``,
``conversations``
``replay``                    finished spans as the starts and ends they once were
============================  ==========================================================================
"""

from otel_loopwatch.tracker.events import Reader, RunEnded, Tracked
from otel_loopwatch.tracker.replay import replay
from otel_loopwatch.tracker.tracker import Tracker

__all__ = ["Reader", "RunEnded", "Tracked", "Tracker", "replay"]
