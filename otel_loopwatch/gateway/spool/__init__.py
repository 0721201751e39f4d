"""The spool: requests kept on disk, so that what was acknowledged outlives the process and the machine's power.

===========  =====================================================================================
``records``  a request as bytes with a checksum, and how records are found in what a crash left
``segment``  the requests of one file, and which of them are done
``reading``  files of a disk that may be failing
``ticks``    the file beside it in which done requests are ticked off
``writer``   the one segment that grows: many threads append, one sync serves them all
``lock``     one process per folder
``spool``    all of it together
===========  =====================================================================================

A folder holds ``NUMBER-MARK.requests``, the segments, and beside each ``NUMBER-MARK.done``. A segment goes as a whole,
when all of its requests are done. POSIX only.
"""

from otel_loopwatch.gateway.spool.spool import Spool

__all__ = ["Spool"]
