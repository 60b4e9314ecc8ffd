"""Synthetic facts in any number, the same each time: between named entities, with passages that state them.

Its shape follows the triples of MuSiQue's passages: about as many entities as facts, most of them at the end of one or
two facts and a few of very many; names of one to four words, of which some are common and most are rare. With the
labels there are 2.3 quads a fact.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from pyoxigraph import Literal, NamedNode, Quad

from explorer.ingest.extraction.rules import ExtractedEdge
from explorer.ingest.given.corpus import GivenPassage, parsed
from explorer.ingest.parsed import ExtractedDocument, Extraction
from explorer.ingest.provenance import IMPORT, VERSION
from explorer.language.words import is_content, tokens
from explorer.sample import corpus
from explorer.vocab import FACTS, RDFS, entity_iri

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

QUADS_PER_FACT = 2.3
A_PASSAGE, A_SENTENCE = 9, 3  # facts, as in MuSiQue
_HUBS = 0.75  # the exponent by which the entities' share of facts falls off
_COMMON = 0.9  # and that of words
_SYLLABLES = [a + b for a in ("b", "d", "f", "gr", "h", "k", "l", "m", "n", "st", "t", "v") for b in (
    "a", "al", "an", "ar", "e", "el", "en", "i", "in", "o", "on", "or", "u", "un")]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Facts as rows of (subject, predicate, object), which are indexes into `entities` and `predicates`."""

    entities: Sequence[str]
    predicates: Sequence[str]
    facts: Numbers

    def quads(self) -> Iterator[Quad]:
        """Yield all facts and all labels, as they are in the default graph."""
        things = [NamedNode(entity_iri(label)) for label in self.entities]
        links = [NamedNode(entity_iri(label)) for label in self.predicates]
        for head, link, tail in self.facts.tolist():
            yield Quad(things[head], links[link], things[tail], FACTS)
        for node, label in zip([*things, *links], [*self.entities, *self.predicates], strict=True):
            yield Quad(node, RDFS.label, Literal(label), FACTS)

    def words(self, row: int) -> tuple[str, str, str]:
        """Return a fact in words."""
        head, link, tail = self.facts[row].tolist()
        return self.entities[head], self.predicates[link], self.entities[tail]

    def documents(self) -> Iterator[ExtractedDocument]:
        """Yield passages that state all facts, subject by subject, three in a sentence, with their spans."""
        order = np.argsort(self.facts[:, 0], kind="stable").tolist()
        for first in range(0, len(order), A_PASSAGE):
            yield _passage(f"passage {first}", [self.words(row) for row in order[first : first + A_PASSAGE]])

    def questions(self, number: int) -> list[str]:
        """Return different questions in the words of some facts: about one end, over two facts, or two in one."""
        chance = np.random.default_rng(number)
        rows = chance.choice(len(self.facts), 2 * number, replace=False).tolist()
        ways = (self._plain, self._chained, self._double)
        return [ways[n % 3](*pair) for n, pair in enumerate(zip(rows[::2], rows[1::2], strict=True))]

    def _plain(self, row: int, other: int) -> str:
        _, predicate, obj = self.words(row)
        return f"What {predicate} {obj}?"

    def _chained(self, row: int, other: int) -> str:
        """Return a question over two facts, whose common entity is not named."""
        onward = np.flatnonzero((self.facts[:, [0, 2]] == self.facts[row, 2]).any(axis=1))
        beyond = next((fact for fact in onward.tolist() if fact != row), other)
        subject, predicate, _ = self.words(row)
        return f"What {self.words(beyond)[1]} the one that {subject} {predicate}?"

    def _double(self, row: int, other: int) -> str:
        _, predicate, obj = self.words(other)
        return f"What is known about {self.words(row)[0]}, and who {predicate} {obj}?"


def knowledge(facts: int) -> Knowledge:
    """Return this many synthetic facts."""
    chance = np.random.default_rng(7)
    predicates = _predicates()
    entities = _names(round(facts * (QUADS_PER_FACT - 1)) - len(predicates), chance)
    found = _ends(facts, len(entities), chance)
    links = chance.choice(len(predicates), facts, p=_falling(len(predicates), 1.0))
    return Knowledge(entities, predicates, np.stack([found[:, 0], links, found[:, 1]], axis=1))


def _ends(facts: int, entities: int, chance: np.random.Generator) -> Numbers:
    """Pair entities, each at least once and some very often, no pair twice."""
    shares = _falling(entities, _HUBS)
    ends = np.concatenate([np.arange(entities), chance.choice(entities, 2 * facts - entities, p=shares)])
    pairs = chance.permutation(ends).reshape(-1, 2)
    while True:
        pairs = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)
        if len(pairs) == facts:
            return chance.permutation(pairs)
        pairs = np.concatenate([pairs, chance.choice(entities, (facts - len(pairs), 2), p=shares)])


def _names(number: int, chance: np.random.Generator) -> list[str]:
    """Return different names; a name that is taken gets one more word."""
    words = _words(round(14_000 * (number / 16_000) ** 0.65))  # as quickly as MuSiQue's words grow in number
    lengths = chance.choice((1, 2, 3, 4), number, p=(0.23, 0.39, 0.25, 0.13))
    drawn = iter(chance.choice(len(words), 6 * number, p=_falling(len(words), _COMMON)).tolist())
    named: dict[str, str] = {}
    for length in lengths.tolist():
        name = " ".join(words[place] for place in islice(drawn, length))
        while name.lower() in named:
            name = f"{name} {words[next(drawn)]}"
        named[name.lower()] = name
    return list(named.values())


def _words(number: int) -> list[str]:
    """Return the words of the sample's documents, commonest first, then made-up ones until there are enough."""
    files = sorted(file for file in (corpus() / "documents").iterdir() if file.suffix in (".md", ".txt"))
    texts = [file.read_text("utf-8") for file in files]
    known = Counter(word.lower() for text in texts for word in tokens(text) if word.isalpha() and is_content(word))
    words = dict.fromkeys(word.capitalize() for word, _ in known.most_common(number))
    made = (_made_up(place) for place in range(len(_SYLLABLES), 2 * number + len(_SYLLABLES)))
    for word in made:
        if len(words) >= number:
            break
        words.setdefault(word)
    return list(words)


def _made_up(number: int) -> str:
    """Return a number spelled in syllables."""
    spelled = ""
    while number:
        number, place = divmod(number, len(_SYLLABLES))
        spelled += _SYLLABLES[place]
    return spelled.capitalize()


def _predicates() -> list[str]:
    lines = (corpus() / "facts.jsonl").read_text("utf-8").splitlines()
    return list(dict.fromkeys(json.loads(line)["predicate"] for line in lines))


def _falling(number: int, exponent: float) -> NDArray[np.float64]:
    """Return shares that fall off with rank by a power law (Zipf–Mandelbrot)."""
    shares = 1.0 / (np.arange(number) + 2.7) ** exponent
    falling: NDArray[np.float64] = shares / shares.sum()
    return falling


def _passage(named: str, facts: Sequence[tuple[str, str, str]]) -> ExtractedDocument:
    """Return facts as a document of one passage, each with the span of its sentence."""
    groups = [facts[first : first + A_SENTENCE] for first in range(0, len(facts), A_SENTENCE)]
    sentences = [f"{', and '.join(' '.join(words) for words in group)}." for group in groups]
    document = parsed(GivenPassage(named, facts[0][0], " ".join(sentences)))
    edges, at = [], 0
    for group, sentence in zip(groups, sentences, strict=True):
        chunk = next(chunk for chunk in reversed(document.chunks) if chunk.start <= at)
        end, is_entity = at + len(sentence), True
        edges += [ExtractedEdge(*words, is_entity, at, end, None, chunk) for words in group]
        at = end + 1
    return ExtractedDocument(document, (Extraction(IMPORT, VERSION, tuple(edges)),))
