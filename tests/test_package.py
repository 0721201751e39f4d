"""The package as it is imported: what it exports, what it leaves alone, and that the wheel is what is tested."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import otel_loopwatch


@pytest.mark.parametrize("name", otel_loopwatch.__all__)
def test_every_public_name_is_there(name: str) -> None:
    """Each name of ``__all__`` can be imported and is explained."""
    exported = getattr(otel_loopwatch, name)
    assert exported is not None
    assert name in dir(otel_loopwatch)


def test_public_names_are_sorted_and_each_has_one_home() -> None:
    """The list of names and the table of where they live agree."""
    assert sorted(otel_loopwatch.__all__) == otel_loopwatch.__all__
    assert sorted(otel_loopwatch._HOME_OF) == otel_loopwatch.__all__


def test_unknown_name_is_an_attribute_error() -> None:
    """A typo is told as for any module."""
    with pytest.raises(AttributeError, match="no attribute 'LoopwatchProcessor'"):
        otel_loopwatch.LoopwatchProcessor  # noqa: B018


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import otel_loopwatch", ("opentelemetry", "yaml", "argparse")),
        ("import otel_loopwatch.engine", ("opentelemetry", "yaml", "argparse")),
        ("from otel_loopwatch import LoopwatchSpanProcessor; LoopwatchSpanProcessor()", ("yaml", "argparse")),
        ("import otel_loopwatch.cli", ("opentelemetry.sdk",)),
    ],
)
def test_import_is_light(statement: str, absent: tuple[str, ...]) -> None:
    """What is not used is not imported: the engine knows no OpenTelemetry, the processor no YAML."""
    program = f"{statement}\nimport sys\nprint([name for name in {absent!r} if name in sys.modules])"
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("OTEL_", "COV"))}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=clean)
    assert done.stdout.strip() == "[]"


def test_type_information_is_shipped() -> None:
    """Type checkers of applications read our annotations."""
    assert (Path(otel_loopwatch.__file__).parent / "py.typed").is_file()


@pytest.mark.skipif("LOOPWATCH_TEST_WHEEL" not in os.environ, reason="not run on a built wheel (make test does)")
def test_the_installed_wheel_is_tested() -> None:
    """Not the source tree, which may hold files that the wheel lacks."""
    assert "site-packages" in Path(otel_loopwatch.__file__).parts
