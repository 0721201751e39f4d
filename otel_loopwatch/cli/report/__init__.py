"""Runs as one HTML page: `record` takes in what was judged, `page` writes it."""

from __future__ import annotations

from otel_loopwatch.cli.report.page import page
from otel_loopwatch.cli.report.record import Report

__all__ = ["Report", "page"]
