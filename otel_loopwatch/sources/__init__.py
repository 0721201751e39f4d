"""Where calls come from when they do not come live: trace files, session files and case files."""

from __future__ import annotations

from otel_loopwatch.sources.files import FORMATS, LAST_RESORT, CallsFile, SpansFile, read
from otel_loopwatch.sources.records import Broken, Records, UnreadableFile

__all__ = ["FORMATS", "LAST_RESORT", "Broken", "CallsFile", "Records", "SpansFile", "UnreadableFile", "read"]
