"""Spans as lines of OTLP/JSON, as the collector's file exporter writes them."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Iterator, Sequence
from typing import Any

from google.protobuf.json_format import MessageToDict
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace import ReadableSpan

IDS = frozenset({"traceId", "spanId", "parentSpanId"})
"""Bytes that are hexadecimal in OTLP/JSON, where protobuf's JSON has base64."""


def lines(spans: Sequence[ReadableSpan]) -> Iterator[str]:
    """One line per span."""
    for span in spans:
        message = MessageToDict(encode_spans([span]), use_integers_for_enums=True)
        yield json.dumps(_with_hex_ids(message), sort_keys=True) + "\n"


def _with_hex_ids(value: Any) -> Any:
    if isinstance(value, list):
        return [_with_hex_ids(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: b64decode(item).hex() if key in IDS else _with_hex_ids(item) for key, item in value.items()}
