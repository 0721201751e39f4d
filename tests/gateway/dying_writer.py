"""A process that keeps requests until it is killed: what it was told, it tells.

``python dying_writer.py FOLDER SEED``; a line per fact: ``kept POSITION SEED SIZE``, ``ending POSITION`` before a
request is done and ``ended POSITION`` after it.
"""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path
from threading import Thread

from otel_loopwatch.gateway.signal import Request, Signal
from otel_loopwatch.gateway.spool import Spool
from otel_loopwatch.gateway.store import StoreFull

THREADS = 4
MAX_BYTES = 2**20


def body(seed: int, size: int) -> bytes:
    """What the parent can tell from its line."""
    return random.Random(seed).randbytes(size)


def tell(*facts: object) -> None:
    """In one piece, and out of this process."""
    os.write(sys.stdout.fileno(), (" ".join(map(str, facts)) + "\n").encode())


def work(spool: Spool, chance: random.Random, mine: list[int]) -> None:
    """Keep and end, for ever; at the beginning what an earlier process left."""
    while True:
        seed, size = chance.getrandbits(60), chance.choice((0, 50, 5_000, 60_000))
        try:
            position = spool.append(Request(Signal.LOGS, body(seed, size)))
        except StoreFull:
            end(spool, mine, len(mine))
            continue
        tell("kept", position, seed, size)
        mine.append(position)
        chance.shuffle(mine)
        end(spool, mine, chance.choice((0, 0, 1, 2)))


def end(spool: Spool, mine: list[int], number: int) -> None:
    """Some are done."""
    for position in mine[:number]:
        tell("ending", position)
        spool.done(position)
        tell("ended", position)
    del mine[:number]


if __name__ == "__main__":
    spool = Spool(Path(sys.argv[1]), MAX_BYTES)
    left = spool.pending()
    for number in range(THREADS):
        chance = random.Random(f"{sys.argv[2]} {number}")
        Thread(target=work, args=(spool, chance, list(left[number::THREADS]))).start()
