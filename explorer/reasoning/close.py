"""What is close to an answer: facts that fit the question; and the reason for each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from pyoxigraph import Triple

from explorer.language.words import clauses, phrases, stem, stem_set, tokens
from explorer.reasoning.extractive.vocabulary import Coverage
from explorer.reasoning.protocol import Edge
from explorer.text import truncate

_MOST = 8  # words that are listed
_LONGEST = 40
MOST = 5
"""Facts that are kept beside those that an answer is made from."""
RULE = f"what the answer quotes, and at most {MOST} more facts that fit the question"
# Chosen on 306 facts kept for 117 questions, which three readers judged: of those kept so 14 % had nothing to do with
# their question, and 61 of the 65 questions with a quoted fact kept one.
_TELLS, _LEAST, _CLOSE = 0.55, 0.3, 0.75


def shared(verb: str, question: str, there: Collection[str]) -> str:
    """Return "has your words fuel cell, tank" of the words of a question whose stems are there; "" without any.

    Those that it has as one phrase are kept together.
    """
    runs: list[list[str]] = []
    told: set[str] = set()
    for phrase in phrases(question):
        found = dict.fromkeys(word for word in tokens(phrase) if stem(word) in there and stem(word) not in told)
        runs.append(list(found)[: max(0, _MOST - len(told))])
        told |= {stem(word) for word in found}
    listed = ", ".join(" ".join(truncate(word, _LONGEST) for word in run) for run in runs if run)
    more = f" and {len(told) - _MOST:,} more" if len(told) > _MOST else ""
    return f"{verb} your {'word' if len(told) == 1 else 'words'} {listed}{more}" if listed else ""


@dataclass(frozen=True, slots=True)
class Fit:
    """How well facts fit a question: which share of the words of its best part each covers, 0 to 1."""

    question: str
    coverage: Coverage

    @classmethod
    def of(cls, question: str, rarity: Callable[[str], float]) -> Fit:
        """Compare facts with a question; `rarity` returns a word's inverse document frequency."""
        return cls(question, Coverage(clauses(question), rarity))

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
        return {edge: told(self.question, edge) for fit, edge in best if fit >= _CLOSE}

    def left(self, edges: Sequence[Edge], most: int = MOST) -> dict[Edge, str]:
        """Return why each of those that `close` did not return is not close: what it lacks, and what it covers."""
        where = "your question" if len(clauses(self.question)) == 1 else "a part of your question"
        return {edge: _unfit(self.question, edge, fit, where, most)
                for edge, fit in zip(edges, self._of(edges), strict=True)}  # fmt: skip

    def _of(self, edges: Sequence[Edge]) -> list[float]:
        return [float(max(each)) for each in self.coverage.shares([edge.text for edge in edges])]


def _unfit(question: str, edge: Edge, fit: float, where: str, most: int) -> str:
    there, asked = stem_set(edge.text), stem_set(question)
    lacks = shared("lacks", question, asked - there) if asked & there else "none of your words are in it"
    why = f"close is {_CLOSE:.0%} or more" if fit < _CLOSE else f"and at most {most} as close are kept"
    return "; ".join(filter(None, (lacks, f"covers {int(fit * 100)}% of {where}, {why}")))


def told(question: str, edge: Edge, first: str = "") -> str:
    """Return as a sentence what is known of a fact, and which words of the question it or its source has."""
    own = shared("it uses", question, stem_set(edge.text))
    first = first and (f"{edge.by_hand}, and the answer says it" if edge.by_hand else first)
    said = "; ".join(filter(None, (first, own or shared("its source has", question, stem_set(edge.with_sentence)))))
    return f"{said[:1].upper()}{said[1:]}." if said else "None of your words are in it."
