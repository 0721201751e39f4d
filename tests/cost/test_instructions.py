"""Counts as the counters write them, and what a call costs by them."""

from __future__ import annotations

import pytest
from cost.counted import FEW, MANY
from cost.instructions import NotCounted, children, of_perf, of_valgrind, per_call

PERF = """\
a warning of the program itself
1305929676,,instructions:u,430112233,100.00,2.31,insn per cycle
"""
PERF_WITHOUT_COUNTERS = "<not supported>,,instructions:u,0,100.00,,\n"
CACHEGRIND = """\
==18441== Cachegrind, a cache and branch-prediction profiler
==18441== Command: python -m cost.counted
==18441==
--18441-- warning: L3 cache found, using its data for the LL simulation.
==18441==
==18441== I   refs:      1,321,153,550
"""
CALLGRIND = """\
==18114== Events    : Ir
==18114== Collected : 1305929676
==18114==
==18114== I   refs:      1,305,929,676
"""


def test_the_count_is_found_in_what_a_counter_says() -> None:
    """Among whatever else it says."""
    assert of_perf(PERF) == 1_305_929_676
    assert of_valgrind(CACHEGRIND) == 1_321_153_550
    assert of_valgrind(CALLGRIND) == 1_305_929_676


def test_a_counter_that_did_not_count_is_quoted() -> None:
    """As perf says it on a machine whose counters are hidden, and valgrind when it stops."""
    with pytest.raises(NotCounted, match="not supported"):
        of_perf(PERF_WITHOUT_COUNTERS)
    with pytest.raises(NotCounted, match="unhandled instruction"):
        of_valgrind("==7== unhandled instruction bytes\n")


def test_the_start_up_cancels_out() -> None:
    """A call costs what more calls cost more."""
    counts = {("a", FEW): 1_000 + 7 * FEW, ("a", MANY): 1_000 + 7 * MANY, ("b", FEW): 5, ("b", MANY): 5}
    assert per_call(counts) == {"a": 7.0, "b": 0.0}


def test_children_are_known_by_work_and_calls() -> None:
    """A line each."""
    assert dict(children("engine, looping\t100\t18\nordinary span\t300\t19\n")) == {
        ("engine, looping", 100): 18,
        ("ordinary span", 300): 19,
    }
