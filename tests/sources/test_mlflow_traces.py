from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sources.reading import EPOCH, SECOND, Row, case, check

START = EPOCH * SECOND
ATTRIBUTES = {
    "mlflow.spanType": '"TOOL"',
    "mlflow.spanInputs": '{"city": "Oslo"}',
    "mlflow.spanOutputs": '"rain"',
}
ROOT = {"mlflow.spanType": '"AGENT"'}


def four(name: str, number: int, attributes: dict[str, str], **fields: Any) -> dict[str, Any]:
    """A span of version 4."""
    return {
        "trace_id": "tr-abc",
        "span_id": f"{number:016x}",
        "parent_span_id": f"{1:016x}" if number > 1 else None,
        "name": name,
        "start_time_unix_nano": START + number * SECOND,
        "end_time_unix_nano": START + number * SECOND + (50 * SECOND if number == 1 else 1),
        "status": {"code": "STATUS_CODE_OK", "message": ""},
        "attributes": attributes,
        **fields,
    }


def three(name: str, number: int, attributes: dict[str, str]) -> dict[str, Any]:
    """A span of version 3: its ids are base64."""
    parent = "AAAAAAAAAAE=" if number > 1 else ""
    ids = {
        "trace_id": "AAAAAAAAAAAAAAAAAAAKvA==",
        "span_id": f"AAAAAAAAAA{'EI'[number - 1]}=",
        "parent_span_id": parent,
    }
    return {**four(name, number, attributes), **ids}


def two(name: str, number: int, attributes: dict[str, str]) -> dict[str, Any]:
    """A span of version 2."""
    return {
        "name": name,
        "context": {"trace_id": "0xabc", "span_id": hex(number)},
        "parent_id": "0x1" if number > 1 else None,
        "start_time": START + number * SECOND,
        "end_time": START + number * SECOND + (50 * SECOND if number == 1 else 1),
        "status_code": "OK",
        "status_message": "",
        "attributes": attributes,
        "events": [],
    }


def trace(*spans: Any) -> dict[str, Any]:
    """A trace of any version."""
    return {"info": {"trace_id": "tr-abc", "state": "OK"}, "data": {"spans": list(spans)}}


CALL = {"tool": "weather", "arguments": '{"city": "Oslo"}', "result": "rain", "failed": False, "dialect": "mlflow"}

ROWS = [
    *(
        Row(f"version {make.__name__}", [trace(make("guide", 1, ROOT), make("weather", 2, ATTRIBUTES))], [CALL])
        for make in (four, three, two)
    ),
    Row("a search", [{"traces": [trace(four("weather", 2, ATTRIBUTES))], "next_page_token": None}], [CALL]),
    Row("data as text", [{"info": {}, "data": json.dumps({"spans": [four("weather", 2, ATTRIBUTES)]})}], [CALL]),
    Row(
        "a failure",
        [trace(four("weather", 2, ATTRIBUTES, status={"code": "STATUS_CODE_ERROR", "message": "no answer"}))],
        [{"failed": True, "error": "no answer"}],
    ),
    Row("no tool", [trace(four("guide", 1, ROOT))], []),
    Row("what is no span", [trace(None, {"name": "x"}, four("weather", 2, ATTRIBUTES))], [CALL], skipped=2),
    Row("what is no trace", [trace(four("weather", 2, ATTRIBUTES)), {"info": {}, "data": 5}], [CALL], skipped=1),
]


@pytest.mark.parametrize("row", ROWS, ids=case)
def test_mlflow_traces_are_read(tmp_path: Path, row: Row) -> None:
    """All three versions of spans; attributes are JSON texts."""
    check(tmp_path, row, "MLflow trace")
