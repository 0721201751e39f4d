"""The alerts as they are committed."""

from __future__ import annotations

from typing import Any

import yaml
from scripts import ROOT

Json = dict[str, Any]
FOLDER = ROOT / "alerts"


def of_file(name: str) -> Json:
    """What a committed file holds."""
    content: Json = yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))
    return content


def rules(content: Json) -> list[Json]:
    """All rules of groups, in their order."""
    return [rule for group in content["groups"] for rule in group["rules"]]


def called(rule: Json) -> str:
    """An alert by name and, where several have it, by window."""
    return " ".join([rule["alert"], rule["labels"].get("long", "")]).strip()


RULES = rules(of_file("loopwatch.yaml"))
ALERTS = [rule for rule in RULES if "alert" in rule]
RECORDED = [rule for rule in RULES if "record" in rule]
