"""What is known of how well each sentence of some passages fits a question: numbers from 0 to about 1, by name.

They rest on shared words weighed by rarity, on word vectors, on cosines of the embedder, on named entities, and on
where a sentence stands. `ranking.py` weighs those of each sentence, `support.py` those of the best one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from explorer.language import questions as q
from explorer.language.words import is_content, stem, tokens
from explorer.models.embedding import Embedder, word_vectors

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from explorer.language.questions import Question
    from explorer.reasoning.protocol import ReadPassage, SourceEntity, SourceSentence

    Row = NDArray[np.float32]

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
    "head", "head in passage", "head lost",
    "names", "names around", "names in passage", "name lost", "name lost in passage", "name lost in all",
    "number lost", "number lost in passage",
    "negation differs", "antonym",
    "negated", "long", "asks: person", "asks: time", "asks: number", "asks: place", "asks: cause", "asks: manner",
    "asks: yes or no", "asks: thing", "has names", "has numbers",
)  # fmt: skip
OF_QUESTIONS = OF_SUPPORT[OF_SUPPORT.index("negated") :]
"""What is known of the question alone: it tells how a set of questions was written, not what the passages hold."""

_CAUSE = re.compile(
    r"\b(because|since|so that|therefore|thus|due to|owing to|caus\w+|led to|reason\w*|result\w*|prevent\w*|"
    r"in order to|could not|would have|as a consequence|for fear|to (?:avoid|protect|keep|make|allow))\b", re.IGNORECASE
)  # fmt: skip
_MANNER = re.compile(
    r"\b(by|through|using|via|with|means|method|process|technique|first|then|so that|\w+ly)\b", re.IGNORECASE
)
_PRONOUN = re.compile(
    r"(?:\W*(?:and|but|however|then|also|later|there|thus|moreover|furthermore|in addition|instead|therefore),? )?"
    r"(?:he|she|it|they|his|her|its|their|this|these|those|that|such|both)\b", re.IGNORECASE
)  # fmt: skip
_NEGATION = re.compile(
    r"\b(?:not|never|no|without|nobody|nothing|none|neither|nor|cannot|unable|fail\w*|refus\w*)\b|n[’']t\b",
    re.IGNORECASE,
)
_ANTONYMS = [pair.split("/") for pair in (
    "first/last begin/end start/end start/finish begin/finish open/close increase/decrease increase/reduce "
    "rise/fall gain/lose win/lose north/south east/west northern/southern eastern/western upper/lower high/low "
    "large/small big/small long/short more/less most/least maximum/minimum major/minor early/late before/after "
    "above/below accept/reject accept/refuse allow/prevent allow/forbid support/oppose include/exclude "
    "enter/leave arrive/leave create/destroy build/destroy strong/weak rich/poor old/young old/new "
    "modern/ancient public/private male/female man/woman father/mother son/daughter brother/sister king/queen "
    "husband/wife import/export hot/cold warm/cold fast/slow easy/difficult easy/hard simple/complex "
    "same/different similar/different always/never often/rarely common/rare positive/negative success/failure "
    "succeed/fail victory/defeat friend/enemy ally/enemy love/hate buy/sell give/take push/pull attack/defend "
    "war/peace life/death birth/death born/die left/right inside/outside internal/external active/passive "
    "direct/indirect domestic/foreign local/global urban/rural day/night summer/winter best/worst good/bad "
    "better/worse true/false legal/illegal wide/narrow deep/shallow thick/thin full/empty heavy/light "
    "present/absent teacher/student offense/defense majority/minority advantage/disadvantage remain/leave"
).split()]  # fmt: skip
_OPPOSITE: dict[str, frozenset[str]] = {}
_PREFIXES = ("un", "in", "im", "non", "dis", "ir", "il", "de")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_CLOCK = re.compile(r"\b\d{1,3}:\d\d\b")
_FEW_NEW = 2  # words that a sentence adds to the question: with no more it only says it again
_UNSURE = 0.6  # of a person where a name, an organisation or a group stands
_NOWHERE = "\N{REPLACEMENT CHARACTER}zq"  # a word that stands in no text
_NEAR = 0.55  # cosine of word vectors from which a word stands near what another one means


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence among those of some passages: the number of its passage, and its own in that."""

    passage: int
    number: int


@dataclass(frozen=True, slots=True)
class Features:
    """The features of every sentence of some passages for one question."""

    lines: tuple[Line, ...]
    sentences: Row
    parts: _Parts

    def of_support(self, scores: Row) -> Row:
        """Return what is known of the best sentence, by the scores of all."""
        return self.parts.of_support(self, scores)

    def of_best(self, scores: Row) -> dict[str, float]:
        """Return the features of the best sentence, by name."""
        return dict(zip(OF_SENTENCES, map(float, self.sentences[int(scores.argmax())]), strict=True))

    @property
    def words(self) -> tuple[str, ...]:
        """The content words of the question, as they stand there."""
        return tuple(self.parts.words)

    def coverage(self, passages: Sequence[int]) -> list[float]:
        """Return how well some passages cover each word of the question: the best cosine of a word of theirs."""
        return [float(value) for value in self.parts.passages[list(passages)].max(axis=0)]

    def lacks_name(self, passage: int) -> bool:
        """Return whether a passage lacks a word of a name in the question."""
        return _shared(self.parts.names, self.parts.stems_of_passages[passage]) < 1


@dataclass(slots=True)
class _Parts:
    """What the features of one question are computed from."""

    question: Question
    weights: Row  # of the question's words, rarity as a share of that of a word which stands nowhere
    found: Row  # sentence × word: the best cosine of a word of the sentence, 1 for the same stem
    around: Row
    passages: Row  # passage × word
    exact: Row
    exact_around: Row
    exact_passages: Row
    cosines: Row
    cosine_of_passages: Row
    head_of_passages: Row
    names: list[frozenset[str]]
    numbers: frozenset[str]
    numbers_there: list[frozenset[str]]
    stems: list[frozenset[str]]
    stems_of_passages: list[frozenset[str]]
    keys: list[str]
    words: list[str]

    def of_support(self, features: Features, scores: Row) -> Row:
        import numpy as np

        best = int(scores.argmax())
        line, row = features.lines[best], features.sentences[best]
        value = dict(zip(OF_SENTENCES, map(float, row), strict=True))
        others = np.array([one.passage != line.passage for one in features.lines])
        ordered = np.sort(scores)[::-1]
        sentence, around, passage = self.found[best], self.around[best], self.passages[line.passage]
        w = self.weights
        near = slice(max(0, best - 1), best + 2)
        there_around = frozenset().union(*self.stems[near])
        of_passage = self.stems_of_passages[line.passage]
        everywhere = frozenset().union(*self.stems_of_passages)
        asked = self.question
        named, numbered = bool(self.names), bool(self.numbers)
        kind_lost = {kind: asked.kind == kind and not value["kind"] for kind in q.ENTITIES}
        sorted_passage = np.sort(passage) if len(passage) else np.ones(1)
        all_exact = self.exact_passages[:3].max(axis=0) if len(self.exact_passages) else w * 0
        total = float(w.sum()) or 1.0
        computed = {
            "score": float(ordered[0]),
            "margin": float(min(4.0, ordered[0] - ordered[1])) if len(ordered) > 1 else 4.0,
            "margin of passage": float(min(4.0, ordered[0] - scores[others].max())) if others.any() else 4.0,
            "words of all": float((w * all_exact).sum()) / total,
            "best cosine": float(self.cosines.max()),
            "worst around": float(around.min(initial=1.0)),
            "worst in passage": float(passage.min(initial=1.0)),
            "second worst in passage": float(sorted_passage[min(1, len(sorted_passage) - 1)]),
            "rarest lost": _rarest_lost(w, sentence),
            "rarest lost around": _rarest_lost(w, around),
            "rarest lost in passage": _rarest_lost(w, passage),
            "unknown": float((w >= 0.999).sum()) / max(1, len(w)),
            **{f"kind lost: {kind}": float(is_lost) for kind, is_lost in kind_lost.items()},
            "cue lost": float(asked.kind in {q.CAUSE, q.MANNER} and not value["cue"]),
            "head in passage": float(self.head_of_passages[line.passage]),
            "head lost": float(bool(asked.head) and self.head_of_passages[line.passage] < _NEAR),
            "names around": _shared(self.names, there_around),
            "name lost": float(named and value["names"] < 1),
            "name lost in passage": float(named and _shared(self.names, of_passage) < 1),
            "name lost in all": float(named and _shared(self.names, everywhere) < 1),
            "number lost": float(not self.numbers <= frozenset().union(*self.numbers_there[near])),
            "number lost in passage": float(
                not self.numbers
                <= frozenset().union(
                    *(there for other, there in zip(others, self.numbers_there, strict=True) if not other)
                )
            ),
            "antonym": self._antonym(best),
            "negated": float(asked.is_negated),
            "long": min(2.0, len(self.keys) / 10),
            **{f"asks: {kind}": float(asked.kind == kind) for kind in q.KINDS if kind != q.CHOICE},
            "has names": float(named),
            "has numbers": float(numbered),
        }
        known = value | computed
        return np.array([known[name] for name in OF_SUPPORT], dtype=np.float32)

    def _antonym(self, best: int) -> float:
        """Return 1 where the opposite of a word of the question stands in the sentence, and not the word itself."""
        there = self.stems[best]
        for key in self.keys:
            if key in there:
                continue
            opposite = {f"{prefix}{key}" for prefix in _PREFIXES} | set(opposites(key))
            opposite |= {key.removeprefix(prefix) for prefix in _PREFIXES if len(key) > len(prefix) + 3} - {key}
            if opposite & there:
                return 1.0
        return 0.0


def _rarest_lost(weights: Row, covered: Row) -> float:
    """Return the highest share of a word's rarity that is not covered."""
    return float((weights * (1 - covered.clip(0, 1))).max(initial=0.0))


def opposites(key: str) -> frozenset[str]:
    """Return the stems of words that mean the opposite."""
    if not _OPPOSITE:
        pairs: dict[str, set[str]] = {}
        for one, other in _ANTONYMS:
            pairs.setdefault(stem(one), set()).add(stem(other))
            pairs.setdefault(stem(other), set()).add(stem(one))
        _OPPOSITE.update({key: frozenset(found) for key, found in pairs.items()})
    return _OPPOSITE.get(key, frozenset())


def features(
    question: Question, passages: Sequence[ReadPassage], embedder: Embedder, rarity: Callable[[str], float]
) -> Features | None:
    """Return the features of the passages' sentences, passages best first; None where there is no sentence."""
    lines = [Line(p, n) for p, passage in enumerate(passages) for n in range(len(passage.sentences))]
    return _Reading(question, passages, lines, embedder, rarity).features() if lines else None


@dataclass(slots=True)
class _Reading:
    """The sentences of some passages being compared with a question.

    `near` and `same`: vocabulary × word of the question, the cosine of word vectors and whether the stem is the same.
    """

    question: Question
    passages: Sequence[ReadPassage]
    lines: list[Line]
    embedder: Embedder
    rarity: Callable[[str], float]
    texts: list[str] = field(init=False)
    asked: dict[str, str] = field(init=False)
    places: list[slice] = field(init=False)
    words: list[list[str]] = field(init=False)
    titles: list[list[str]] = field(init=False)
    of_lines: list[NDArray[np.int64]] = field(init=False)
    of_titles: list[NDArray[np.int64]] = field(init=False)
    weights: Row = field(init=False)
    near: Row = field(init=False)
    same: Row = field(init=False)
    to_head: Row = field(init=False)

    def __post_init__(self) -> None:
        """Read the words of all texts, and compare each with those of the question."""
        import numpy as np

        self.texts = [self._sentence(line).text for line in self.lines]
        ends = np.searchsorted([line.passage for line in self.lines], range(len(self.passages)), side="right").tolist()
        self.places = [slice(start, end) for start, end in pairwise([0, *ends])]
        whole = f"{self.question.text} {self.question.context}"
        words = _parts_of(whole) or tokens(whole) or [whole.strip() or "?"]
        self.asked = {stem(word): word for word in words}
        unknown = self.rarity(_NOWHERE) or 1.0
        shares = [max(0.05, min(1.0, self.rarity(word) / unknown)) for word in self.asked.values()]
        self.weights = np.array(shares, dtype=np.float32)
        runs = [_parts_of(text) for text in [*self.texts, *(passage.title for passage in self.passages)]]
        stemmed = [[stem(word) for word in run] for run in runs]
        self.words, self.titles = stemmed[: len(self.texts)], stemmed[len(self.texts) :]
        written: dict[str, str] = {}
        for run, keys in zip(runs, stemmed, strict=True):
            for word, key in zip(run, keys, strict=True):
                written.setdefault(key, word)
        self._compare(written)

    def _sentence(self, line: Line) -> SourceSentence:
        return self.passages[line.passage].sentences[line.number]

    def _compare(self, written: Mapping[str, str]) -> None:
        """Compare each word of the texts with those of the question, by vectors and by stems."""
        import numpy as np

        number = {key: place for place, key in enumerate(written)}
        asked = [word.lower() for word in self.asked.values()]
        head = self.question.head or "thing"
        vectors = word_vectors([*(word.lower() for word in written.values()), *asked, head])
        own = vectors[: len(number)]
        self.near = np.clip(own @ vectors[len(number) : -1].T, 0, 1)
        self.same = np.zeros_like(self.near)
        for column, key in enumerate(self.asked):
            if key in number:
                self.same[number[key], column] = self.near[number[key], column] = 1.0
        self.to_head = np.clip(own @ vectors[-1], 0, 1)
        if stem(head) in number:
            self.to_head[number[stem(head)]] = 1.0
        self.of_lines, self.of_titles = (
            [np.array([number[key] for key in run], dtype=np.int64) for run in runs]
            for runs in (self.words, self.titles)
        )

    def features(self) -> Features:
        """Return the features of all sentences."""
        import numpy as np

        best = self._best
        found, exact = (np.stack([best(table, run) for run in self.of_lines]) for table in (self.near, self.same))
        titled = np.stack([best(self.near, run) for run in self.of_titles])
        titled_exact = np.stack([best(self.same, run) for run in self.of_titles])
        owner = np.array([line.passage for line in self.lines])
        edge = owner[1:] == owner[:-1]
        whole = np.stack([np.maximum(found[at].max(axis=0, initial=0), titled[p]) for p, at in enumerate(self.places)])
        whole_exact = np.stack(
            [np.maximum(exact[at].max(axis=0, initial=0), titled_exact[p]) for p, at in enumerate(self.places)]
        )
        title_stems = [frozenset(run) for run in self.titles]
        stems = [frozenset(run) | title_stems[p] for run, p in zip(self.words, owner, strict=True)]
        cosines, passage_cosines = self._cosines()
        parts = _Parts(
            question=self.question,
            weights=self.weights,
            found=found,
            around=_around(found, edge),
            passages=whole,
            exact=exact,
            exact_around=_around(exact, edge),
            exact_passages=whole_exact,
            cosines=cosines,
            cosine_of_passages=passage_cosines,
            head_of_passages=np.array([
                max((float(self.to_head[run].max()) for run in self.of_lines[at] if len(run)), default=0.0)
                for at in self.places
            ]),
            names=[frozenset(stem(word) for word in _parts_of(name)) for name in self.question.names],
            numbers=frozenset(_NUMBER.findall(" ".join(self.question.numbers))),
            numbers_there=[frozenset(_NUMBER.findall(f"{self.passages[line.passage].title} {text}"))
                           for line, text in zip(self.lines, self.texts, strict=True)],
            stems=stems,
            stems_of_passages=[frozenset().union(*stems[at], title_stems[p]) for p, at in enumerate(self.places)],
            keys=list(self.asked),
            words=list(self.asked.values()),
        )  # fmt: skip
        shared = self._of_passages(parts, titled_exact)
        around = _mean_around(cosines, edge)
        # a word of the title counts as found in its sentences by half: they are about it
        parts_around = np.maximum(parts.exact_around, 0.5 * titled_exact[owner])
        rows = [self._row(i, parts, shared[line.passage], parts_around[i], float(around[i]))
                for i, line in enumerate(self.lines)]  # fmt: skip
        return Features(tuple(self.lines), np.array(rows, dtype=np.float32), parts)

    def _best(self, table: Row, run: NDArray[np.int64]) -> Row:
        """Return for each word of the question the best of some words."""
        import numpy as np

        best: Row = table[run].max(axis=0) if len(run) else np.zeros(table.shape[1], dtype=np.float32)
        return best

    def _cosines(self) -> tuple[Row, Row]:
        """Return the cosine of each sentence and of each passage with its title to the question."""
        asked = self.embedder.embed([f"{self.question.text} {self.question.context}".rstrip()])[0]
        wholes = [one.with_title for one in self.passages]
        return self.embedder.embed(self.texts) @ asked, self.embedder.embed(wholes) @ asked

    def _of_passages(self, parts: _Parts, titled: Row) -> list[dict[str, float]]:
        """Return the features of each passage."""
        import numpy as np

        w, total = self.weights, float(self.weights.sum())
        lengths = [sum(map(len, self.of_lines[at])) for at in self.places]
        mean = sum(lengths) / len(lengths) or 1.0
        bm25 = []
        for at, length, title in zip(self.places, lengths, titled, strict=True):
            often = sum((self.same[run].sum(axis=0) for run in self.of_lines[at]), np.zeros(len(w))) + title
            bm25.append(float((w * often * 2.2 / (often + 1.2 * (0.25 + 0.75 * length / mean))).sum()))
        top = max(bm25) or 1.0
        return [
            {
                "passage words": float((w * parts.exact_passages[p]).sum()) / total,
                "passage meaning": float((w * parts.passages[p]).sum()) / total,
                "passage bm25": bm25[p] / top,
                "passage rank": 1 / (1 + p),
                "passage first": float(p == 0),
                "passage cosine": float(parts.cosine_of_passages[p]),
                "title": float((w * titled[p]).sum()) / total,
                "names in passage": _shared(parts.names, parts.stems_of_passages[p]),
            }
            for p in range(len(self.passages))
        ]

    def _row(
        self, i: int, parts: _Parts, shared: Mapping[str, float], exact_around: Row, cosine_around: float
    ) -> tuple[float, ...]:
        """Return the features of a sentence, in the order of `OF_SENTENCES`."""
        import numpy as np

        question, run, text = self.question, self.words[i], self.texts[i]
        content, keys, head = set(run), parts.keys, stem(self.question.head)
        w, total = self.weights, float(self.weights.sum())
        pairs_asked = set(pairwise(keys))
        kind, kind_near = _kind(question, self._sentence(self.lines[i]).entities, self.asked, text)
        cue = {q.CAUSE: _CAUSE, q.MANNER: _MANNER}.get(question.kind)
        new = len(content - set(keys))
        own = {
            "words": float((w * parts.exact[i]).sum()) / total,
            "meaning": float((w * parts.found[i]).sum()) / total,
            "words around": float((w * exact_around).sum()) / total,
            "meaning around": float((w * parts.around[i]).sum()) / total,
            "cosine": float(parts.cosines[i]),
            "cosine around": cosine_around,
            "pairs": len(set(pairwise(run)) & pairs_asked) / max(1, len(pairs_asked)),
            "rarest": float(parts.exact[i][int(w.argmax())]),
            "worst": float(parts.found[i].min()),
            "names": _shared(parts.names, parts.stems[i]),
            "numbers": float(parts.numbers <= parts.numbers_there[i]),
            "kind": kind,
            "kind near": kind_near,
            "head": float(self.to_head[self.of_lines[i]].max(initial=0)) if head else 0.0,
            "head word": float(bool(head) and head in content),
            "cue": float(bool(cue and cue.search(text))),
            "new": float(np.log1p(new)) / 3,
            "short": float(new <= _FEW_NEW),
            "length": float(np.log1p(len(run))) / 3,
            "opens passage": float(self.lines[i].number == 0),
            "begins with pronoun": float(bool(_PRONOUN.match(text))),
            "negation differs": float(question.is_negated and not _NEGATION.search(text)),
        }
        known = {**shared, **own}
        return tuple(known[name] for name in OF_SENTENCES)


def _parts_of(text: str) -> list[str]:
    """Return the content words of a text, with the parts of hyphenated ones."""
    return [part for word in tokens(text) for part in ([word, *word.split("-")] if "-" in word else [word])
            if is_content(part)]  # fmt: skip


def _around(rows: Row, edge: Row) -> Row:
    """Return the best of each row and its neighbours in the same passage."""
    import numpy as np

    out = rows.copy()
    if len(rows) > 1:
        out[1:][edge] = np.maximum(out[1:][edge], rows[:-1][edge])
        out[:-1][edge] = np.maximum(out[:-1][edge], rows[1:][edge])
    return out


def _mean_around(values: Row, edge: Row) -> Row:
    import numpy as np

    total, count = np.zeros_like(values), np.zeros_like(values)
    if len(values) > 1:
        total[1:] += np.where(edge, values[:-1], 0)
        count[1:] += edge
        total[:-1] += np.where(edge, values[1:], 0)
        count[:-1] += edge
    return np.where(count > 0, total / np.maximum(count, 1), values)


def _shared(names: Sequence[frozenset[str]], there: frozenset[str]) -> float:
    """Return which share of some names' words is there, the mean of all names; 1 where there are none."""
    shares = [len(name & there) / len(name) for name in names if name]
    return sum(shares) / len(shares) if shares else 1.0


def _kind(
    question: Question, entities: Sequence[SourceEntity], asked: Mapping[str, str], text: str
) -> tuple[float, float]:
    """Return whether a sentence has an entity of the kind that is asked for, which the question does not name.

    And how near that stands to the question's words (1: beside one).
    """
    wanted = question.entities
    if not wanted:
        return 0.0, 0.0
    found = []
    for entity in entities:
        named = {stem(word) for word in tokens(entity.text) if is_content(word)} <= set(asked)
        if entity.kind in wanted and not named:
            is_sure = question.kind != q.PERSON or entity.kind not in {"name", "organisation", "group"}
            found.append((1.0 if is_sure else _UNSURE, entity.start, entity.end))
    if question.kind == q.TIME:
        found += [(1.0, match.start(), match.end()) for match in _CLOCK.finditer(text)]
    places = [match.start() for match in re.finditer(r"\w+", text) if stem(match[0]) in asked] if found else []
    near = 0.0
    for weight, start, end in found:
        apart = [min(abs(place - start), abs(place - end)) for place in places if not start <= place < end]
        near = max(near, weight / (1 + min(apart, default=200) / 30))
    return max((weight for weight, _, _ in found), default=0.0), near
