"""What is known of how well each sentence of some passages fits a question: numbers from 0 to about 1, by name.

They rest on shared words weighed by rarity, on word vectors, on cosines of the embedder (`matching.py`), on named
entities, and on where a sentence stands. `ranking.py` weighs those of each, `support.py` those of the best.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from explorer.language import questions as q
from explorer.language.named_entities import NamedEntity
from explorer.language.opposites import opposites
from explorer.language.words import stem, tokens
from explorer.reasoning.extractive.kinds import kind_in, tells
from explorer.reasoning.extractive.lines import labels
from explorer.reasoning.extractive.matching import NEAR, Match

if TYPE_CHECKING:
    from explorer.reasoning.extractive.matching import Row

OF_SENTENCES = (
    "passage words", "passage meaning", "passage bm25", "passage rank", "passage first", "passage cosine", "title",
    "words", "meaning", "words around", "meaning around", "cosine", "cosine around", "pairs", "rarest", "worst",
    "names", "names in passage", "numbers", "kind", "kind near", "head", "head word", "cue", "new", "short", "length",
    "opens passage", "begins with pronoun", "negation differs",
)  # fmt: skip
OF_SUPPORT = (
    "score", "margin", "margin of passage", "cosine", "passage cosine", "meaning", "meaning around", "passage meaning",
    "words", "words around", "passage words", "words of all", "best cosine", "title",
    "worst", "worst around", "worst in passage", "second worst in passage", "rarest lost", "rarest lost around",
    "rarest lost in passage", "unknown", "pairs",
    "kind lost: person", "kind lost: time", "kind lost: number", "kind lost: place", "kind near", "cue lost", "kind",
    "head", "head in passage", "head lost", "noun lost", "verb lost", "adjective lost", "order lost",
    "names", "names around", "names in passage", "name lost", "name lost in passage", "name lost in all",
    "number lost", "number lost in passage",
    "negation differs", "antonym",
    "negated", "long", "asks: person", "asks: time", "asks: number", "asks: place", "asks: cause", "asks: manner",
    "asks: yes or no", "asks: thing", "has names", "has numbers",
)  # fmt: skip
OF_QUESTIONS = OF_SUPPORT[OF_SUPPORT.index("negated") :]
"""What is known of the question alone: it tells how a set of questions was written, not what the passages hold."""

_PRONOUN = re.compile(
    r"(?:\W*(?:and|but|however|then|also|later|there|thus|moreover|furthermore|in addition|instead|therefore),? )?"
    r"(?:he|she|it|they|his|her|its|their|this|these|those|that|such|both)\b", re.IGNORECASE
)  # fmt: skip
NEGATION = re.compile(
    r"\b(?:not|never|no|without|nobody|nothing|none|neither|nor|cannot|unable|fail\w*|refus\w*)\b|n[’']t\b",
    re.IGNORECASE,
)
_ORDERING = frozenset(map(stem, (
    "first last only most least more less before after never always all every none without during until final "
    "main primary largest smallest highest lowest best worst oldest newest second third"
).split()))  # fmt: skip
_FIRST = re.compile(r"[\W\d]*(?P<name>[A-Z][^\W\d]+)(?= [a-z])")
_FEW_NEW = 2  # words that a sentence adds to the question: with no more it only says it again
_CLASSES = ("noun", "verb", "adjective")


@dataclass(frozen=True, slots=True)
class Features:
    """The features of every sentence of some passages for one question: a row for each of `match.lines`."""

    match: Match
    sentences: Row

    def named(self, name: str) -> Row:
        """Return one feature of all sentences."""
        column: Row = self.sentences[:, OF_SENTENCES.index(name)]
        return column

    def of_best(self, scores: Row) -> dict[str, float]:
        """Return the features of the best sentence, by name."""
        return dict(zip(OF_SENTENCES, map(float, self.sentences[int(scores.argmax())]), strict=True))

    def of_support(self, scores: Row) -> Row:
        """Return what is known of the best sentence, by the scores of all."""
        import numpy as np

        best = int(scores.argmax())
        match, value = self.match, self.of_best(scores)
        line = match.lines[best]
        others = np.array([one.passage != line.passage for one in match.lines])
        ordered = np.sort(scores)[::-1]
        sentence, around, passage = match.found[best], match.around[best], match.of_passages[line.passage]
        w = match.weights
        near = slice(max(0, best - 1), best + 2)
        there_around = frozenset().union(*match.stems[near])
        of_passage = match.stems_of_passages[line.passage]
        everywhere = frozenset().union(*match.stems_of_passages)
        asked = match.question
        named, numbered = bool(match.names), bool(match.numbers)
        classes = dict(asked.classes)
        of_class = {name: np.array([classes.get(key) == name for key in match.keys]) for name in _CLASSES}
        kind_lost = {kind: asked.kind == kind and not value["kind"] for kind in q.ENTITIES}
        sorted_passage = np.sort(passage) if len(passage) else np.ones(1)
        all_exact = match.exact_of_passages[:3].max(axis=0) if len(match.exact_of_passages) else w * 0
        total = float(w.sum()) or 1.0
        heads = [match.to_head[run].max() for run in match.numbered[match.places[line.passage]] if len(run)]
        head_near = float(max(heads, default=0.0))
        computed = {
            "score": float(ordered[0]),
            "margin": float(min(4.0, ordered[0] - ordered[1])) if len(ordered) > 1 else 4.0,
            "margin of passage": float(min(4.0, ordered[0] - scores[others].max())) if others.any() else 4.0,
            "words of all": float((w * all_exact).sum()) / total,
            "best cosine": float(match.cosines.max()),
            "worst around": float(around.min(initial=1.0)),
            "worst in passage": float(passage.min(initial=1.0)),
            "second worst in passage": float(sorted_passage[min(1, len(sorted_passage) - 1)]),
            "rarest lost": _rarest_lost(w, sentence),
            "rarest lost around": _rarest_lost(w, around),
            "rarest lost in passage": _rarest_lost(w, passage),
            "unknown": float((w >= 0.999).sum()) / max(1, len(w)),
            **{f"kind lost: {kind}": float(is_lost) for kind, is_lost in kind_lost.items()},
            "cue lost": float(asked.kind in {q.CAUSE, q.MANNER} and not value["cue"]),
            "head in passage": head_near,
            "head lost": float(bool(asked.head) and head_near < NEAR),
            **{f"{name} lost": _rarest_lost(w * of, passage) for name, of in of_class.items()},
            "order lost": _order_lost(asked.text, match.texts[near]),
            "names around": match.names_in(there_around),
            "name lost": float(named and value["names"] < 1),
            "name lost in passage": float(named and match.names_in(of_passage) < 1),
            "name lost in all": float(named and match.names_in(everywhere) < 1),
            "number lost": float(not match.numbers <= frozenset().union(*match.numbers_there[near])),
            "number lost in passage": float(
                not match.numbers
                <= frozenset().union(
                    *(there for other, there in zip(others, match.numbers_there, strict=True) if not other)
                )
            ),
            "antonym": _antonym(asked.text, match.texts[best]),
            "negated": float(asked.is_negated),
            "long": min(2.0, len(match.keys) / 10),
            **{f"asks: {kind}": float(asked.kind == kind) for kind in q.KINDS if kind != q.CHOICE},
            "has names": float(named),
            "has numbers": float(numbered),
        }
        known = value | computed
        return np.array([known[name] for name in OF_SUPPORT], dtype=np.float32)


def features(match: Match) -> Features:
    """Return the features of all sentences of some passages."""
    import numpy as np

    owner = np.array([line.passage for line in match.lines])
    of_passages = _of_passages(match)
    cosines = _mean_around(match.cosines, owner[1:] == owner[:-1]).tolist()
    # a word of the title counts as found in its sentences by half: they are about it
    exact = np.maximum(match.exact_around, 0.5 * match.exact_of_titles[owner])
    words = ((exact * match.weights).sum(axis=1) / float(match.weights.sum())).tolist()
    around = [{"words around": share, "cosine around": cosine} for share, cosine in zip(words, cosines, strict=True)]
    sentences = (match.sentence(line) for line in match.lines)
    named = (one for sentence in sentences for one in sentence.entities if one.kind in {"person", "name"})
    people = frozenset(name for one in named for name in one.text.split())
    rows = [_row(match, i, of_passages[line.passage] | around[i], people) for i, line in enumerate(match.lines)]
    return Features(match, np.array(rows, dtype=np.float32))


def _of_passages(match: Match) -> list[dict[str, float]]:
    """Return the features of each passage."""
    import numpy as np

    w, total = match.weights, float(match.weights.sum())
    lengths = [sum(map(len, match.numbered[at])) for at in match.places]
    mean = sum(lengths) / len(lengths) or 1.0
    bm25 = []
    for at, length, title in zip(match.places, lengths, match.exact_of_titles, strict=True):
        often = sum((match.same[run].sum(axis=0) for run in match.numbered[at]), np.zeros(len(w))) + title
        bm25.append(float((w * often * 2.2 / (often + 1.2 * (0.25 + 0.75 * length / mean))).sum()))
    top = max(bm25) or 1.0
    return [
        {
            "passage words": float((w * match.exact_of_passages[p]).sum()) / total,
            "passage meaning": float((w * match.of_passages[p]).sum()) / total,
            "passage bm25": bm25[p] / top,
            "passage rank": 1 / (1 + p),
            "passage first": float(p == 0),
            "passage cosine": float(match.cosines_of_passages[p]),
            "title": float((w * match.exact_of_titles[p]).sum()) / total,
            "names in passage": match.names_in(match.stems_of_passages[p]),
        }
        for p in range(len(match.read))
    ]


def _first_named(text: str, people: frozenset[str]) -> list[NamedEntity]:
    """Return the person that a sentence begins with by one name, where a passage has that name for one."""
    opening = _FIRST.match(text)
    if opening is None or opening["name"] not in people:
        return []
    return [NamedEntity("person", opening.start("name"), opening.end("name"), opening["name"])]


def _row(match: Match, i: int, known: Mapping[str, float], people: frozenset[str]) -> tuple[float, ...]:
    """Return the features of a sentence, in the order of `OF_SENTENCES`."""
    import numpy as np

    question, run, text = match.question, match.stemmed[i], match.texts[i]
    content, keys, head = set(run), match.keys, stem(question.head)
    w, total = match.weights, float(match.weights.sum())
    asked = dict(zip(keys, match.words, strict=True))
    pairs_asked = set(pairwise(keys))
    entities = [*match.sentence(match.lines[i]).entities, *_first_named(text, people)]
    line = match.lines[i]
    kind, kind_near = kind_in(question, entities, asked, text, labels(match.read[line.passage], line.number))
    new = len(content - set(keys))
    own = {
        "words": float((w * match.exact[i]).sum()) / total,
        "meaning": float((w * match.found[i]).sum()) / total,
        "meaning around": float((w * match.around[i]).sum()) / total,
        "cosine": float(match.cosines[i]),
        "pairs": len(set(pairwise(run)) & pairs_asked) / max(1, len(pairs_asked)),
        "rarest": float(match.exact[i][int(w.argmax())]),
        "worst": float(match.found[i].min()),
        "names": match.names_in(match.stems[i]),
        "numbers": float(match.numbers <= match.numbers_there[i]),
        "kind": kind,
        "kind near": kind_near,
        "head": float(match.to_head[match.numbered[i]].max(initial=0)) if head else 0.0,
        "head word": float(bool(head) and head in content),
        "cue": float(tells(question, text, asked)),
        "new": float(np.log1p(new)) / 3,
        "short": float(new <= _FEW_NEW),
        "length": float(np.log1p(len(run))) / 3,
        "opens passage": float(match.lines[i].number == 0),
        "begins with pronoun": float(bool(_PRONOUN.match(text))),
        "negation differs": float(question.is_negated and not NEGATION.search(text)),
    }
    return tuple({**known, **own}[name] for name in OF_SENTENCES)


def _rarest_lost(weights: Row, covered: Row) -> float:
    """Return the highest share of a word's rarity that is not covered."""
    return float((weights * (1 - covered.clip(0, 1))).max(initial=0.0))


def _mean_around(values: Row, edge: Row) -> Row:
    import numpy as np

    total, count = np.zeros_like(values), np.zeros_like(values)
    if len(values) > 1:
        total[1:] += np.where(edge, values[:-1], 0)
        count[1:] += edge
        total[:-1] += np.where(edge, values[1:], 0)
        count[:-1] += edge
    return np.where(count > 0, total / np.maximum(count, 1), values)


def _antonym(asked: str, text: str) -> float:
    """Return 1 where the opposite of a word of a question stands in a sentence, and not the word itself."""
    there = set(map(stem, tokens(text)))
    return float(any(opposites(key) & there for key in {*map(stem, tokens(asked))} - there))


def _order_lost(asked: str, texts: Sequence[str]) -> float:
    """Return which share of the question's "first", "only", "before" some sentences lack."""
    ordering = {*map(stem, tokens(asked))} & _ORDERING
    there = {stem(word) for text in texts for word in tokens(text)}
    return len(ordering - there) / len(ordering) if ordering else 0.0
