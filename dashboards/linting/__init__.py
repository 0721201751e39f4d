"""The rules of Grafana's dashboard-linter, in Python: they run where its Go program cannot be installed.

The names are those of the original, so that `lint.yaml` serves both. Where a rule differs, it asks for more. Rules:
https://github.com/grafana/dashboard-linter/tree/main/docs/rules
"""

from linting.board import Board
from linting.catalogue import LEFT_OUT, RULES
from linting.exclusions import Exclusion, applied, read
from linting.rule import Finding, Rule

__all__ = ["LEFT_OUT", "RULES", "Board", "Exclusion", "Finding", "Rule", "applied", "read"]
