"""What is known of how well each sentence of some passages fits a question: numbers from 0 to about 1, by name.

They rest on shared words weighed by rarity, on word vectors, on cosines of the embedder, on named entities, and on
where a sentence stands. `ranking.py` weighs those of each sentence, `support.py` those of the best one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from explorer.language import questions as q
from explorer.language import spelling
from explorer.language.named_entities import MEASURED, NamedEntity
from explorer.language.opposites import opposites
from explorer.language.words import COUNTS, first_label, labels, stem, tokens
from explorer.models.embedding import Embedder, cosines, is_common
from explorer.reasoning.extractive.kinds import kind_in, tells
from explorer.reasoning.extractive.vocabulary import Vocabulary, content_parts, vocabulary

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from explorer.language.questions import Question
    from explorer.reasoning.protocol import ReadPassage, SourceSentence

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
_NEGATION = re.compile(
    r"\b(?:not|never|no|without|nobody|nothing|none|neither|nor|cannot|unable|fail\w*|refus\w*)\b|n[’']t\b",
    re.IGNORECASE,
)
_ORDERING = frozenset(map(stem, (
    "first last only most least more less before after never always all every none without during until final "
    "main primary largest smallest highest lowest best worst oldest newest second third"
).split()))  # fmt: skip
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_FIRST = re.compile(r"[\W\d]*(?P<name>[A-Z][^\W\d]+)(?= [a-z])")
_COUNTED = re.compile("|".join(COUNTS), re.IGNORECASE)
_FEW_NEW = 2  # words that a sentence adds to the question: with no more it only says it again
_UNKNOWN = 0.999  # of the rarity of a word that stands nowhere
_NOWHERE = "\N{REPLACEMENT CHARACTER}zq"  # a word that stands in no text
_WHOLLY = 0.9  # of the question's words, weighed by rarity
_KIN = 4  # first letters that two words of one root share
_STRANGE = 0.35  # cosine of word vectors below which nothing means what a word does
_CLASSES = ("noun", "verb", "adjective")
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

    @property
    def unknown(self) -> float:
        """The share of the question's words that stand in no document, and are not taken for misspelt."""
        parts = self.parts
        known = zip(parts.weights.tolist(), parts.exact_passages.max(axis=0).tolist(), parts.words, strict=True)
        unknown = [word for weight, found, word in known if weight >= _UNKNOWN and not found]
        return len(unknown) / max(1, len(parts.words))

    def strangers(self, lines: Sequence[Line]) -> list[str]:
        """Return the words of the question that stand in no document, and are near nothing in some lines' passages."""
        parts = self.parts
        near = parts.passages[sorted({line.passage for line in lines})].max(axis=0).tolist()
        known = zip(parts.words, parts.weights.tolist(), parts.exact_passages.max(axis=0).tolist(), near, strict=True)
        return [word for word, weight, found, most in known if weight >= _UNKNOWN and not found and most < _STRANGE]

    @property
    def spelt(self) -> Mapping[str, str]:
        """Words of the question that stand nowhere, each with the word that it is read as."""
        return self.parts.spelt

    def text(self, line: Line) -> str:
        """Return the words of a line."""
        return self.parts.texts[self.lines.index(line)]

    def runs(self, lines: Sequence[Line]) -> list[list[str]]:
        """Return the words of some lines, those that follow one another in their passage in one run."""
        found: list[list[str]] = []
        before: Line | None = None
        for line in sorted(lines, key=lambda one: (one.passage, one.number)):
            if before == Line(line.passage, line.number - 1):
                found[-1].append(self.text(line))
            else:
                found.append([self.text(line)])
            before = line
        return found

    def titles(self, lines: Sequence[Line]) -> list[str]:
        """Return the titles of the passages of some lines."""
        return [self.parts.titles[passage] for passage in sorted({line.passage for line in lines})]

    def uncovered(self, lines: Sequence[Line]) -> list[str]:
        """Return the words of the question, but for names, near which nothing stands in some lines or beside them."""
        parts = self.parts
        around = parts.around[[self.lines.index(line) for line in lines]].max(axis=0).tolist()
        there = {key for line in lines for key in map(stem, tokens(parts.titles[line.passage]))}
        there |= frozenset().union(*parts.names.values())
        return [word for word, key, most in zip(parts.words, parts.keys, around, strict=True)
                if most < _STRANGE and key not in there]  # fmt: skip

    def covers(self, line: Line, but: str = "") -> bool:
        """Return whether a line has nearly all words of the question, but for one noun."""
        parts = self.parts
        weights = parts.weights * [key != stem(but) for key in parts.keys]
        return float((weights * parts.exact[self.lines.index(line)]).sum()) >= _WHOLLY * float(weights.sum())

    def others(self, text: str) -> tuple[str, ...]:
        """Return what stands in a text in place of something marked that the question names."""
        return self.parts.others(text)

    def begins_with_other(self, text: str) -> bool:
        """Return whether a text speaks of another one first: of Apollo 14 where Apollo 13 is asked about."""
        firsts = {key: first_label(key, text) for key, _ in self.parts.question.labelled}
        leads = any(firsts[key] not in {None, mark} for key, mark in self.parts.question.labelled)
        return leads and not self.others(text)

    def lost(self, lines: Sequence[Line]) -> Lost:
        """Return what the question asks for or names, and some lines with their passages lack."""
        return self.parts.lost(self, lines)

    def lacks_name(self, passage: int) -> bool:
        """Return whether a passage lacks a word of a name in the question."""
        return _shared(self.parts.names, self.parts.stems_of_passages[passage]) < 1


@dataclass(frozen=True, slots=True)
class Lost:
    """What a question asks for or names, and what is quoted lacks.

    `kind`: the asked-for kind of thing. `names` and `numbers`: those that the passages quoted from lack too.
    `others`: what stands there in place of something that is marked: "tank 2" for "tank 1".
    `adds`: False where what is quoted has no word or number that the question has not.
    """

    kind: bool = False
    names: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    adds: bool = True


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
    names: dict[str, frozenset[str]]
    numbers: frozenset[str]
    numbers_there: list[frozenset[str]]
    stems: list[frozenset[str]]
    stems_of_passages: list[frozenset[str]]
    keys: list[str]
    words: list[str]
    texts: list[str]
    titles: list[str]
    spelt: dict[str, str]

    def lost(self, features: Features, lines: Sequence[Line]) -> Lost:
        """Return what the question asks for or names, and some lines with their passages lack."""
        asked = self.question
        at = [i for i, line in enumerate(features.lines) if line in lines]
        of = {line.passage for line in lines}
        whole = [i for i, line in enumerate(features.lines) if line.passage in of]
        row = features.sentences[at].max(axis=0)
        value = dict(zip(OF_SENTENCES, map(float, row), strict=True))
        there = frozenset().union(*(self.stems_of_passages[p] for p in of))
        numbers = frozenset().union(*(self.numbers_there[i] for i in whole))
        near = {
            key for key, column in zip(self.keys, self.passages[sorted(of)].max(axis=0), strict=True) if column >= _NEAR
        }
        cued = asked.kind in {q.CAUSE, q.MANNER}
        adjectives = {key for key, name in asked.classes if name == "adjective"}  # "English": of many things
        return Lost(
            kind=not value["cue"] if cued else bool(asked.entities) and not value["kind"],
            names=tuple(name for name, keys in self.names.items() if keys - adjectives and _is_lost(keys, there, near)),
            numbers=tuple(written for written in asked.numbers if not _numbers(written) <= numbers),
            others=self.others(
                " ".join(self.texts[i] for i in at) + "".join(f" {self.titles[p]}" for p in sorted(of)),
                " ".join(self.texts[i] for i in whole),
            ),
            adds=any(self.stems[i] - set(self.keys) or self.numbers_there[i] - self.numbers for i in at),
        )

    def others(self, text: str, around: str = "") -> tuple[str, ...]:
        """Return what stands in a text in place of something marked that the question names: "tank 2" for "tank 1"."""
        found = []
        for asked, mark in self.question.labelled:
            word = self.written(asked)
            key = stem(self.spelt.get(word, word))
            marks = labels(key, text)
            if mark in _numbers(text) and not marks:
                continue
            if mark not in marks and (marks or (around and mark not in labels(key, around))):
                found += [f"{self.written(key)} {other}" for other in sorted(marks)] or [""]
        return tuple(found)

    def written(self, key: str) -> str:
        """Return a stem as the question has it."""
        return next((word for other, word in zip(self.keys, self.words, strict=True) if other == key), key)

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
        classes = dict(asked.classes)
        of_class = {name: np.array([classes.get(key) == name for key in self.keys]) for name in _CLASSES}
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
            **{f"{name} lost": _rarest_lost(w * of, passage) for name, of in of_class.items()},
            "order lost": self._order_lost(near),
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
        there = {stem(word) for word in tokens(self.texts[best])}
        for key in {stem(word) for word in tokens(self.question.text)}:
            if key in there:
                continue
            if opposites(key) & there:
                return 1.0
        return 0.0

    def _order_lost(self, near: slice) -> float:
        """Return which share of the question's "first", "only", "before" lacks around the best sentence."""
        asked = {stem(word) for word in tokens(self.question.text)} & _ORDERING
        there = {stem(word) for text in self.texts[near] for word in tokens(text)}
        return len(asked - there) / len(asked) if asked else 0.0


def _is_lost(name: Collection[str], there: Collection[str], near: Collection[str]) -> bool:
    """Return whether a text lacks a name: all of its words, or most, or its last one in whatever form."""
    found = [key for key in name if key in there or key in near or any(_is_kin(key, other) for other in there)
             or spelling.meant(key, there)]  # fmt: skip
    return 2 * len(found) < len(name) or not found


def _is_kin(key: str, other: str) -> bool:
    """Return whether two stems are likely of one root, as French and France, Europe and European."""
    shared = min(len(key), len(other), max(_KIN, len(key) - 2))
    return len(key) >= _KIN and key[:shared] == other[:shared] and shared >= _KIN


def _rarest_lost(weights: Row, covered: Row) -> float:
    """Return the highest share of a word's rarity that is not covered."""
    return float((weights * (1 - covered.clip(0, 1))).max(initial=0.0))


def is_nowhere(word: str, rarity: Callable[[str], float]) -> bool:
    """Return whether a word stands in no document."""
    return _share(word, rarity) >= _UNKNOWN


def _share(word: str, rarity: Callable[[str], float]) -> float:
    """Return the rarity of a word as a share of that of a word which stands nowhere."""
    return max(0.05, min(1.0, rarity(word) / (rarity(_NOWHERE) or 1.0)))


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
    spelt: dict[str, str] = field(init=False)
    people: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        """Read the words of all texts, and compare each with those of the question."""
        import numpy as np

        self.texts = [self._sentence(line).text for line in self.lines]
        entities = (one for line in self.lines for one in self._sentence(line).entities)
        self.people = frozenset(name for one in entities if one.kind in {"person", "name"} for name in one.text.split())
        ends = np.searchsorted([line.passage for line in self.lines], range(len(self.passages)), side="right").tolist()
        self.places = [slice(start, end) for start, end in pairwise([0, *ends])]
        whole = f"{self.question.text} {self.question.context}"
        words = content_parts(whole) or tokens(whole) or [whole.strip() or "?"]
        self.asked = {stem(word): word for word in words}
        self.weights = np.array([self._share(word) for word in self.asked.values()], dtype=np.float32)
        known = vocabulary()
        runs = known.of([*self.texts, *(passage.title for passage in self.passages)])
        stemmed = [[known.stems[key] for key in known.stem_of[run].tolist()] for run in runs]
        self.words, self.titles = stemmed[: len(self.texts)], stemmed[len(self.texts) :]
        self._compare(known, runs)

    def _sentence(self, line: Line) -> SourceSentence:
        return self.passages[line.passage].sentences[line.number]

    def _compare(self, known: Vocabulary, runs: Sequence[NDArray[np.int32]]) -> None:
        """Compare each word of the texts, in its first form, with those of the question, by vectors and by stems."""
        import numpy as np

        whole = np.concatenate(runs)
        there, first, places = np.unique(known.stem_of[whole], return_index=True, return_inverse=True)
        number = {known.stems[key]: place for place, key in enumerate(there.tolist())}
        asked = [word.lower() for word in self.asked.values()]
        head = self.question.head or "thing"
        vectors = known.vectors(known.numbers([*asked, head]))
        near = np.clip(cosines(known.vectors(whole[first]), vectors), 0, 1)
        self.near, self.to_head = near[:, :-1], near[:, -1]
        self.same = np.zeros_like(self.near)
        self.spelt = {}
        for column, key in enumerate(self.asked):
            place = number.get(key)
            if place is None and self.weights[column] >= _UNKNOWN:
                forms = {known.words[whole[at]]: known.stem_of[whole[at]] for at in sorted(first.tolist())}
                if meant := self._meant(asked[column], forms):
                    self.spelt[self.asked[key]] = meant
                    place = number[known.stems[forms[meant]]]
                    self.weights[column] = self._share(meant)
            if place is not None:
                self.same[place, column] = self.near[place, column] = 1.0
        if stem(head) in number:
            self.to_head[number[stem(head)]] = 1.0
        ends = np.cumsum([len(run) for run in runs])[:-1]
        split = np.split(places, ends)
        self.of_lines, self.of_titles = split[: len(self.texts)], split[len(self.texts) :]

    def _share(self, word: str) -> float:
        """Return the rarity of a word as a share of that of a word which stands nowhere."""
        return _share(word, self.rarity)

    def _meant(self, word: str, forms: Collection[str]) -> str | None:
        """Return the word that an unknown one is likely a misspelling of; a common word or a part of one is none."""
        is_part = any("-" in whole and word in whole.lower().split("-") for whole in self.asked.values())
        return None if is_part or is_common(word) else spelling.meant(word, forms)

    def _key(self, word: str) -> str:
        """Return the stem of a word, of a misspelt one that of the word it is read as."""
        return stem(next((known for other, known in self.spelt.items() if other.lower() == word.lower()), word))

    def _names(self) -> list[str]:
        """Return the names in the question: without capitals, or in capitals alone, what the passages name."""
        text = self.question.text
        if not text.isupper() and any(word[0].isupper() for word in text.split()[1:]):
            return list(self.question.names)
        asked = f" {' '.join(map(stem, tokens(text)))} "
        named = {entity.text for line in self.lines for entity in self._sentence(line).entities
                 if entity.kind not in MEASURED}  # fmt: skip
        found = [name for name in sorted(named) if f" {' '.join(map(stem, tokens(name)))} " in asked]
        return list(dict.fromkeys([*self.question.names, *found]))

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
            names={name: frozenset(map(self._key, content_parts(name))) for name in self._names()},
            numbers=_numbers(" ".join(self.question.numbers)),
            numbers_there=[_numbers(f"{self.passages[line.passage].title} {text}", words=True)
                           for line, text in zip(self.lines, self.texts, strict=True)],
            stems=stems,
            stems_of_passages=[frozenset().union(*stems[at], title_stems[p]) for p, at in enumerate(self.places)],
            keys=list(self.asked),
            words=list(self.asked.values()),
            texts=self.texts,
            titles=[passage.title for passage in self.passages],
            spelt=self.spelt,
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
        asked = self.embedder.embed([f"{self.question.text} {self.question.context}".rstrip()])
        wholes = [one.with_title for one in self.passages]
        return (cosines(self.embedder.embed(self.texts), asked)[:, 0],
                cosines(self.embedder.embed(wholes), asked)[:, 0])  # fmt: skip

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

    def _first_named(self, text: str) -> list[NamedEntity]:
        """Return the person that a sentence begins with by one name, where a passage has that name for one."""
        opening = _FIRST.match(text)
        if opening is None or opening["name"] not in self.people:
            return []
        return [NamedEntity("person", opening.start("name"), opening.end("name"), opening["name"])]

    def _row(
        self, i: int, parts: _Parts, shared: Mapping[str, float], exact_around: Row, cosine_around: float
    ) -> tuple[float, ...]:
        """Return the features of a sentence, in the order of `OF_SENTENCES`."""
        import numpy as np

        question, run, text = self.question, self.words[i], self.texts[i]
        content, keys, head = set(run), parts.keys, stem(self.question.head)
        w, total = self.weights, float(self.weights.sum())
        pairs_asked = set(pairwise(keys))
        entities = [*self._sentence(self.lines[i]).entities, *self._first_named(text)]
        kind, kind_near = kind_in(question, entities, self.asked, text)
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
            "cue": float(tells(question, text, self.asked)),
            "new": float(np.log1p(new)) / 3,
            "short": float(new <= _FEW_NEW),
            "length": float(np.log1p(len(run))) / 3,
            "opens passage": float(self.lines[i].number == 0),
            "begins with pronoun": float(bool(_PRONOUN.match(text))),
            "negation differs": float(question.is_negated and not _NEGATION.search(text)),
        }
        known = {**shared, **own}
        return tuple(known[name] for name in OF_SENTENCES)


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


def _numbers(text: str, *, words: bool = False) -> frozenset[str]:
    """Return the numbers in a text, without commas; number words as well if so asked."""
    found = {number.replace(",", "") for number in _NUMBER.findall(text)}
    if words and _COUNTED.search(text):
        found |= {COUNTS[word] for word in tokens(text.lower()) if word in COUNTS}
    return frozenset(found)


def _shared(names: Mapping[str, frozenset[str]], there: frozenset[str]) -> float:
    """Return which share of some names' words is there, the mean of all names; 1 where there are none."""
    shares = [len(name & there) / len(name) for name in names.values() if name]
    return sum(shares) / len(shares) if shares else 1.0
