"""Future AGI (traceAI): OpenInference under another marker."""

from __future__ import annotations

from otel_loopwatch.dialects.openinference import OpenInference

KIND = "fi.span.kind"


class FutureAGI(OpenInference):
    """``fi.span.kind``."""

    name = "future-agi"
    kind_key = KIND
