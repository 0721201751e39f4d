"""Made-up words for real ones: a recording that shows the loop, and nothing of what it was about."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Mapping
from typing import Any

from otel_loopwatch.canonical import text_of
from otel_loopwatch.masking import mask
from otel_loopwatch.model import Outcome, ToolCall
from otel_loopwatch.outcomes import Grade, outcome_of

_WORD = re.compile(r"[^\W_]+")
_LETTERS = str.maketrans("0123456789abcdef", "bcdfghjklmnprstv")
"""Letters without vowels: no word of a language comes out, and nothing that is masked as an id."""

STAND_INS = {Grade.CLOCK: "12:00:00", Grade.PENDING: "running", Grade.ACK: "ok", Grade.EMPTY: "[]"}
"""What proves little is replaced by something that proves as little."""

FAILURES = {Outcome.RETRYABLE: "HTTP 503", Outcome.PRECONDITION: "HTTP 403", Outcome.FATAL: "failed"}


class Pseudonyms:
    """One key for one recording, kept nowhere: equal words stay equal within it, and cannot be guessed."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(16)

    def arguments(self, value: Any) -> Any:
        """Arguments with their keys, and with every word and number in them replaced."""
        if isinstance(value, Mapping):
            return {key: self.arguments(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.arguments(item) for item in value]
        return value if value is None or isinstance(value, bool) else self._text(str(value))

    def result(self, call: ToolCall) -> str | None:
        """The result of a call that worked; what changes without meaning is masked first."""
        if call.failed or call.result is None:
            return None
        text = text_of(call.result)
        outcome, grade = outcome_of(text, failed=False)
        said = STAND_INS.get(grade) or self._text(mask(text))
        return f"Error: {FAILURES[outcome]}: {said}" if grade.failure else said

    def error(self, call: ToolCall) -> str | bool | None:
        """The failure of a call that failed; its kind can be read, its text cannot."""
        if not call.failed:
            return None
        text = text_of(call.error if call.result is None else call.result) if call.error or call.result else ""
        outcome, _ = outcome_of(text, failed=True)
        return f"{FAILURES[outcome]}: {self._text(mask(text))}" if text else True

    def _text(self, text: str) -> str:
        return _WORD.sub(lambda found: self._word(found[0]), text)

    def _word(self, word: str) -> str:
        digest = hashlib.blake2b(word.lower().encode("utf-8", "surrogatepass"), key=self._key, digest_size=4)
        return digest.hexdigest().translate(_LETTERS)
