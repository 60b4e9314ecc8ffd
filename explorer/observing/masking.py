"""Secrets in what a pipeline passes around, masked before anything is written; how many there were is said."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from explorer.text import sound

MASK = "[masked]"
_DEEPEST = 20
_NAMED = re.compile(
    r"(?:^|[_\-.\s])(?:api[_-]?key|apikey|access[_-]?key|auth|authorization|bearer|cookie|credential|credentials|passwd|"
    r"password|private[_-]?key|pwd|secret|session[_-]?id|token)s?$",
    re.IGNORECASE,
)
_SECRET = re.compile(
    r"\b(?:sk|pk|rk)[-_][A-Za-z0-9_\-]{16,}|\bgh[pousr]_[A-Za-z0-9]{20,}|\bxox[abprs]-[A-Za-z0-9-]{10,}|"
    r"\bAKIA[0-9A-Z]{16}\b|\bAIza[0-9A-Za-z_\-]{30,}|\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,}|"
    r"(?<=Bearer )[A-Za-z0-9._~+/\-]{12,}=*|(?<=://)[^\s/:@]+:[^\s/:@]+(?=@)|"
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
)


class Masking:
    """Masks what looks like a secret; `masked` counts how often."""

    def __init__(self) -> None:
        self.masked = 0

    def text(self, text: str) -> str:
        """Return a text without secrets, as it can be stored."""
        hidden, number = _SECRET.subn(MASK, sound(text))
        self.masked += number
        return hidden

    def as_json(self, value: object) -> str:
        """Return a value as JSON without secrets; what JSON has no form for stands as its words."""
        return json.dumps(self._plain(value, frozenset()), ensure_ascii=False)

    def as_object(self, value: object) -> str:
        """Return arguments as a JSON object without secrets: a text that is one is read, other values have a name."""
        if isinstance(value, str):
            with suppress(ValueError, RecursionError):
                value = json.loads(value)
        named = {} if value is None else value if isinstance(value, Mapping) else {"value": value}
        return self.as_json(named)

    def as_text(self, value: object) -> str:
        """Return a text as it is, anything else as JSON, without secrets."""
        return self.text(value) if isinstance(value, str) else self.as_json(value)

    def _plain(self, value: object, above: frozenset[int]) -> Any:  # noqa: ANN401 - any value of JSON
        if isinstance(value, str):
            return self.text(value)
        if value is None or isinstance(value, bool | int):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else str(value)
        if id(value) in above or len(above) >= _DEEPEST:
            return "…"
        within = above | {id(value)}
        if isinstance(value, Mapping):
            return {self.text(str(key)): self._of(str(key), one, within) for key, one in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return [self._plain(one, within) for one in value]
        return self.text(str(value))

    def _of(self, key: str, value: object, above: frozenset[int]) -> Any:  # noqa: ANN401 - any value of JSON
        if value and isinstance(value, str | Mapping | list) and _NAMED.search(key):
            self.masked += 1
            return MASK
        return self._plain(value, above)
