"""The one table of parameters. The loader, the documentation and the tests are made from it."""

from __future__ import annotations

from dataclasses import dataclass, fields

from otel_loopwatch.config.calibrated import CALIBRATION
from otel_loopwatch.config.receiver import WEBHOOK
from otel_loopwatch.config.rules import (
    MIN_KEY,
    Path,
    Rule,
    broken,
    flag,
    globs,
    names,
    one_of,
    positive,
    secret,
    table,
    text,
    whole,
)
from otel_loopwatch.model import Kind
from otel_loopwatch.settings import (
    THRESHOLDS,
    Budget,
    ContentPolicy,
    Control,
    Enforcement,
    Options,
    Settings,
    Threshold,
    ToolPolicy,
)

ENVIRONMENT_PREFIX = "OTEL_LOOPWATCH_"
CONFIG_VARIABLE = ENVIRONMENT_PREFIX + "CONFIG"
"""Names the YAML file."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One thing that can be set: the same name as argument, as key of the YAML file and (in capitals) as variable."""

    name: str
    rule: Rule
    description: str
    secret: bool = False
    """Never shown, and taken from its variable as it stands there."""

    @property
    def variable(self) -> str:
        """Name of the environment variable."""
        return ENVIRONMENT_PREFIX + self.name.upper()

    @property
    def judges(self) -> bool:
        """Whether the engine needs it (``Settings``), rather than only the live processor (``Options``)."""
        return self.name in SETTINGS_FIELDS

    @property
    def default(self) -> object:
        """Value where nothing is set."""
        return getattr(Settings() if self.judges else Options(), self.name)


SETTINGS_FIELDS = frozenset(f.name for f in fields(Settings))


def threshold(kind: Kind) -> Rule:
    """Attempts (or rounds) at each level; a level left out keeps the kind's default."""
    words = "a mapping of warning and critical, the warning not above the critical"
    levels = table({"warning": whole(2), "critical": whole(2)}, words)
    default = {"warning": THRESHOLDS[kind].warning, "critical": THRESHOLDS[kind].critical}

    def check(path: Path, value: object) -> Threshold:
        made = Threshold(**(default | levels.check(path, value)))
        if made.warning > made.critical:
            raise broken(path, f"warning {made.warning}, critical {made.critical}", words)
        return made

    return Rule(words, check)


def thresholds(base: dict[Kind, Threshold]) -> Rule:
    """Thresholds of some kinds, added to ``base``."""

    def build(**given: Threshold) -> dict[Kind, Threshold]:
        return base | {Kind(name): made for name, made in given.items()}

    return table({kind.value: threshold(kind) for kind in THRESHOLDS}, "a mapping of kinds to thresholds", build)


BUDGET = table(
    {"calls": whole(1), "turns": whole(1), "calls_per_tool": whole(1), "seconds": positive(), "tokens": whole(1)},
    "a mapping of limits",
    Budget,
)

POLICY = table(
    {
        "polling": flag(),
        "side_effect": flag(),
        "ignore": flag(),
        "thresholds": thresholds({}),
        "volatile_keys": names(),
        "identity_keys": names(),
    },
    "a mapping of policies",
    ToolPolicy,
)

PARAMETERS: tuple[Parameter, ...] = (
    Parameter("disabled", flag(), "Do nothing at all. `OTEL_SDK_DISABLED=true` does the same."),
    Parameter(
        "control",
        one_of(Control),
        "Built-in control hook: `observe` stops nothing, `dry_run` records what it would have done, `halt` ends a run "
        "at its first critical signal, `tiered` nudges, then refuses, then halts (with a gate: `docs/control.md`).",
    ),
    Parameter(
        "enforcement",
        one_of(Enforcement),
        "How a halted run stops: `none` leaves it to the application, `raise` raises `LoopHalted` when its next tool "
        "span starts.",
    ),
    Parameter(
        "run_key", text(), "What makes calls belong together: `trace`, `conversation`, or the name of an attribute."
    ),
    Parameter(
        "content",
        one_of(ContentPolicy),
        "What becomes of arguments, results and messages once they were judged, before any exporter sees them: `keep`, "
        "`digest` (a digest takes their place), `drop`.",
    ),
    Parameter(
        "digest_key",
        secret(MIN_KEY),
        "Secret of the digests and fingerprints that leave the process; without it whoever guesses a value can check "
        "the guess.",
        secret=True,
    ),
    Parameter(
        "webhook",
        WEBHOOK,
        "Where the stop report of each halted run is delivered: `url`, a `secret` that signs it, `insecure: true` for "
        "plain http to other machines. See `docs/webhook.md`.",
    ),
    Parameter("thresholds", thresholds(THRESHOLDS), "Attempts or rounds per kind at which each level is signalled."),
    Parameter("budget", BUDGET, "Limits of one run: calls, turns, calls_per_tool, seconds, tokens. None by default."),
    Parameter(
        "calibration",
        CALIBRATION,
        "What `otel-loopwatch calibrate` learnt from good runs: a run that crosses its agent's line is over budget.",
    ),
    Parameter("window", whole(16, 1024), "Attempts remembered per run."),
    Parameter("max_runs", whole(1), "Runs remembered; beyond it the least recently active one is dropped."),
    Parameter(
        "max_memory_mb",
        whole(1),
        "Memory that runs may take, in MB (10^6 bytes); beyond it the least recently active one is dropped.",
    ),
    Parameter("run_ttl_s", positive(), "Seconds without a call after which a run is dropped."),
    Parameter("max_tool_names", whole(1, 1500), "Distinct tool names used as metric labels; the rest are `_OTHER`."),
    Parameter("max_value_bytes", whole(1024), "A larger argument or result is digested whole without being parsed."),
    Parameter("patient_gap_s", positive(), "A poll with at least this many seconds between calls is not a busy loop."),
    Parameter(
        "tools",
        globs(POLICY, "a mapping of tool name patterns to policies"),
        "Policies by glob pattern of the tool's name; the first that matches wins.",
    ),
    Parameter(
        "agents",
        globs(POLICY, "a mapping of agent name patterns to policies"),
        "Policies by glob pattern of the agent's name, where no tool pattern matches.",
    ),
)
