"""The list of questions to pick from: examples, then earlier ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets as ipw

from explorer.text import truncate

MOST_EARLIER = 20
_EXAMPLES, _EARLIER, _THEN = "Examples", "Earlier", "— Earlier —"
_LONGEST = 100


class Examples(ipw.Dropdown):
    """A list whose first line says what it is; `on_pick` gets the question that is picked, whole."""

    def __init__(self, examples: Sequence[str], earlier: Sequence[str], on_pick: Callable[[str], None]) -> None:
        """Offer examples, and earlier questions with the newest first."""
        self._examples = tuple(dict.fromkeys(examples))
        self._earlier = tuple(dict.fromkeys(earlier))[:MOST_EARLIER]
        self._on_pick = on_pick
        self._whole: dict[str, str] = {}
        super().__init__(options=(_EXAMPLES,), description="Examples and earlier questions")
        self._list()
        self.observe(self._picked, "value")

    @property
    def questions(self) -> tuple[str, ...]:
        """Give all that can be picked, whole."""
        return tuple(self._whole.values())

    def offer(self, question: str) -> None:
        """Put a question at the top of the earlier ones."""
        self._earlier = tuple(dict.fromkeys((question, *self._earlier)))[:MOST_EARLIER]
        self._list()

    def _list(self) -> None:
        self._whole = {}
        examples = [self._line(question) for question in self._examples]
        earlier = [self._line(question) for question in self._earlier if question not in self._examples]
        head = _EXAMPLES if examples or not earlier else _EARLIER
        between = [_THEN] if examples and earlier else []
        self.options = (head, *examples, *between, *earlier)
        cut = [question for line, question in self._whole.items() if line != question]
        self.tooltip = "\n".join(["Examples and earlier questions", *(truncate(question, 1_000) for question in cut)])

    def _line(self, question: str) -> str:
        """Give the line of a question: cut where it is long, and unlike all others."""
        line = truncate(question, _LONGEST)
        taken = (_EXAMPLES, _EARLIER, _THEN, *self._whole)
        alike = sum(one == line or one.startswith(f"{line} (") for one in taken)
        line = f"{line} ({alike + 1})" if alike else line
        self._whole[line] = question
        return line

    def _picked(self, change: dict[str, Any]) -> None:
        question = self._whole.get(change["new"])
        if question is not None:
            self._on_pick(question)
        self.index = 0
