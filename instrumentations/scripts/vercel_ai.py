"""The Vercel AI SDK in Node: its spans are written as OTLP/JSON, and judged by `otel-loopwatch replay`.

They never pass a processor in Python, so there is nothing to say of attributes on exported spans.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agent_server import AgentServer
from scenarios import SCENARIOS, Scenario
from watch import AGENT, INSTRUCTIONS, QUESTION, RESEARCHER

PLAYED = ("looping", "healthy", "parallel", "sub_agent", "error", "stream")
AGENT_CODE = Path(__file__).with_suffix(".mjs")


def perform(name: str, variant: str, server: AgentServer) -> dict[str, Any]:
    """One scenario, as a row of the results."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "spans.jsonl"
        told = run_node(new_task(name, SCENARIOS[name], server), variant, file)
        return {
            "scenario": name,
            "signals": [{"signal": line} for line in map(signal, loopwatch("replay", file))],
            "calls": dict(sorted(Counter(call["tool"] for call in loopwatch("calls", file)).items())),
            **told,
            "model_calls": sum(s.requests for n, s in server.sessions.items() if n.split(".")[0] == name),
            "replayed": True,
            "failures": {},
        }


def new_task(name: str, scenario: Scenario, server: AgentServer) -> dict[str, Any]:
    """What the agent in Node is told."""
    task: dict[str, Any] = {"agent": AGENT, "stream": scenario.stream}
    task["url"] = server.url(server.open(name, scenario.steps))
    if scenario.inner:
        session = server.open(f"{name}.inner", scenario.inner)
        task["researcher"] = {"agent": RESEARCHER, "url": server.url(session)}
    return task


def run_node(task: dict[str, Any], variant: str, file: Path) -> dict[str, Any]:
    """Run the agent once; its code is read from standard input, so that imports are found where node_modules are."""
    told = {"task": task, "question": QUESTION, "instructions": INSTRUCTIONS, "variant": variant, "file": str(file)}
    done = subprocess.run(
        ["node", "--input-type=module", "-"],  # noqa: S607 - node is where the user has it
        input=AGENT_CODE.read_text(encoding="utf-8"),
        cwd=os.environ["NODE_HOME"],
        env={**os.environ, "TASK": json.dumps(told)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return dict(json.loads(done.stdout.splitlines()[-1]))


def loopwatch(command: str, file: Path) -> Iterator[dict[str, Any]]:
    """The lines a command of Loopwatch prints of a file of spans."""
    line = [sys.executable, "-m", "otel_loopwatch", command, "--json", str(file)]
    done = subprocess.run(line, capture_output=True, text=True, check=True)  # noqa: S603
    return map(json.loads, done.stdout.splitlines())


def signal(found: dict[str, Any]) -> str:
    """A signal's line, as the scenarios write it."""
    return f"{found['kind']} {found['level']} {'+'.join(found['tools'])} {found['call']}"


def main(variant: str, results: Path) -> None:
    """Play the scenarios; a tool's error always goes to the model, so none of them raises."""
    wanted = os.environ.get("SCENARIOS", "").split() or PLAYED
    server = AgentServer()
    with results.open("a", encoding="utf-8") as file:
        for name in (name for name in PLAYED if name in wanted):
            file.write(json.dumps(perform(name, variant, server)) + "\n")
            file.flush()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
