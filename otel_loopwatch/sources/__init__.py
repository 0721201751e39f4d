"""Where calls come from when they do not come live: trace files and case files."""

from __future__ import annotations

from otel_loopwatch.sources.files import CasesFile, SpansFile, read
from otel_loopwatch.sources.records import Broken, Records, UnreadableFile

__all__ = ["Broken", "CasesFile", "Records", "SpansFile", "UnreadableFile", "read"]
