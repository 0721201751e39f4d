"""Runs as one HTML page: `record` takes in what was judged, `loops` joins signals, `page` puts the file together."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from otel_loopwatch.cli.bad_input import BadInput
from otel_loopwatch.cli.reading import Judged, Reading
from otel_loopwatch.cli.report.page import page
from otel_loopwatch.cli.report.record import Report
from otel_loopwatch.model import Level
from otel_loopwatch.settings import Options

__all__ = ["HtmlFile"]


class HtmlFile:
    """Writes the page of everything that was judged. Prints nothing: the signals are printed beside it."""

    def __init__(self, path: str, options: Options, *, content: bool) -> None:
        self._path = path
        self._report = Report(options, content=content)

    def take(self, judged: Judged) -> None:
        """One step of the reading."""
        self._report.add(judged)

    def end(self, reading: Reading, levels: Counter[Level]) -> None:
        """Write the file, or :class:`BadInput`."""
        try:
            Path(self._path).write_text(page(self._report.data()), encoding="utf-8")
        except OSError as error:
            raise BadInput(f"{self._path}: {error.strerror or error}") from None
