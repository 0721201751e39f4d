"""Cases told in other ways, their verdicts unchanged: ``python -m benchmarks.quality.rewriting``.

A detector that knows the words of its test cases does worse as soon as they change. Each mutation here changes what
does not matter; a good detector says the same as before. Some take evidence away (`Mutation.keeps_evidence`): then
fewer loops can be seen, but good work must still not be stopped.
"""

from __future__ import annotations

from . import course, envelopes, front, languages, names, values
from .mutation import Mutation

MUTATIONS: tuple[Mutation, ...] = (
    *names.MUTATIONS,
    *envelopes.MUTATIONS,
    *front.MUTATIONS,
    *languages.MUTATIONS,
    *values.MUTATIONS,
    *course.MUTATIONS,
)

__all__ = ["MUTATIONS", "Mutation"]
