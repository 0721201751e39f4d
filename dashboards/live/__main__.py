"""A Prometheus to look at: it holds the scripted stretch up to now, and what goes on from there until interrupted.

usage: python -m live
"""

from __future__ import annotations

import logging
import time
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from live import RULES
from live.hour import played
from live.servers import Target, backfilled, prometheus


def main() -> None:
    """Play, start, say where, and go on."""
    logging.disable()  # what the jobs have to say is of no use here
    with TemporaryDirectory(prefix="live-") as name, ExitStack() as stack:
        folder = Path(name)
        print("playing six hours, which takes a minute", flush=True)
        stretch = stack.enter_context(played(folder, time.time()))
        backfilled(folder / "data", stretch, RULES)
        targets = [Target(job, stack.enter_context(job.endpoint())) for job in stretch.jobs]
        print(stack.enter_context(prometheus(folder / "data", RULES, targets)), flush=True)
        while True:
            stretch.go_on(time.time())
            time.sleep(1)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        print()
