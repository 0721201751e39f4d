"""How the Collector's loadbalancing exporter finds the backend of a trace: a ring of hashes (Karger et al., 1997).

Each backend has 100 points on a ring of 36,000 positions, at the CRC-32 of its name and the point's number; a trace
goes to the first point at or after the CRC-32 of its id (opentelemetry-collector-contrib,
exporter/loadbalancingexporter/consistent_hashing.go).
"""

from bisect import bisect_left
from collections.abc import Sequence
from zlib import crc32

POSITIONS = 36_000
POINTS = 100


class Ring:
    """The backends of now."""

    def __init__(self, backends: Sequence[str]) -> None:
        points: dict[int, str] = {}
        for backend in backends:
            for number in range(POINTS):
                points.setdefault(crc32(backend.encode() + bytes([number])) % POSITIONS, backend)
        self._points = sorted(points.items())

    def backend(self, trace_id: int) -> str:
        """Where a trace goes."""
        place = bisect_left(self._points, (crc32(trace_id.to_bytes(16, "big")) % POSITIONS, ""))
        return self._points[place % len(self._points)][1]
