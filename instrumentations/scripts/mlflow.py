"""MLflow's decorators on an application's own agent."""

from __future__ import annotations

import os
import tempfile

import watch
from watch import Task, Watch

from scripts.decorated import Decorators, run


def set_up(watching: Watch, _: str) -> None:
    """MLflow uses the global provider if told so."""
    os.environ.update(MLFLOW_TRACKING_URI=f"file://{tempfile.mkdtemp()}", MLFLOW_ALLOW_FILE_STORE="true")
    watching.provider()


def play(task: Task) -> None:
    """Run the agent once."""
    import mlflow

    run(
        task,
        Decorators(
            tool=mlflow.trace(span_type="TOOL"),
            model=mlflow.trace(span_type="LLM"),
            agent=lambda name: mlflow.trace(span_type="AGENT", name=name),
        ),
    )


if __name__ == "__main__":
    watch.main(set_up, play, scenarios=("looping", "healthy", "parallel", "sub_agent", "error", "uncaught"))
