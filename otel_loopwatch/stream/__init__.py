"""Finished spans as they arrive from other processes: in any order, children before parents, some of them twice.

==============  =============================================================================
``arrivals``    each span once, held back for a moment so that those told together are sorted
``watch``       spans in, judged steps out: the tracker and the engine of the live processor
``seen``        one judged step
``marks``       what is to be written onto a span that already left its process
``state``       all that is known of a trace as bytes, and back
==============  =============================================================================

The gateway and the workers of a fleet are built on it; neither knows how runs and loops are found.
"""

from otel_loopwatch.stream.arrivals import Arrivals, Portion
from otel_loopwatch.stream.marks import Mark, MarkedSpan
from otel_loopwatch.stream.seen import Seen
from otel_loopwatch.stream.watch import StreamWatch

__all__ = ["Arrivals", "Mark", "MarkedSpan", "Portion", "Seen", "StreamWatch"]
