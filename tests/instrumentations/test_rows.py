"""The table of rows: read, checked, and complete."""

from pathlib import Path

import pytest

pytest.importorskip("tomllib", reason="the table is read with Python 3.11 or newer")
from rows import Row, read_rows
from scenarios import SCENARIOS

SHARED = """
framework = "Frame"
script = "frame"
shows = "frame"
packages = ["frame==1.0"]
env = {A = "1"}
"""


def rows_of(folder: Path, *rows: str) -> list[Row]:
    """Rows of a file ``frame.toml``."""
    text = SHARED + "".join(f"[[row]]\nvariant = 'v'\ninstrumentation = 'I'\n{row}\n" for row in rows)
    (folder / "frame.toml").write_text(text)
    return read_rows(folder)


def test_a_row_adds_to_what_its_file_shares(tmp_path: Path) -> None:
    """Packages and variables add up; the name says file and variant."""
    (row,) = rows_of(tmp_path, "packages = ['more==2.0']\nenv = {B = '2'}\ncontent = {C = '3'}")
    assert (row.name, row.framework, row.packages) == ("frame/v", "Frame", ("frame==1.0", "more==2.0"))
    assert row.modes == {"on": {"A": "1", "B": "2", "C": "3"}, "default": {"A": "1", "B": "2"}}


def test_content_that_is_on_by_default_is_tried_once(tmp_path: Path) -> None:
    """Without a switch there is one mode."""
    (row,) = rows_of(tmp_path, "")
    assert list(row.modes) == ["default"]


def test_content_can_be_turned_off(tmp_path: Path) -> None:
    """Where it is on by default, off is a mode of its own."""
    (row,) = rows_of(tmp_path, "off = {HIDE = 'true'}")
    assert row.modes == {"default": {"A": "1"}, "off": {"A": "1", "HIDE": "true"}}


def test_what_differs_is_found_by_mode_and_scenario(tmp_path: Path) -> None:
    """A named scenario wins over the star, and other modes are as usual."""
    expect = "[row.expect.default]\nhealthy.calls = {}\n'*'.signals = []"
    (row,) = rows_of(tmp_path, expect)
    assert row.expected("default", "healthy") == {"calls": {}}
    assert row.expected("default", "looping") == {"signals": []}
    assert row.expected("on", "looping") == {}


def test_a_limit_is_expected_of_the_scenario_that_reaches_it(tmp_path: Path) -> None:
    """The row says which, and whether the agent raises; a mode may differ."""
    limit = "limit = 'max_steps'\nlimit_raises = false\n[row.expect.off]\nlimited.limit = ''"
    (row,) = rows_of(tmp_path, limit)
    assert row.expected("default", "limited") == {"limit": "max_steps", "raises": False}
    assert row.expected("off", "limited") == {"limit": "", "raises": False}
    assert row.expected("default", "looping") == {}


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("packages = ['loose>=1']", "frame/v: packages must be pinned with ==: loose>=1"),
        ("npm = ['@scope/loose']", "npm packages must be pinned with @: @scope/loose"),
        ("expect = {default = {dancing = {}}}", "expect names unknown scenarios: dancing"),
        ("colour = 'red'", "unexpected keyword argument 'colour'"),
    ],
)
def test_a_wrong_row_is_named(tmp_path: Path, row: str, said: str) -> None:
    """The file, the row and what is wrong with it."""
    with pytest.raises(ValueError, match=r"frame\.toml, frame/v") as error:
        rows_of(tmp_path, row)
    assert said in str(error.value)


def test_every_row_of_the_table_can_be_run() -> None:
    """Names are unique, and each row has a script or says why it has none."""
    rows = read_rows()
    scripts = Path(__file__).parents[2] / "instrumentations" / "scripts"
    assert len({row.name for row in rows}) == len(rows)
    for row in rows:
        assert row.cannot or any((scripts / f"{row.script}{ending}").exists() for ending in (".py", ".mjs")), row.name


def test_scenarios_say_what_is_asked_of_the_model() -> None:
    """Requests are steps and final answers."""
    assert SCENARIOS["looping"].model_calls == 10
    assert SCENARIOS["sub_agent"].model_calls == 7
    assert SCENARIOS["uncaught"].model_calls == 2
    assert SCENARIOS["limited"].calls == {"get_order": 2, "search_docs": 2}
