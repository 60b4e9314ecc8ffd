"""What is close to an answer: facts that fit the question; and the reason for each."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from pyoxigraph import Triple

from explorer.language.words import phrases, stem, stem_set, tokens
from explorer.reasoning.extractive.support import listing
from explorer.reasoning.extractive.vocabulary import Coverage
from explorer.reasoning.protocol import Edge

MOST = 5
"""Facts that are kept beside those that an answer is made from."""
RULE = f"what is chosen to be quoted, and at most {MOST} more facts that fit the question"
# Chosen on 306 facts kept for 117 questions, which three readers judged: of those kept so 14 % had nothing to do with
# their question, and 61 of the 65 questions with a quoted fact kept one.
_TELLS, _LEAST, _CLOSE = 0.55, 0.3, 0.75
_FEWEST = 4  # letters of a word with which others may begin: "fail", "failure"


def listed(question: str, text: str, there: Collection[str] | None = None, *, absent: bool = False) -> str:
    """Return the words of a question that a text has, or has not, as “fuel cell” and “tank”; "" without any.

    Those that stand in a row in one phrase of the question are kept together; where the text has them, in a row there
    too. A word is there also as the beginning of another. `there`: the stems that count, where those are not all.
    """
    held = stem_set(text) if there is None else there
    runs: dict[str, None] = {}
    told: set[str] = set()
    for phrase in phrases(question):
        rows = [[*run] for wanted, run in groupby(tokens(phrase), lambda word: _is_in(word, held) != absent) if wanted]
        for found in rows if absent else [row for run in rows for row in _in_rows(run, text)]:
            if not told.issuperset(map(stem, found)):
                runs[" ".join(found)] = None
                told |= {*map(stem, found)}
    return listing(runs, "and", "“{}”")


def _is_in(word: str, there: Collection[str]) -> bool:
    begins = len(word) >= _FEWEST and word.isalpha() and any(one.startswith(word.lower()) for one in there)
    return begins or stem(word) in there


def _in_rows(words: Sequence[str], text: str) -> list[list[str]]:
    """Return words in rows, of which each stands so in a text."""
    if not words[1:]:
        return [[*words]]
    beside = [*pairwise({stem(part) for part in (one, *one.split("-"))} for one in tokens(text))]
    rows = [[words[0]]]
    for before, word in pairwise(words):
        if any(_is_in(before, first) and _is_in(word, second) for first, second in beside):
            rows[-1].append(word)
        else:
            rows.append([word])
    return rows


@dataclass(frozen=True, slots=True)
class Fit:
    """How well facts fit a question: which share of the words of its best part each covers, 0 to 1."""

    question: str
    coverage: Coverage

    def telling(self, edges: Sequence[Edge]) -> list[Edge]:
        """Return those facts of a quoted sentence that tell of what the question is about, in their order.

        The best of them needs less.
        """
        fits = self._of(edges)
        least = min(_TELLS, max([_LEAST, *fits]))
        return [edge for edge, fit in zip(edges, fits, strict=True) if fit >= least]

    def close(self, edges: Sequence[Edge], kept: Iterable[Triple], most: int = MOST) -> dict[Edge, str]:
        """Return at most so many facts that are not kept and fit the question, best first, with the reason for each."""
        known = {*kept}
        left = [edge for edge in edges if edge.triple not in known]
        best = sorted(zip(self._of(left), left, strict=True), key=lambda one: -one[0])[:most]
        return {edge: f"Close to your question. {told(self.question, edge)}" for fit, edge in best if fit >= _CLOSE}

    def left(self, edges: Sequence[Edge]) -> dict[Edge, str]:
        """Return why each of those that `close` did not return is not close: what it has and lacks."""
        many, far = "close, but enough others were kept", "not close enough to your question"
        return {edge: f"{_own(self.question, edge.text)}: {many if fit >= _CLOSE else far}."
                for edge, fit in zip(edges, self._of(edges), strict=True)}  # fmt: skip

    def _of(self, edges: Sequence[Edge]) -> list[float]:
        return [float(max(each)) for each in self.coverage.shares([edge.text for edge in edges])]


def _own(question: str, text: str, who: str = "The fact") -> str:
    """Return which words of a question a text has and lacks."""
    has, lacks = listed(question, text), listed(question, text, absent=True)
    return f"{who} has {has or 'none of your words'}{f', and lacks {lacks}' if has and lacks else ''}"


def told(question: str, edge: Edge, first: str = "") -> str:
    """Return in sentences what is known of a fact, and which words of the question it or else its source has."""
    first = first and (
        f"{edge.by_hand[:1].upper()}{edge.by_hand[1:]}, and the answer says it." if edge.by_hand else first
    )
    by_source = not listed(question, edge.text) and listed(question, edge.with_sentence)
    own = _own(question, edge.with_sentence, "Its source") if by_source else _own(question, edge.text)
    return f"{first} {own}.".lstrip()
