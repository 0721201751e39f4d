"""The published schema: well-formed as Weaver's definition language, in step with the code, and kept by real spans."""

from __future__ import annotations

import ast
import re
from enum import Enum
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from live_agent import rig
from scripts import ROOT, script

import otel_loopwatch
from otel_loopwatch.control.delivery import Delivery
from otel_loopwatch.control.report import RunStatus, Termination
from otel_loopwatch.dialects import Limit
from otel_loopwatch.gateway.signal import Signal
from otel_loopwatch.model import Action, Evidence, Kind, Level, Outcome
from otel_loopwatch.telemetry import names

PACKAGE = Path(otel_loopwatch.__file__).parent
FILES = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in (PACKAGE / "schema").glob("*.yaml")}
ATTRIBUTES: dict[str, Any] = {one["key"]: one for one in FILES["attributes"]["attributes"]}
GROUPS: dict[str, Any] = {one["id"]: one for one in FILES["attributes"]["attribute_groups"]}
METRICS: list[dict[str, Any]] = [*FILES["gateway"]["metrics"], *FILES["metrics"]["metrics"]]
EVENTS: list[dict[str, Any]] = FILES["events"]["events"]

COMMON = {"brief", "stability"}
OPTIONAL = {"note", "annotations"}
SHAPES = {
    "attributes": ({"key", "type"} | COMMON, {"examples"}),
    "attribute_groups": ({"id", "visibility"} | COMMON, {"attributes"}),
    "metrics": ({"name", "instrument", "unit"} | COMMON, {"attributes"}),
    "events": ({"name"} | COMMON, {"attributes"}),
}
"""Keys that a definition must and may have (Weaver's schemas/semconv.schema.v2.json)."""

ENUMS: dict[str, type[Enum]] = {
    names.CALL_OUTCOME: Outcome,
    names.LOOP_KIND: Kind,
    names.LOOP_LEVEL: Level,
    names.LOOP_ACTION: Action,
    names.LOOP_EVIDENCE: Evidence,
    names.RUN_STATUS: RunStatus,
    names.RUN_LIMIT: Limit,
    names.RUN_STOP_REASON: Kind,
    names.RUN_TERMINATION: Termination,
    names.ACTION: Action,
    names.WEBHOOK_RESULT: Delivery,
    names.GATEWAY_SIGNAL: Signal,
}
PYTHON_TYPES = {"string": str, "int": int, "boolean": bool, "string[]": tuple}
DEFINITIONS = [
    pytest.param(kind, definition, id=str(definition.get("key") or definition.get("name") or definition.get("id")))
    for file in FILES.values()
    for kind in SHAPES
    for definition in file.get(kind, ())
]


def members(attribute: dict[str, Any]) -> list[dict[str, Any]]:
    """The words an attribute may say, where they are fixed."""
    return attribute["type"]["members"] if isinstance(attribute["type"], dict) else []


def briefs(enum: type[Enum]) -> dict[str, str]:
    """Value and docstring of each member of a Python enum."""
    module = ast.parse((PACKAGE / f"{enum.__module__.partition('.')[2].replace('.', '/')}.py").read_text("utf-8"))
    body = next(node.body for node in module.body if isinstance(node, ast.ClassDef) and node.name == enum.__name__)
    return {
        assigned.value.value: said.value.value
        for assigned, said in pairwise(body)
        if isinstance(assigned, ast.Assign) and isinstance(said, ast.Expr)
        if isinstance(assigned.value, ast.Constant) and isinstance(said.value, ast.Constant)
    }


def test_the_manifest_states_identity_version_and_stability() -> None:
    """The version at the end of the identifier is that of the package."""
    manifest = FILES["manifest"]
    version = re.search(r'^version = "(.*)"$', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    assert version
    assert manifest["file_format"] == "definition_manifest/2.0"
    assert manifest["schema_url"].endswith(f"/{version[1]}")
    assert manifest["stability"] == "development"
    assert all(re.fullmatch(r"https://[^/]+/.+/[^/]+", one["schema_url"]) for one in manifest["dependencies"])


@pytest.mark.parametrize("file", sorted(set(FILES) - {"manifest"}))
def test_files_say_which_language_they_are_in(file: str) -> None:
    """Version 2 of the definition language, and nothing but its sections."""
    assert FILES[file]["file_format"] == "definition/2"
    assert set(FILES[file]) - {"file_format"} <= set(SHAPES)


@pytest.mark.parametrize(("kind", "definition"), DEFINITIONS)
def test_definitions_have_the_keys_of_the_language(kind: str, definition: dict[str, Any]) -> None:
    """Every key that is required, none that is unknown, a brief that is a sentence."""
    required, optional = SHAPES[kind]
    assert required <= set(definition) <= required | optional | OPTIONAL
    assert definition["stability"] == "development"
    assert definition["brief"].endswith(".")


@pytest.mark.parametrize("attribute", ATTRIBUTES.values(), ids=ATTRIBUTES)
def test_attributes_have_types_members_and_examples(attribute: dict[str, Any]) -> None:
    """A type of the language; words with a brief each; examples wherever the type alone does not tell enough."""
    words = members(attribute)
    assert words or attribute["type"] in PYTHON_TYPES
    assert all(set(word) == {"id", "value", "brief", "stability"} for word in words)
    assert len({word["value"] for word in words}) == len(words)
    assert words or attribute["type"] == "boolean" or attribute["examples"]


def all_names() -> list[str]:
    """Names of attributes, metrics and events."""
    return [*ATTRIBUTES, *(metric["name"] for metric in METRICS), *(event["name"] for event in EVENTS)]


@pytest.mark.parametrize("name", all_names())
def test_names_follow_the_naming_rules(name: str) -> None:
    """Own prefix, lower case, snake_case between dots, and a name is no namespace of another of its sort."""
    assert re.fullmatch(r"loopwatch(\.[a-z][a-z0-9]*(_[a-z0-9]+)*)+", name)
    if name not in {event["name"] for event in EVENTS}:
        assert not any(other.startswith(f"{name}.") for other in all_names())


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_plural_is_for_arrays_and_for_counts(name: str) -> None:
    """``tools`` is an array, ``wasted_calls`` a number of calls, and nothing else ends in a plural."""
    plural = name.endswith("s") and not name.endswith(("ss", "status"))
    assert plural == (ATTRIBUTES[name]["type"] == "string[]" or name == names.RUN_WASTED_CALLS)


@pytest.mark.parametrize(
    "definition", [*GROUPS.values(), *METRICS, *EVENTS], ids=lambda one: one.get("id", one.get("name"))
)
def test_references_lead_to_definitions(definition: dict[str, Any]) -> None:
    """Own attributes are defined here; the few of others are named in the catalogue."""
    for reference in definition.get("attributes", ()):
        if "ref_group" in reference:
            assert reference["ref_group"] in GROUPS
        else:
            level = reference["requirement_level"]
            assert reference["ref"] in {*ATTRIBUTES, names.TOOL_NAME, names.ERROR_TYPE}
            assert level in ("required", "opt_in") or level["conditionally_required"].startswith("If ")


@pytest.mark.parametrize("metric", METRICS, ids=lambda one: one["name"])
def test_metrics_have_instruments_and_units(metric: dict[str, Any]) -> None:
    """Seconds are floating point, things counted are integers, and the unit names one of them."""
    value = metric["annotations"]["code_generation"]["metric_value_type"]
    assert metric["instrument"] in {"counter", "updowncounter", "histogram"}
    assert (metric["unit"], value) in {("s", "double"), ("By", "int")} or (
        re.fullmatch(r"\{[a-z]+\}", metric["unit"]) and value == "int"
    )


@pytest.mark.parametrize("attribute", ENUMS)
def test_words_are_those_of_the_code(attribute: str) -> None:
    """Members, their order and their briefs are those of the Python enum."""
    assert {one["value"]: one["brief"] for one in members(ATTRIBUTES[attribute])} == briefs(ENUMS[attribute])


def test_every_attribute_with_words_is_compared() -> None:
    """A new enum of the schema needs its Python enum named here; the reasons are compared by themselves."""
    assert {key for key, one in ATTRIBUTES.items() if members(one)} == {*ENUMS, names.REASON}


def test_reasons_are_those_of_the_code() -> None:
    """Evictions, and what the tracker counts as skipped."""
    source = "".join(path.read_text(encoding="utf-8") for path in sorted((PACKAGE / "tracker").glob("*.py")))
    skipped = set(re.findall(r'_skipped\["(\w+)"\]', source))
    assert skipped == set(names.SKIPS)
    assert {one["value"] for one in members(ATTRIBUTES[names.REASON])} == skipped | set(names.EVICTIONS)


def test_every_name_in_the_code_is_in_the_schema() -> None:
    """No string of the package names an attribute, a metric or an event that is not published."""
    known = {*all_names(), *(f"{name.rpartition('.')[0]}." for name in all_names())}
    literals = {
        node.value
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if re.fullmatch(r"loopwatch\.[a-z_.]+", node.value)
    }
    assert literals <= known


def test_no_two_names_make_the_same_constant() -> None:
    """One would hide the other in the names module."""
    constants = list(map(script("docs/generate_names.py").constant, [*ATTRIBUTES, *(one["name"] for one in METRICS)]))
    assert len(set(constants)) == len(constants)


def test_the_names_module_is_in_step() -> None:
    """It is what the generator makes of the schema."""
    assert script("docs/generate_names.py").main(["--check"]) == 0


def test_a_module_out_of_step_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The check fails and says what to do."""
    generator = script("docs/generate_names.py")
    monkeypatch.setattr(generator, "definitions", lambda kind: [])
    assert generator.main(["--check"]) == 1
    assert "make generate" in capsys.readouterr().err


def problems(attributes: dict[str, Any], group: str) -> list[str]:
    """How what was written departs from the schema, as far as a span can tell."""
    own = {key: value for key, value in attributes.items() if key.startswith("loopwatch.")}
    found = [f"{key} is unknown" for key in own if key not in ATTRIBUTES]
    for key, value in own.items():
        if words := [one["value"] for one in members(ATTRIBUTES[key])]:
            found += [f"{key} says {value}"] if value not in words else []
        elif not isinstance(value, PYTHON_TYPES[ATTRIBUTES[key]["type"]]):
            found.append(f"{key} is a {type(value).__name__}")
    required = [one["ref"] for one in GROUPS[group]["attributes"] if one["requirement_level"] == "required"]
    return found + [f"{key} is missing" for key in required if key not in own]


def test_real_spans_keep_the_schema() -> None:
    """What a looping and then halted agent's spans and events carry is known, typed and complete."""
    bench = rig(control_hook="halt")
    with bench.agent():
        for _ in range(9):
            bench.call()
    agent, calls = bench.spans("invoke_agent")[0], bench.spans("execute_tool")
    looping = [span for span in calls if names.LOOP_DETECTED in (span.attributes or {})]
    events = [event for span in bench.spans() for event in span.events]
    assert [problems(dict(span.attributes or {}), "attributes.loopwatch.call") for span in calls] == [[]] * 9
    assert [problems(dict(span.attributes or {}), "attributes.loopwatch.loop") for span in looping] == [[], []]
    assert [problems(dict(event.attributes or {}), "attributes.loopwatch.loop") for event in events] == [[]] * 4
    assert {event.name for event in events} == {names.LOOP_EVENT}
    assert names.LOOP_EVENT in {event["name"] for event in EVENTS}
    assert problems(dict(agent.attributes or {}), "attributes.loopwatch.run") == []
    assert problems({"loopwatch.loop.level": "severe"}, "attributes.loopwatch.declared") == [
        "loopwatch.loop.level says severe"
    ]
