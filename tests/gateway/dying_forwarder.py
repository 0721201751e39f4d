"""A gateway's inside without its receivers: keeps requests and forwards them until it is killed.

``python dying_forwarder.py FOLDER URL SEED``: keeps and forwards for ever; a line per request that is kept: its body.
With ``drain`` for the seed it forwards what is left, and ends.
"""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path
from threading import Event

from otel_loopwatch.gateway.forward import Forwarder
from otel_loopwatch.gateway.forward.backoff import Backoff
from otel_loopwatch.gateway.forward.endpoint import Endpoint
from otel_loopwatch.gateway.forward.http import OtlpHttp
from otel_loopwatch.gateway.signal import Request, Signal
from otel_loopwatch.gateway.spool import Spool
from otel_loopwatch.gateway.store import StoreFull

MAX_BYTES = 2**20
QUICK = Backoff(first_s=0.001, longest_s=0.001, longest_asked_s=0.001)
DRAIN = "drain"


def work(spool: Spool, forwarder: Forwarder, seed: str) -> None:
    """Keep requests, for ever."""
    chance = random.Random(seed)
    while True:
        body = f"{seed} {chance.getrandbits(60)} ".ljust(chance.choice((40, 4_000)), ".").encode()
        try:
            position = spool.append(Request(Signal.TRACES, body))
        except StoreFull:
            Event().wait(0.01)
            continue
        os.write(sys.stdout.fileno(), body.strip(b". ") + b"\n")
        forwarder.offer(position)


def main(folder: str, url: str, seed: str) -> None:
    """A life."""
    spool = Spool(Path(folder), MAX_BYTES)
    forwarder = Forwarder(spool, OtlpHttp(Endpoint(url=url)), lambda body, marks: body, backoff=QUICK)
    for position in spool.pending():
        forwarder.offer(position)
    if seed != DRAIN:
        work(spool, forwarder, seed)
    while forwarder.lag.waiting:
        Event().wait(0.01)
    spool.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
