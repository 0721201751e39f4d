"""A Prometheus to look at: it holds the scripted stretch up to now, and what goes on from there until interrupted.

usage: python -m live [HOURS]
"""

from __future__ import annotations

import logging
import signal
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from live import RULES
from live.hour import HOURS, played
from live.servers import Target, backfilled, prometheus

EVERY_S = 1.0
"""Between two looks at what happens next."""


def main(hours: float) -> None:
    """Play, start, say where, and go on."""
    for interruption in (signal.SIGINT, signal.SIGTERM):  # a shell's background jobs are started deaf to the first
        signal.signal(interruption, signal.default_int_handler)
    logging.disable()  # what the jobs have to say is of no use here
    with TemporaryDirectory(prefix="live-") as name, ExitStack() as stack:
        folder = Path(name)
        print(f"playing {hours:g} hours", flush=True)
        stretch = stack.enter_context(played(folder, time.time(), hours))
        backfilled(folder / "data", stretch, RULES)
        targets = [Target(job, stack.enter_context(job.endpoint())) for job in stretch.jobs]
        print(stack.enter_context(prometheus(folder / "data", RULES, targets)), flush=True)
        while True:
            stretch.go_on(time.time())
            time.sleep(EVERY_S)


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main(float(sys.argv[1]) if len(sys.argv) > 1 else HOURS)
