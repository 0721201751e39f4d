"""The scripted stretch: the same whenever it is played, and no more than what a scrape finds."""

from __future__ import annotations

import json
import re
from pathlib import Path

from live import api
from live.hour import BATCH, CODING, SUPPORT, Stretch, played
from live.queries import SCRAPE_S

from otel_loopwatch.sources import otlp
from otel_loopwatch.telemetry import names

END_S = 1_780_000_000.0
HOURS = 0.2
TIMED = "loopwatch_control_hook_duration_seconds"
"""What is measured in real time."""


def lines(folder: Path) -> list[str]:
    """The samples of a short stretch, but for those that are measured."""
    folder.mkdir()
    with played(folder, END_S, HOURS) as stretch:
        return [line for line in stretch.samples.read_text().splitlines() if not line.startswith(TIMED)]


def test_a_stretch_is_the_same_whenever_it_is_played(tmp_path: Path) -> None:
    """To the last digit: what is drawn of it, and what is found in it, changes only with the code."""
    first = lines(tmp_path / "first")
    assert first == lines(tmp_path / "second")
    times = {line.rsplit(" ", 1)[1] for line in first[:-1]}
    assert len(times) == HOURS * 3600 / SCRAPE_S
    assert max(times) == f"{END_S:.0f}"
    assert first[-1] == "# EOF"


def test_what_is_read_is_what_a_scrape_finds(stretch: Stretch) -> None:
    """The exporter's page has the same samples, and no others."""
    for job in stretch.jobs:
        with job.endpoint() as address:
            status, page = api.fetched(f"http://{address}/metrics")
        assert status == 200
        found = re.findall(r"^(\w+)\{(.*)\} (\S+)$", page.decode(), re.MULTILINE)
        scraped = {(name, frozenset(labels.split(",")), float(value)) for name, labels, value in found}
        assert scraped == {(name, frozenset(labels.split(",")), value) for name, labels, value in job.samples()}


def test_one_job_loops_one_is_well_and_one_meets_limits(stretch: Stretch) -> None:
    """The healthy one is left alone, whatever it repeats."""

    def counted(job: str, name: str) -> dict[str, float]:
        return {labels: value for n, labels, value in stretch.job(job).samples() if n == name and value}

    assert counted(CODING, "loopwatch_loop_signals_total") == {}
    looping, limited = (counted(job, "loopwatch_run_ended_total") for job in (SUPPORT, BATCH))
    for status in ("clean", "looped", "recovered", "halted"):
        assert any(f'loopwatch_run_status="{status}"' in labels for labels in looping), status
    for end in ('limit="recursion_limit"', 'termination="budget_exhausted"', 'status="halted"'):
        assert any(end in labels for labels in limited), end


def test_the_spans_of_the_loops_are_written_as_otlp(stretch: Stretch) -> None:
    """Each with its loop and its job, as any reader of OTLP/JSON finds them."""
    spans = [span for line in stretch.traces.read_text().splitlines() for span in otlp.spans(json.loads(line))]
    expected = [span for job in stretch.jobs for span in job.loops.spans]
    assert [span and span.span_id for span in spans] == [span.get_span_context().span_id for span in expected]
    assert all(span is not None and span.attributes[names.LOOP_DETECTED] for span in spans)
    kinds = {span.attributes[names.LOOP_KIND] for span in spans if span is not None}
    assert kinds >= {"identical", "drift", "retry_storm", "ping_pong", "cycle", "budget"}
