"""Where settings come from, what they may be, and how an error says what is wrong."""

from __future__ import annotations

import dataclasses
import logging
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_loopwatch.config import PARAMETERS, Parameter, describe, load
from otel_loopwatch.model import Kind
from otel_loopwatch.settings import THRESHOLDS, Budget, Control, Enforcement, Options, Settings, Threshold, ToolPolicy
from otel_loopwatch.variables import OF_COMMANDS

NOTHING: dict[str, str] = {}
POLICY = ToolPolicy(polling=True, volatile_keys=frozenset({"id", "at"}))


def write(tmp_path: Path, text: str) -> str:
    """A configuration file with this text."""
    path = tmp_path / "loopwatch.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_nothing_set_gives_the_defaults() -> None:
    """Without arguments, variables or a file the options are those of an empty constructor."""
    assert load(env=NOTHING) == Options()


def test_every_setting_is_in_the_table_and_nothing_else() -> None:
    """No option of the engine or the processor is out of reach, and no parameter is without effect."""
    fields = {f.name for kind in (Settings, Options) for f in dataclasses.fields(kind)} - {"settings"}
    assert {p.name for p in PARAMETERS} == fields


@pytest.mark.parametrize("parameter", PARAMETERS, ids=lambda p: p.name)
def test_every_default_obeys_its_own_rule(parameter: Parameter) -> None:
    """A default could be written down and would be accepted."""
    given_back = load(env=NOTHING, **{parameter.name: parameter.default})
    assert given_back == Options()


def test_argument_wins_over_variable_over_file_over_default(tmp_path: Path) -> None:
    """The order of the sources, shown with one parameter less set in each."""
    file = write(tmp_path, "window: 20\nmax_runs: 20\nrun_ttl_s: 20\n")
    env = {"OTEL_LOOPWATCH_CONFIG": file, "OTEL_LOOPWATCH_WINDOW": "30", "OTEL_LOOPWATCH_MAX_RUNS": "30"}
    settings = load(env=env, window=40).settings
    assert (settings.window, settings.max_runs, settings.run_ttl_s) == (40, 30, 20.0)
    assert settings.patient_gap_s == Settings().patient_gap_s


def test_path_given_in_code_wins_over_the_variable(tmp_path: Path) -> None:
    """A caller who names a file gets that file."""
    file = write(tmp_path, "window: 20")
    assert load(file, {"OTEL_LOOPWATCH_CONFIG": "/nowhere.yaml"}).settings.window == 20


def test_file_sets_everything(tmp_path: Path) -> None:
    """One file with every kind of value in it."""
    file = write(
        tmp_path,
        """
control: halt
enforcement: raise
run_key: conversation
thresholds:
  identical: {warning: 4}
budget: {calls: 50, seconds: 90}
tools:
  "get_*_status": {polling: true, volatile_keys: [at]}
  "get_*": {ignore: true, thresholds: {drift: {warning: 7, critical: 14}}}
agents:
  coder: {side_effect: true, identity_keys: [path]}
""",
    )
    options = load(file, NOTHING)
    settings = options.settings
    assert (options.control, options.enforcement, options.run_key) == (Control.HALT, Enforcement.RAISE, "conversation")
    assert settings.thresholds == THRESHOLDS | {Kind.IDENTICAL: Threshold(4, THRESHOLDS[Kind.IDENTICAL].critical)}
    assert settings.budget == Budget(calls=50, seconds=90.0)
    assert settings.policy("get_job_status") == ToolPolicy(polling=True, volatile_keys=frozenset({"at"}))
    assert settings.policy("get_user").thresholds == {Kind.DRIFT: Threshold(7, 14)}
    assert settings.policy("edit", "coder") == ToolPolicy(side_effect=True, identity_keys=frozenset({"path"}))
    assert settings.policy("edit", "other") == ToolPolicy()


def test_variables_hold_what_the_file_would_hold() -> None:
    """A mapping in a variable is written as in YAML, and case does not matter for true."""
    env = {"OTEL_LOOPWATCH_DISABLED": "TRUE", "OTEL_LOOPWATCH_BUDGET": "{calls: 50}", "OTEL_LOOPWATCH_WINDOW": " "}
    options = load(env=env)
    assert (options.disabled, options.settings.budget.calls, options.settings.window) == (True, 50, Settings().window)


@pytest.mark.parametrize(("value", "disabled"), [("true", True), ("TRUE ", True), ("false", False), ("1", False)])
def test_disabled_sdk_disables_us(value: str, disabled: bool) -> None:
    """The SDK's own switch counts, and only its one documented value."""
    assert load(env={"OTEL_SDK_DISABLED": value}).disabled is disabled


def test_unknown_variable_is_said_and_ignored(caplog: pytest.LogCaptureFixture) -> None:
    """Service discovery may own names under our prefix, so they are no error."""
    with caplog.at_level(logging.WARNING):
        assert load(env={"OTEL_LOOPWATCH_SERVICE_HOST": "10.0.0.1"}) == Options()
    assert "OTEL_LOOPWATCH_SERVICE_HOST" in caplog.text


def test_variables_of_the_commands_are_known(caplog: pytest.LogCaptureFixture) -> None:
    """An agent may run where the gateway's are set."""
    with caplog.at_level(logging.WARNING):
        assert load(env=dict.fromkeys(OF_COMMANDS, "x")) == Options()
    assert caplog.text == ""


ARGUMENTS = [
    ("a number below its bound", {"window": 3}, "window is 3; it must be a whole number from 16 to 1024"),
    ("true is no number", {"max_runs": True}, "max_runs is True; it must be a whole number, 1 or more"),
    ("not a number is no number", {"run_ttl_s": float("nan")}, "run_ttl_s is nan; it must be a number greater than 0"),
    ("a word outside the list", {"control": "stop"}, "control is 'stop'; it must be one of observe, dry_run, halt"),
    ("blank text", {"run_key": " "}, "run_key is ' '; it must be text that is not blank"),
    ("a list for a mapping", {"budget": [1]}, "budget is [1]; it must be a mapping of limits"),
    ("text for a list", {"tools": {"a": {"volatile_keys": "ts"}}}, "tools.a.volatile_keys is 'ts'; it must be a list"),
    ("a misspelt name", {"windw": 20}, "windw is not known (did you mean window?); valid here: disabled, control"),
    ("a misspelt policy", {"tools": {"get_*": {"pol": True}}}, 'tools."get_*".pol is not known'),
    (
        "a kind without threshold",
        {"thresholds": {"budget": {}}},
        "thresholds.budget is not known; valid here: identical",
    ),
    ("levels in the wrong order", {"thresholds": {"drift": {"warning": 11}}}, "thresholds.drift is 'warning 11, crit"),
    ("a long value is cut", {"run_key": ["x" * 500]}, "..."),
]


@pytest.mark.parametrize(
    ("arguments", "message"), [case[1:] for case in ARGUMENTS], ids=[case[0] for case in ARGUMENTS]
)
def test_wrong_argument_names_field_value_and_rule(arguments: dict[str, object], message: str) -> None:
    """What a caller sees when a value is wrong."""
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is compared below
        load(env=NOTHING, **arguments)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 300


FILES = [
    ("the line of a value", "window: 20\ntools:\n  x:\n    polling: maybe\n", "line 4: tools.x.polling is 'maybe'"),
    ("the line of a key", "window: 20\n\nmax_run: 3\n", "line 3: max_run is not known (did you mean max_runs?)"),
    ("a key twice", "window: 20\nwindow: 21\n", "line 2: window stands here twice"),
    ("a list", "- 1", "line 1: the configuration is [1]; it must be a mapping of parameters"),
    ("a number as key", "tools:\n  1: {}", "line 1: tools is {1: {}}; it must be a mapping of tool name patterns"),
    ("a list as key", "? [a]\n: 3", "line 1: the configuration is {None: 3}"),
    ("broken YAML", "a: b: c", "line 1: mapping values are not allowed here"),
    ("an alias of itself", "tools: &a\n  x: *a", "line 1: nested too deeply"),
    ("an impossible date", "window: 20\nrun_key: 2026-99-99", "line 2: month must be in 1..12"),
    ("an object", "window: !!python/object:x {}", "line 1: window is {}"),
    ("a control character", "window: 20\n\x00", "line 2: special characters are not allowed"),
]


@pytest.mark.parametrize(("text", "message"), [case[1:] for case in FILES], ids=[case[0] for case in FILES])
def test_wrong_file_names_the_line(tmp_path: Path, text: str, message: str) -> None:
    """What an operator sees when the file is wrong."""
    file = write(tmp_path, text)
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is compared below
        load(file, NOTHING)
    assert f"{file}, {message}" in str(caught.value)


@pytest.mark.parametrize("content", [None, b"\xff\xfe\xff"], ids=["missing", "not UTF-8"])
def test_unreadable_file_is_said(tmp_path: Path, content: bytes | None) -> None:
    """A file that is not there, or is no text, is an error that names it."""
    path = tmp_path / "x.yaml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ValueError, match=r"x\.yaml cannot be read: "):
        load(str(path), NOTHING)


def test_empty_file_sets_nothing(tmp_path: Path) -> None:
    """A file of comments is a valid configuration."""
    assert load(write(tmp_path, "# later\n"), NOTHING) == Options()


def test_wrong_variable_is_named() -> None:
    """The error starts with the variable, as that is what must be changed."""
    with pytest.raises(ValueError, match=r"^OTEL_LOOPWATCH_WINDOW: window is 'wide'; it must be a whole number"):
        load(env={"OTEL_LOOPWATCH_WINDOW": "wide"})


def test_set_up_is_described_on_one_line() -> None:
    """Every parameter appears once, as it would be written."""
    options = load(env=NOTHING, budget={"calls": 50}, tools={"get_*": POLICY}, control="dry_run")
    line = describe(options)
    assert "\n" not in line
    assert [part.partition("=")[0] for part in line.split(" ") if "=" in part] == [p.name for p in PARAMETERS]
    assert "control=dry_run" in line
    assert "budget={calls: 50}" in line
    assert "tools={get_*: {polling: true, volatile_keys: [at, id]}}" in line


RUBBISH = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.binary(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6) | st.integers(), inner, max_size=3),
    max_leaves=8,
)


@given(name=st.sampled_from([p.name for p in PARAMETERS]), value=RUBBISH)
def test_rubbish_is_taken_or_refused_with_a_value_error(name: str, value: object) -> None:
    """Whatever is passed, the result is a set of options or an error that names the field."""
    try:
        assert isinstance(load(env=NOTHING, **{name: value}), Options)
    except ValueError as error:
        assert name in str(error)  # noqa: PT017 - either outcome is right


@given(text=st.text(max_size=60))
def test_rubbish_files_are_taken_or_refused_with_a_value_error(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    """Whatever the file holds, nothing but a ValueError comes out."""
    path = tmp_path_factory.getbasetemp() / "rubbish.yaml"
    path.write_text(text, encoding="utf-8", errors="replace")
    try:
        load(str(path), NOTHING)
    except ValueError as error:
        assert "rubbish.yaml" in str(error)  # noqa: PT017 - either outcome is right
