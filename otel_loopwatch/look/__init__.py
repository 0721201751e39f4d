"""How runs look wherever they are shown: the one copy of what the report and the gateway's page have in common.

================  ===========================================================================
``look.css``      colours for light and dark, controls, beads, brackets, signals
``words.js``      elements, numbers and durations in words, signs of levels
``likeness.js``   which calls of a run are alike, and their letters
``layout.js``     where beads and brackets lie
``thread.js``     a line of beads on its thread, under brackets
``legend.js``     how to read beads
``theme.js``      the button that goes from the system's theme to light and dark
================  ===========================================================================

The scripts are modules. A page that is one file has them one after the other as one module: see :func:`bundle`.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files

NAMES = ("look.css", "words.js", "likeness.js", "layout.js", "thread.js", "legend.js", "theme.js")
"""All files; scripts in the order in which they need each other."""
SCRIPTS = tuple(name for name in NAMES if name.endswith(".js"))


def asset(package: str, name: str) -> str:
    """A file that lies beside the modules of a package."""
    return files(package).joinpath(name).read_text(encoding="utf-8")


def shared(name: str) -> str:
    """A file of this package."""
    return asset(__name__, name)


def bundle(scripts: Iterable[str]) -> str:
    """Modules as one: each sees what came before it, so that nothing is imported."""
    lines = (line for script in scripts for line in script.splitlines())
    return "\n".join(line for line in lines if not line.startswith("import "))
