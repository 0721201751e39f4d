"""`otel-loopwatch feedback`: a run was stopped and should not have been; the line of its agent stays or rises.

The run counts from then on as a good one that would have gone on for ever. Only calibrating anew can lower a line.
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from math import isinf
from pathlib import Path

from otel_loopwatch.calibration import Calibration
from otel_loopwatch.cli.bad_input import BadInput
from otel_loopwatch.cli.calibrate import put
from otel_loopwatch.config import load
from otel_loopwatch.config.parameters import CONFIG_VARIABLE

NAME = "feedback"
HELP = "say that a run should not have been stopped"


def add_arguments(parser: ArgumentParser) -> None:
    """Flags of this command."""
    parser.add_argument("run_key", metavar="RUN", help="key of the run, as its signals and its stop report name it")
    parser.add_argument("--mistaken", action="store_true", required=True, help="it was stopped by mistake")
    parser.add_argument("--agent", metavar="NAME", help="agent of the run; needed where several were calibrated")
    parser.add_argument(
        "--config", metavar="FILE", help="configuration file with the lines (default: $OTEL_LOOPWATCH_CONFIG)"
    )


def run(args: Namespace) -> int:
    """Add the run to the mistaken ones, write the file, and say what became of the line."""
    path = args.config or os.environ.get(CONFIG_VARIABLE)
    if not path:
        raise BadInput(f"no configuration file: give --config, or set {CONFIG_VARIABLE}")
    calibration = _calibration(path)
    agent = _agent(args.agent, calibration)
    changed = calibration.stopped_by_mistake(args.run_key, agent)
    if changed == calibration:
        print(f"{args.run_key} was already known as stopped by mistake; nothing changes")
        return 0
    put(changed, Path(path))
    before, after = (told(one.lines()[agent]) for one in (calibration, changed))
    print(f"line of {agent}: {before}, and {after} from now on")
    return 0


def _calibration(path: str) -> Calibration:
    try:
        found = load(path, {}).settings.calibration
    except ValueError as error:
        raise BadInput(str(error)) from None
    if found is None:
        raise BadInput(f"{path} holds no calibration: `otel-loopwatch calibrate --out {path}` makes one")
    return found


def _agent(given: str | None, calibration: Calibration) -> str:
    if given is None and len(calibration.agents) == 1:
        return next(iter(calibration.agents))
    if given is None or given not in calibration.agents:
        raise BadInput(f"--agent must be one of {', '.join(calibration.agents)}")
    return given


def told(line: float) -> str:
    """A line as people read it."""
    return "infinite (only watched)" if isinf(line) else f"{line:.2f}"
