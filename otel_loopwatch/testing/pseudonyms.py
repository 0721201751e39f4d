"""Made-up words for real ones: a recording that shows the loop, and nothing of what it was about."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Mapping
from typing import Any

from otel_loopwatch import words
from otel_loopwatch.canonical import text_of
from otel_loopwatch.labels import bare
from otel_loopwatch.masking import mask
from otel_loopwatch.model import Outcome, ToolCall
from otel_loopwatch.outcomes import Grade, outcome_of

_WORD = re.compile(r"[^\W_]+")
_LETTERS = str.maketrans("0123456789abcdef", "bcdfghjklmnprstv")
"""Letters without vowels: no word of a language comes out, and nothing that is masked as an id."""

STAND_INS = {Grade.CLOCK: "12:00:00", Grade.PENDING: "running", Grade.ACK: "ok", Grade.EMPTY: "[]"}
"""What proves little is replaced by something that proves as little."""

FAILURES = {Outcome.RETRYABLE: "unavailable", Outcome.PRECONDITION: "forbidden", Outcome.FATAL: "failed"}
"""Words, for a status code in front of a text looks like the number of a call."""

LEAST_NUMBER, NUMBERS = 1_000, 100_000
"""Numbers in front of results are moved by at least this, so that none looks like a status code, and less than that."""


class Pseudonyms:
    """One key for one recording, kept nowhere: equal words stay equal within it, and cannot be guessed."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(16)
        self._moved_by = LEAST_NUMBER + secrets.randbelow(NUMBERS)

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
        front = bare(text_of(call.result))
        outcome, grade = outcome_of(front.text, failed=False)
        said = STAND_INS.get(grade) or self._text(mask(front.text))
        return self._counted(front.number, f"Error: {FAILURES[outcome]}: {said}" if grade.failure else said)

    def error(self, call: ToolCall) -> str | bool | None:
        """The failure of a call that failed; its kind can be read, its text cannot."""
        if not call.failed:
            return None
        front = bare(text_of(call.error if call.result is None else call.result) if call.error or call.result else "")
        outcome, _ = outcome_of(front.text, failed=True)
        said = f"{FAILURES[outcome]}: {self._text(mask(front.text))}"
        return self._counted(front.number, said) if front.text else True

    def _counted(self, number: int | None, text: str) -> str:
        """With the number that stood in front: whether it counts calls shows from its steps."""
        return text if number is None else f"[{number + self._moved_by}] {text}"

    def _text(self, text: str) -> str:
        return _WORD.sub(lambda found: self._word(found[0].lower()), text)

    def _word(self, word: str) -> str:
        """Words of one family begin alike, as they did."""
        stem = words._stem(word)
        return self._letters(stem, size=4) + (self._letters(word, size=2) if word != stem else "")

    def _letters(self, word: str, size: int) -> str:
        digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), key=self._key, digest_size=size)
        return digest.hexdigest().translate(_LETTERS)
