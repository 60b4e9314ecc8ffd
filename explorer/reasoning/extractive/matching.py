"""Where the words of a question are found in some passages: in each sentence, around it, and in each passage.

A word is found as itself, in another form, or by the vectors of words as one that is near it; what is misspelt is read
as the word it is likely meant for. Rare words weigh more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from explorer.language.words import COUNTS, content_stems, meant, stem, tokens
from explorer.models.embedding import Embedder, cosines, is_common
from explorer.reasoning.extractive.lines import matched
from explorer.reasoning.extractive.vocabulary import Vocabulary, content_parts, has_digit, vocabulary
from explorer.text import without_links

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from explorer.language.questions import Question
    from explorer.reasoning.protocol import ReadPassage
    from explorer.stores.sentences import StoredSentence

    Row = NDArray[np.float32]

NEAR = 0.55  # cosine of word vectors from which a word stands near what another one means
_ASIDE = re.compile(r"\s*\([^()]*\)$")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_COUNTED = re.compile("|".join(COUNTS), re.IGNORECASE)
_UNKNOWN = 0.999  # of the rarity of a word that stands nowhere
_NOWHERE = "\N{REPLACEMENT CHARACTER}"  # no word, which stands in no text
_WHOLLY = 0.9  # of the question's words, weighed by rarity
_ABOVE = 0.7  # of a word of a sentence, what one of the headings above it counts


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence among those of some passages: the number of its passage, and its own in that."""

    passage: int
    number: int


@dataclass(slots=True)
class Match:
    """The words of a question, as they were found in the sentences of some passages.

    `weights`: of the question's words, rarity as a share of that of a word which stands nowhere. `found`: line × word,
    the best cosine of a word of the line, 1 for the same stem; `around`: with the lines beside it. `exact`: the same by
    stems alone. `of_passages`, `exact_of_passages`: passage × word. `stems`: of a line, of the headings above it and of
    its title; `stemmed`: of the line alone.
    """

    question: Question
    read: Sequence[ReadPassage]
    lines: tuple[Line, ...]
    places: list[slice]
    weights: Row
    found: Row
    around: Row
    of_passages: Row
    exact: Row
    exact_of_passages: Row
    exact_of_titles: Row
    cosines: Row
    cosines_of_passages: Row
    names: dict[str, frozenset[str]]
    numbers: frozenset[str]
    numbers_there: list[frozenset[str]]
    stemmed: list[frozenset[str]]
    stems: list[frozenset[str]]
    stems_of_passages: list[frozenset[str]]
    keys: list[str]
    words: list[str]
    texts: list[str]
    titles: list[str]
    title_names: list[frozenset[str]]
    headings: list[str]
    spelt: dict[str, str]

    def sentence(self, line: Line) -> StoredSentence:
        """Return the sentence of a line."""
        return self.read[line.passage].sentences[line.number]

    def text(self, line: Line) -> str:
        """Return the words of a line."""
        return without_links(self.sentence(line).text)

    def coverage(self, passages: Sequence[int]) -> list[float]:
        """Return how well some passages cover each word of the question: the best cosine of a word of theirs."""
        return [float(value) for value in self.of_passages[list(passages)].max(axis=0)]

    def covers(self, line: Line, but: str = "") -> bool:
        """Return whether a line has nearly all words of the question, but for one noun."""
        weights = self.weights * [key != stem(but) for key in self.keys]
        return float((weights * self.exact[self.lines.index(line)]).sum()) >= _WHOLLY * float(weights.sum())

    def links(self, place: int) -> NDArray[np.bool_]:
        """Return which lines of other passages are linked to a line by name: one has the title of the other's."""
        import numpy as np

        own, here = self.lines[place].passage, self.stemmed[place]
        title = self.title_names[own]
        leads = [bool(name) and name <= here for name in self.title_names]
        linked = [line.passage != own and (leads[line.passage] or bool(title and title <= stems))
                  for line, stems in zip(self.lines, self.stemmed, strict=True)]  # fmt: skip
        return np.array(linked, dtype=np.bool_)

    def titles_of(self, lines: Sequence[Line]) -> list[str]:
        """Return the titles of the passages of some lines, and the headings above these."""
        above = dict.fromkeys(self.headings[self.lines.index(line)] for line in lines)
        return [*(self.titles[passage] for passage in sorted({line.passage for line in lines})), *filter(None, above)]

    def names_in(self, there: frozenset[str]) -> float:
        """Return which share of the words of the question's names is there, the mean of all names; 1 without names."""
        shares = [len(name & there) / len(name) for name in self.names.values() if name]
        return sum(shares) / len(shares) if shares else 1.0


def match(
    question: Question, passages: Sequence[ReadPassage], embedder: Embedder, rarity: Callable[[str], float]
) -> Match | None:
    """Find the words of a question in passages, best first; None where these have no sentence."""
    lines = [Line(p, n) for p, passage in enumerate(passages) for n in range(len(passage.sentences))]
    return _Matching(question, passages, lines, embedder, rarity).match() if lines else None


@dataclass(slots=True)
class _Matching:
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
    words: list[list[str]] = field(init=False)
    titles: list[list[str]] = field(init=False)
    headings: dict[str, frozenset[str]] = field(init=False)
    of_lines: list[NDArray[np.int64]] = field(init=False)
    of_titles: list[NDArray[np.int64]] = field(init=False)
    above: list[str] = field(init=False)
    of_headings: dict[str, NDArray[np.int64]] = field(init=False)
    weights: Row = field(init=False)
    near: Row = field(init=False)
    same: Row = field(init=False)
    spelt: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        """Read the words of all texts, and compare each with those of the question."""
        import numpy as np

        read = [matched(self.passages[line.passage], line.number) for line in self.lines]
        self.texts, self.above = [text for text, _ in read], [above for _, above in read]
        whole = f"{self.question.text} {self.question.context}"
        words = content_parts(whole) or tokens(whole) or [whole.strip() or "?"]
        self.asked = {stem(word): word for word in words}
        self.weights = np.array([_share(word, self.rarity) for word in self.asked.values()], dtype=np.float32)
        known = vocabulary()
        headings = sorted(set(self.above))
        runs = known.of([*self.texts, *(passage.title for passage in self.passages), *headings])
        stemmed = [[known.stems[key] for key in known.stem_of[run].tolist()] for run in runs]
        split = (len(self.texts), len(self.texts) + len(self.passages))
        self.words, self.titles = stemmed[: split[0]], stemmed[split[0] : split[1]]
        self.headings = dict(zip(headings, map(frozenset, stemmed[split[1] :]), strict=True))
        places = self._compare(known, runs)
        self.of_lines, self.of_titles = places[: split[0]], places[split[0] : split[1]]
        self.of_headings = dict(zip(headings, places[split[1] :], strict=True))

    def _sentence(self, line: Line) -> StoredSentence:
        return self.passages[line.passage].sentences[line.number]

    def _compare(self, known: Vocabulary, runs: Sequence[NDArray[np.int32]]) -> list[NDArray[np.int64]]:
        """Compare each word of the texts, in its first form, with those of the question, by vectors and by stems.

        Returns the words of each text by their numbers.
        """
        import numpy as np

        whole = np.concatenate(runs)
        there, first, places = np.unique(known.stem_of[whole], return_index=True, return_inverse=True)
        number = {known.stems[key]: place for place, key in enumerate(there.tolist())}
        asked = [word.lower() for word in self.asked.values()]
        near = np.clip(cosines(known.vectors(whole[first]), known.vectors(known.numbers(asked))), 0, 1)
        self.near = near * np.array([not has_digit(word) for word in asked], dtype=np.float32)
        self.same = np.zeros_like(self.near)
        self.spelt = {}
        for column, key in enumerate(self.asked):
            place = number.get(key)
            if place is None and self.weights[column] >= _UNKNOWN:
                forms = {known.words[whole[at]]: known.stem_of[whole[at]] for at in sorted(first.tolist())}
                if meant := self._meant(asked[column], forms):
                    self.spelt[self.asked[key]] = meant
                    place = number[known.stems[forms[meant]]]
                    self.weights[column] = _share(meant, self.rarity)
            if place is not None:
                self.same[place, column] = self.near[place, column] = 1.0
        ends = np.cumsum([len(run) for run in runs])[:-1]
        return np.split(places, ends)

    def _meant(self, word: str, forms: Collection[str]) -> str | None:
        """Return the word that an unknown one is likely a misspelling of; a common word or a part of one is none."""
        is_part = any("-" in whole and word in whole.lower().split("-") for whole in self.asked.values())
        return None if is_part or is_common(word) else meant(word, forms)

    def _key(self, word: str) -> str:
        """Return the stem of a word, of a misspelt one that of the word it is read as."""
        return stem(next((known for other, known in self.spelt.items() if other.lower() == word.lower()), word))

    def match(self) -> Match:
        """Return where the words are found."""
        import numpy as np

        best = self._best
        found, exact = (np.stack([best(table, run) for run in self.of_lines]) for table in (self.near, self.same))
        over = {text: (best(self.near, run), best(self.same, run)) for text, run in self.of_headings.items()}
        found = np.maximum(found, _ABOVE * np.stack([over[text][0] for text in self.above]))
        exact = np.maximum(exact, _ABOVE * np.stack([over[text][1] for text in self.above]))
        titled = np.stack([best(self.near, run) for run in self.of_titles])
        titled_exact = np.stack([best(self.same, run) for run in self.of_titles])
        owner = np.array([line.passage for line in self.lines])
        edge = owner[1:] == owner[:-1]
        ends = np.searchsorted(owner, range(len(self.passages)), side="right").tolist()
        places = [slice(start, end) for start, end in pairwise([0, *ends])]
        title_stems = [frozenset(run) for run in self.titles]
        own = [*map(frozenset, self.words)]
        stems = [run | title_stems[p] | self.headings[text]
                 for run, p, text in zip(own, owner, self.above, strict=True)]  # fmt: skip
        of_lines, of_passages = self._cosines()
        return Match(
            question=self.question,
            read=self.passages,
            lines=tuple(self.lines),
            places=places,
            weights=self.weights,
            found=found,
            around=_around(found, edge),
            of_passages=np.stack([np.maximum(found[at].max(axis=0, initial=0), titled[p])
                                  for p, at in enumerate(places)]),
            exact=exact,
            exact_of_passages=np.stack([np.maximum(exact[at].max(axis=0, initial=0), titled_exact[p])
                                        for p, at in enumerate(places)]),
            exact_of_titles=titled_exact,
            cosines=of_lines,
            cosines_of_passages=of_passages,
            names={name: frozenset(map(self._key, content_parts(name))) for name in self.question.names},
            numbers=numbers(" ".join(self.question.numbers)),
            numbers_there=[numbers(f"{self.passages[line.passage].title} {above} {text}", words=True)
                           for line, above, text in zip(self.lines, self.above, self.texts, strict=True)],
            stemmed=own,
            stems=stems,
            stems_of_passages=[frozenset().union(*stems[at], title_stems[p]) for p, at in enumerate(places)],
            keys=list(self.asked),
            words=list(self.asked.values()),
            texts=self.texts,
            titles=[passage.title for passage in self.passages],
            title_names=[content_stems(_ASIDE.sub("", one.title)) - self.asked.keys() for one in self.passages],
            headings=self.above,
            spelt=self.spelt,
        )  # fmt: skip

    def _best(self, table: Row, run: NDArray[np.int64]) -> Row:
        """Return for each word of the question the best of some words."""
        import numpy as np

        best: Row = table[run].max(axis=0) if len(run) else np.zeros(table.shape[1], dtype=np.float32)
        return best

    def _cosines(self) -> tuple[Row, Row]:
        """Return the cosine of each sentence and of each passage with its title to the question."""
        asked = self.embedder.embed([f"{self.question.text} {self.question.context}".rstrip()])
        wholes = [one.with_title for one in self.passages]
        texts = [self._sentence(line).text for line in self.lines]
        return (cosines(self.embedder.embed(texts), asked)[:, 0],
                cosines(self.embedder.embed(wholes), asked)[:, 0])  # fmt: skip


def _around(rows: Row, edge: Row) -> Row:
    """Return the best of each row and its neighbours in the same passage."""
    import numpy as np

    out = rows.copy()
    if len(rows) > 1:
        out[1:][edge] = np.maximum(out[1:][edge], rows[:-1][edge])
        out[:-1][edge] = np.maximum(out[:-1][edge], rows[1:][edge])
    return out


def numbers(text: str, *, words: bool = False) -> frozenset[str]:
    """Return the numbers in a text, without commas; number words as well if so asked."""
    found = {number.replace(",", "") for number in _NUMBER.findall(text)}
    if words and _COUNTED.search(text):
        found |= {COUNTS[word] for word in tokens(text.lower()) if word in COUNTS}
    return frozenset(found)


def is_nowhere(word: str, rarity: Callable[[str], float]) -> bool:
    """Return whether a word stands in no document."""
    return _share(word, rarity) >= _UNKNOWN


def _share(word: str, rarity: Callable[[str], float]) -> float:
    """Return the rarity of a word as a share of that of a word which stands nowhere."""
    return max(0.05, min(1.0, rarity(word) / (rarity(_NOWHERE) or 1.0)))
