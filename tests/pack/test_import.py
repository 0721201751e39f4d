"""Grafana's own models take the dashboards in without losing or changing a thing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scripts import ROOT

pytest.importorskip("grafana_foundation_sdk", reason="grafana-foundation-sdk is not installed")

from grafana_foundation_sdk.cog import plugins
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import Dashboard

plugins.register_default_plugins()
# Fields that belong to the Prometheus plugin, which the schema of dashboards leaves to it.
OF_PLUGIN = re.compile(
    r"/annotations/list\[\d+\]/(step|tagKeys|textFormat|titleFormat|useValueForTime) is lost"
    r"|/templating/list\[\d+\]/definition is lost"
)
FILES = sorted((ROOT / "dashboards").rglob("loopwatch-*.json"))


def losses(ours: Any, theirs: Any, path: str = "") -> Iterator[str]:
    """Places where theirs lacks or changes what ours has; what they add are defaults."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        yield from (f"{path}/{key} is lost" for key in ours.keys() - theirs.keys())
        for key in ours.keys() & theirs.keys():
            yield from losses(ours[key], theirs[key], f"{path}/{key}")
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for index, pair in enumerate(zip(ours, theirs, strict=True)):
            yield from losses(*pair, f"{path}[{index}]")
    elif ours != theirs:
        yield f"{path} is {theirs!r}, not {ours!r}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_the_models_of_grafana_lose_nothing(file: Path) -> None:
    """Read into the typed models of a Grafana version and written again, a dashboard is what it was, and defaults."""
    text = file.read_text(encoding="utf-8")
    model = Dashboard.from_json(json.loads(text))
    lost = losses(json.loads(text), json.loads(JSONEncoder().encode(model)))
    assert [loss for loss in lost if not OF_PLUGIN.fullmatch(loss)] == []
