"""The page about the ledger does what it says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from scripts import ROOT

from otel_loopwatch.guard.ledger import ClaimOutcome, OperationState

PAGE = (ROOT / "docs" / "ledger.md").read_text(encoding="utf-8")
DOUBT = """
ledger.claim(Claim(key="refund:A124", tool="refund", run="7f3a", owner="one", arguments=claim.arguments, lease_s=60))
ledger.doubt("refund:A124", "one", "the connection broke")
"""
CHECK = """
assert ledger.claim(claim).operation.result == receipt
assert ledger.get("refund:A124").by == "Mia"
ledger.close()
"""


def test_the_code_of_the_page_runs(tmp_path: Path) -> None:
    """In order, as one program, with a doubt that it can resolve."""
    first, second = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    program = "".join([first, DOUBT, second, CHECK])
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("refund:A124 refund 7f3a ")
    assert done.stdout.endswith("the connection broke\n")


def test_the_page_names_every_outcome_and_state() -> None:
    """A new one has a row and an arrow, or the page would have a gap."""
    assert re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE) == [outcome.value for outcome in ClaimOutcome]
    _, _, after = PAGE.partition("## States")
    diagram, _, _ = after.partition("\n- ")
    assert all(state.value in diagram for state in OperationState)
