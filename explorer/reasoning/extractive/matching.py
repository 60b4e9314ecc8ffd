"""Where the words of a question are found in some passages: in each sentence, around it, and in each passage.

A word is found as itself, in another form, or by the vectors of words as one that is near it; what is misspelt is read
as the word it is likely meant for. Rare words weigh more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from explorer.language.words import COUNTS, content_parts, content_stems, meant, stem, tokens
from explorer.models.embedding import Embedder, cosines, of_words
from explorer.reasoning.extractive.lines import matched
from explorer.reasoning.extractive.vocabulary import has_digit, vocabulary
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
_ABOVE = 0.7  # of a word of a sentence, what one of the headings above it counts


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence among those of some passages: the number of its passage, and its own in that."""

    passage: int
    number: int


class Match:
    """The words of a question, as they are found in the sentences of some passages, best first.

    `keys` and `words`: the words of the question, with their stems. `weights`: of each, rarity as a share of that of a
    word which stands nowhere. `found`: line × word, the best cosine of a word of the line, 1 for the same stem;
    `around`: with the lines beside it. `exact`: the same by stems alone. `of_passages`, `exact_of_passages`: passage ×
    word. `stems`: of a line, of the headings above it and of its title; `stemmed`: of the line alone. `spelt`: words
    that are read as other ones.
    """

    def __init__(
        self, question: Question, passages: Sequence[ReadPassage], embedder: Embedder, rarity: Callable[[str], float]
    ) -> None:
        """Read the words of all texts, and compare each with those of the question; some passage has a sentence."""
        import numpy as np

        self.question, self.read = question, passages
        self.lines = tuple(Line(p, n) for p, passage in enumerate(passages) for n in range(len(passage.sentences)))
        shown = [matched(passages[line.passage], line.number) for line in self.lines]
        self.texts, self._above = [text for text, _ in shown], [above for _, above in shown]
        whole = f"{question.text} {question.context}".rstrip()
        asked = {stem(word): word for word in content_parts(whole) or tokens(whole) or [whole.strip() or "?"]}
        self.keys, self.words, self.spelt = [*asked], [*asked.values()], dict[str, str]()
        self.weights: Row = np.array([_share(word, rarity) for word in self.words], dtype=np.float32)
        self._of_words = of_words(embedder)
        of_texts, near, same = self._compared(rarity)
        owner = np.array([line.passage for line in self.lines])
        titles = [of_texts[one.title] for one in passages]
        self.stemmed = [of_texts[text] for text in self.texts]
        self.stems = [own | titles[p] | of_texts[above]
                      for own, p, above in zip(self.stemmed, owner, self._above, strict=True)]  # fmt: skip
        self.found: Row = self._of_lines(near)
        self.exact: Row = self._of_lines(same)
        self.around = _around(self.found, owner[1:] == owner[:-1])
        ends = np.searchsorted(owner, range(len(passages)), side="right").tolist()
        places = [slice(start, end) for start, end in pairwise([0, *ends])]
        self.exact_of_titles: Row = np.stack([same[one.title] for one in passages])
        self.of_passages: Row = np.stack([np.maximum(self.found[at].max(axis=0, initial=0), near[one.title])
                                          for one, at in zip(passages, places, strict=True)])  # fmt: skip
        self.exact_of_passages: Row = np.stack([np.maximum(self.exact[at].max(axis=0, initial=0), same[one.title])
                                                for one, at in zip(passages, places, strict=True)])  # fmt: skip
        self.stems_of_passages = [frozenset().union(*self.stems[at], title)
                                  for at, title in zip(places, titles, strict=True)]  # fmt: skip
        read_as = {word.lower(): other for word, other in self.spelt.items()}
        self.names = {name: frozenset(stem(read_as.get(word.lower(), word)) for word in content_parts(name))
                      for name in question.names}  # fmt: skip
        self.numbers = numbers(" ".join(question.numbers))
        said = zip((passages[p].title for p in owner), self._above, self.texts, strict=True)
        self.numbers_there = [numbers(" ".join(one), words=True) for one in said]
        self._title_names = [content_stems(_ASIDE.sub("", one.title)) - asked.keys() for one in passages]
        vector = embedder.embed([whole])
        self.cosines: Row = cosines(embedder.embed([self.sentence(line).text for line in self.lines]), vector)[:, 0]
        self.cosines_of_passages: Row = cosines(embedder.embed([one.with_title for one in passages]), vector)[:, 0]

    def _compared(
        self, rarity: Callable[[str], float]
    ) -> tuple[dict[str, frozenset[str]], dict[str, Row], dict[str, Row]]:
        """Compare each word of the texts, titles and headings, in its first form, with those of the question.

        Returns of each its stems, and for each word of the question the best cosine there, and whether its stem is.
        """
        import numpy as np

        known = vocabulary(self._of_words)
        texts = [*dict.fromkeys([*self.texts, *(one.title for one in self.read), *sorted(set(self._above))])]
        runs = known.of(texts)
        whole = np.concatenate(runs)
        there, first, places = np.unique(known.stem_of[whole], return_index=True, return_inverse=True)
        number = {known.stems[key]: place for place, key in enumerate(there.tolist())}
        asked = [word.lower() for word in self.words]
        near = np.clip(cosines(known.vectors(whole[first]), known.vectors(known.numbers(asked))), 0, 1)
        near = near * np.array([not has_digit(word) for word in asked], dtype=np.float32)
        same = np.zeros_like(near)
        for column, key in enumerate(self.keys):
            place = number.get(key)
            if place is None and self.weights[column] >= _UNKNOWN:
                forms = {known.words[whole[at]]: known.stem_of[whole[at]] for at in sorted(first.tolist())}
                if meant := self._meant(asked[column], forms):
                    self.spelt[self.words[column]] = meant
                    place = number[known.stems[forms[meant]]]
                    self.weights[column] = _share(meant, rarity)
            if place is not None:
                same[place, column] = near[place, column] = 1.0
        split = np.split(places, np.cumsum([len(run) for run in runs])[:-1])
        stems = [frozenset(known.stems[key] for key in known.stem_of[run].tolist()) for run in runs]
        best = ([table[run].max(axis=0, initial=0) for run in split] for table in (near, same))
        of_near, of_same = (dict(zip(texts, rows, strict=True)) for rows in best)
        return dict(zip(texts, stems, strict=True)), of_near, of_same

    def _meant(self, word: str, forms: Collection[str]) -> str | None:
        """Return the word that an unknown one is likely a misspelling of; a common word or a part of one is none."""
        is_part = any("-" in whole and word in whole.lower().split("-") for whole in self.words)
        return None if is_part or self._of_words.is_common(word) else meant(word, forms)

    def _of_lines(self, best: dict[str, Row]) -> Row:
        """Return the rows of the lines, where what the headings above them have counts less."""
        import numpy as np

        lines: Row = np.stack([np.maximum(best[text], _ABOVE * best[above])
                               for text, above in zip(self.texts, self._above, strict=True)])  # fmt: skip
        return lines

    def sentence(self, line: Line) -> StoredSentence:
        """Return the sentence of a line."""
        return self.read[line.passage].sentences[line.number]

    def text(self, line: Line) -> str:
        """Return the words of a line."""
        return without_links(self.sentence(line).text)

    def coverage(self, passages: Sequence[int]) -> list[float]:
        """Return how well some passages cover each word of the question: the best cosine of a word of theirs."""
        return [float(value) for value in self.of_passages[list(passages)].max(axis=0)]

    def links(self, place: int) -> NDArray[np.bool_]:
        """Return which lines of other passages are linked to a line by name: one has the title of the other's."""
        import numpy as np

        own, here = self.lines[place].passage, self.stemmed[place]
        title = self._title_names[own]
        leads = [bool(name) and name <= here for name in self._title_names]
        linked = [line.passage != own and (leads[line.passage] or bool(title and title <= stems))
                  for line, stems in zip(self.lines, self.stemmed, strict=True)]  # fmt: skip
        return np.array(linked, dtype=np.bool_)

    def titles_of(self, lines: Sequence[Line]) -> list[str]:
        """Return the titles of the passages of some lines, and the headings above these."""
        above = dict.fromkeys(self._above[self.lines.index(line)] for line in lines)
        return [*(self.read[passage].title for passage in sorted({line.passage for line in lines})),
                *filter(None, above)]  # fmt: skip

    def names_in(self, there: frozenset[str]) -> float:
        """Return which share of the words of the question's names is there, the mean of all names; 1 without names."""
        shares = [len(name & there) / len(name) for name in self.names.values() if name]
        return sum(shares) / len(shares) if shares else 1.0


def match(
    question: Question, passages: Sequence[ReadPassage], embedder: Embedder, rarity: Callable[[str], float]
) -> Match | None:
    """Find the words of a question in passages, best first; None where these have no sentence."""
    return Match(question, passages, embedder, rarity) if any(one.sentences for one in passages) else None


def _around(rows: Row, edge: Row) -> Row:
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
