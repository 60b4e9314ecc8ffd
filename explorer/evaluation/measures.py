"""What is measured of an answer: a table of measures, and their values for one run.

A value is None where a measure does not apply: no gold, a model that reported no tokens.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from explorer.evaluation.questions import Evidence, GoldQuestion, names_of, words
from explorer.events import NOT_FOUND, Passage
from explorer.record.trace import Trace
from explorer.wording.spent import tokens_in_all

_SAMPLES = 5_000
_AT_ONCE = 2_000_000  # values that are drawn at a time
_SEED = 7
_TAIL = 2.5  # percent on each side
FIRST = (5, 10)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean or median over `n` questions, and the interval that holds it with 95 %; one question has no interval."""

    value: float
    low: float
    high: float
    n: int


def estimate(values: Sequence[float], *, median: bool = False, top: float | None = None) -> Estimate | None:
    """Return the mean (or median) of values with its interval; None without values.

    The interval is the percentile bootstrap's. Where all values are 0, or all are `top`, that says nothing, and it is
    the exact one of a share: of 20 right of 20 the interval begins at 83 %.
    """
    import numpy as np

    if not values:
        return None
    given = np.array(values, dtype=float)
    n = len(values)
    value = float(np.median(given) if median else given.mean())
    if top is not None and not median and given.min() == given.max() and value in (0, top):
        edge = top * (_TAIL / 100) ** (1 / n)
        return Estimate(value, 0.0, top - edge, n) if value == 0 else Estimate(value, edge, top, n)
    chance = np.random.default_rng(_SEED)
    found = []
    step = max(1, _AT_ONCE // n)
    for begun in range(0, _SAMPLES, step):
        drawn = given[chance.integers(0, n, (min(step, _SAMPLES - begun), n))]
        found.append(np.median(drawn, axis=1) if median else drawn.mean(axis=1))
    low, high = np.percentile(np.concatenate(found), (_TAIL, 100 - _TAIL))
    return Estimate(value, float(low), float(high), n)


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure: what it says, its unit, and whether its median stands for many questions, not the mean."""

    name: str
    about: str
    unit: str = "%"
    decimals: int = 1
    median: bool = False

    @property
    def heading(self) -> str:
        """The name with its unit."""
        return f"{self.name}, {self.unit}" if self.unit else self.name

    def shown(self, value: float) -> str:
        """Return a value as a table has it."""
        return f"{value:,.{self.decimals}f}"


MEASURES: Mapping[str, Measure] = {
    one.name: one
    for one in (
        *(
            Measure(
                f"recall@{k}", f"share of the gold documents, or quotations, in the first {k} documents, or passages"
            )
            for k in FIRST
        ),
        Measure("gold string", "answers that hold one of the expected texts; yes and no left out"),
        Measure("evidence quoted", "share of the expected quotations that stand in the answer"),
        Measure("evidence cited", "share of the expected quotations that the answer cites"),
        Measure("declined rightly", "of the questions that can't be answered, those declined"),
        Measure("declined wrongly", "of the questions that can be answered, those declined"),
        Measure("judged rightly", "questions that are answered, at least possibly, if and only if they can be"),
        Measure("failed", "runs that ended with an error"),
        Measure("support", "how well the documents support the answer, from 0 to 1", unit="", decimals=2),
        Measure("words", "words of an answer that was not declined", unit="", decimals=0, median=True),
        Measure("time", "milliseconds for a question", unit="ms", decimals=0, median=True),
        Measure("tokens", "tokens in and out for a question", unit="", decimals=0, median=True),
        Measure("cost", "what a question cost, where all its calls have a price", unit="", decimals=4),
    )
}


_YES_NO = frozenset({"yes", "no"})


def measured(
    asked: GoldQuestion, trace: Trace, chunk_text: Callable[[str], str] = lambda _: ""
) -> dict[str, float | None]:
    """Return the value of each measure for a run; `chunk_text` reads the text of a chunk, "" where it is not known."""
    support = trace.support
    level = support.level if support else None
    declined = trace.outcome == NOT_FOUND
    failed = trace.reason == "error"
    answer = "" if declined or failed else trace.answer
    sources = trace.sources()
    strong = (level == "strong") == asked.answerable if level and asked.answerable is not None else None
    expected = [text for text in asked.answers if normal(text) and normal(text) not in _YES_NO]
    quoted = cited = None
    if asked.evidence:
        quoted = _percent([normal(one.quote) in normal(answer) for one in asked.evidence])
        passages = () if declined or failed else tuple(_cited(trace))
        cited = _percent([any(holds(passage, one) for passage in passages) for one in asked.evidence])
    return {
        **{f"recall@{k}": recall(asked, sources, k, chunk_text) for k in FIRST},
        "gold string": 100.0 * has_one(expected, answer) if expected and asked.answerable is not False else None,
        "evidence quoted": quoted,
        "evidence cited": cited,
        "declined rightly": 100.0 * declined if asked.answerable is False else None,
        "declined wrongly": 100.0 * declined if asked.answerable else None,
        "judged rightly": None if strong is None else 100.0 * strong,
        "failed": 100.0 * failed,
        "support": support.value if support else None,
        "words": len(answer.split()) if answer else None,
        "time": trace.duration_ms,
        "tokens": tokens_in_all(trace.usage),
        "cost": cost.amount if (cost := trace.cost) else None,
    }


def recall(
    asked: GoldQuestion, sources: Sequence[Passage], k: int, chunk_text: Callable[[str], str] = lambda _: ""
) -> float | None:
    """Return the share, in percent, of the gold documents among the first k different ones of some sources.

    Of a question with evidence: the share of its quotations in the first k different chunks. What counts is which
    passages were found, be they named whole or by the sentences of facts.
    """
    if asked.gold:
        found = dict.fromkeys((passage.document, passage.source) for passage in sources)
        named = {name for one in list(found)[:k] for name in names_of(*one)}
        return _percent([name in named for name in asked.gold])
    if asked.evidence:
        chunks: dict[str, list[Passage]] = {}
        for passage in sources:
            chunks.setdefault(passage.chunk or passage.subgraph, []).append(passage)
        first = list[Passage]()
        for key, found_there in list(chunks.items())[:k]:
            text = chunk_text(key)
            first += [replace(found_there[0], text=text)] if text else found_there
        return _percent([any(holds(passage, one) for passage in first) for one in asked.evidence])
    return None


def holds(passage: Passage, evidence: Evidence) -> bool:
    """Return whether a passage of the right document has a quotation, or a part of the document that is all in it."""
    if evidence.document not in names_of(passage.document, passage.source):
        return False
    here = words(passage.text)
    return bool(here) and (evidence.quote in here or here in evidence.quote)


def has_one(expected: Iterable[str], answer: str) -> bool:
    """Return whether one of the texts stands in an answer, both normalised."""
    given = f" {normal(answer)} "
    return any(f" {normal(text)} " in given for text in expected)


def normal(text: str) -> str:
    """Return a text in NFC and lower case, its letters and digits alone, words apart."""
    return " ".join(re.findall(r"[^\W_]+", unicodedata.normalize("NFC", text).lower()))


def _cited(trace: Trace) -> Iterator[Passage]:
    """Yield the passages that an answer cites; of a whole chunk, where that is on record, the sentences it quotes."""
    for citation in trace.citations:
        for key in citation.cites:
            for passage in trace.passages.get(key, ()):
                spans = citation.spans.get(key, []) if passage.subgraph == passage.chunk else []
                yield from (replace(passage, text=passage.text[start:end]) for start, end in spans)
                yield from [] if spans else [passage]


def _percent(held: Sequence[bool]) -> float:
    return 100 * sum(held) / len(held)
