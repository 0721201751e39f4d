"""Questions to the HTTP API of Prometheus, which VictoriaMetrics answers as well."""

from __future__ import annotations

import json
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlencode, urlsplit

ANSWER_S = 30.0
"""Longest wait for an answer."""


class Refused(Exception):
    """The server did not answer a question; the message is its own."""


def instant(url: str, expr: str, at_s: float | None = None) -> list[dict[str, Any]]:
    """The series of an expression at a moment (seconds since the epoch; without one, now): ``metric``, ``value``."""
    answer = asked(url, "/api/v1/query", query=expr, **({} if at_s is None else {"time": at_s}))
    return list(answer["result"])


def over(url: str, expr: str, start_s: float, end_s: float, step_s: float) -> list[dict[str, Any]]:
    """The series of an expression over a range of time: ``metric`` and ``values``, pairs of time and text."""
    answer = asked(url, "/api/v1/query_range", query=expr, start=start_s, end=end_s, step=step_s)
    return list(answer["result"])


def label_values(url: str, series: str, label: str, start_s: float, end_s: float) -> list[str]:
    """The values that a label of such series had in a range of time."""
    return list(asked(url, f"/api/v1/label/{label}/values", **{"match[]": series, "start": start_s, "end": end_s}))


def asked(url: str, path: str, **parameters: object) -> Any:
    """The data of an answer.

    :raises Refused: where the server says that it failed.
    """
    status, body = fetched(f"{url}{path}?{urlencode(parameters)}")
    if status != 200:
        raise Refused(f"{status} {body.decode(errors='replace').strip()}")
    return json.loads(body)["data"]


def fetched(url: str) -> tuple[int, bytes]:
    """Status and body of a page.

    :raises OSError: where nobody answers.
    """
    parts = urlsplit(url)
    connection = HTTPConnection(parts.netloc, timeout=ANSWER_S)
    try:
        connection.request("GET", f"{parts.path}?{parts.query}")
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()
