"""Work whose instructions are counted: ``python -m cost.counted [NAME CALLS]``.

Without arguments, all of it, for a counter that follows forks: each piece runs in two children that start from the
same state, one with more calls than the other, and a line with its name, calls and process id is printed for each.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from random import Random

from otel_loopwatch.engine import Engine

from . import engine_calls, tracing
from .dialects import DIALECTS, Dialect
from .exchanges import CALLS_PER_RUN, WORKLOADS, Workload, distinct

FEW, MANY = CALLS_PER_RUN, 3 * CALLS_PER_RUN
"""Calls of the two runs whose difference counts."""

Work = Callable[[int], None]
"""So many calls or spans."""


def works() -> Iterator[tuple[str, Work]]:
    """The engine with every workload; the processor with every dialect, and with spans that are not its business."""
    for name, workload in WORKLOADS.items():
        yield f"engine, {name}", partial(_judge, workload)
    for name, dialect in DIALECTS.items():
        yield f"tool span, {name}, content present", partial(_trace, dialect, True)
        yield f"tool span, {name}, content absent", partial(_trace, dialect, False)
    yield "ordinary span", _ordinary


def _judge(workload: Workload, number: int) -> None:
    engine = Engine()
    for call in engine_calls.calls(workload, MANY, Random(9))[:number]:  # making them is part of both runs
        engine.observe(call)


def _trace(dialect: Dialect, content: bool, number: int) -> None:
    by_run = tracing.written(dialect, distinct, MANY, Random(9), content)
    tracing.agent_runs(tracing.watched(), dialect, by_run[: number // CALLS_PER_RUN])


def _ordinary(number: int) -> None:
    tracing.ordinary_spans(tracing.watched(), number)


def main(works: Mapping[str, Work]) -> None:
    """Each in two children."""
    for name, work in works.items():
        for number in (FEW, MANY):
            child = os.fork()
            if not child:
                work(number)
                os._exit(0)
            os.waitpid(child, 0)
            print(name, number, child, sep="\t", flush=True)


if __name__ == "__main__":
    known = dict(works())
    if len(sys.argv) > 1:
        known[sys.argv[1]](int(sys.argv[2]))
    else:
        main(known)
