"""`python -m otel_loopwatch`: the command, where its script is not on the path."""

import sys

from otel_loopwatch.cli import main

sys.exit(main())
