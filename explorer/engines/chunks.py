"""Whole passages as they are read: with their sentences by a reasoner, with those and their facts by a model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice

from explorer.engines.setting import Setting
from explorer.language.headings import headings_above
from explorer.language.named_entities import named_entities
from explorer.language.sentences import spans
from explorer.language.tables import captions, columns_above
from explorer.models.embedding import Remembered
from explorer.reasoning.extractive.fit import sentences_of
from explorer.reasoning.protocol import Edge, Picked, ReadPassage, ShownPassage, ShownSentence
from explorer.stores.collection import Collection
from explorer.stores.library import Stretch
from explorer.stores.sentences import StoredEntity, StoredSentence
from explorer.stores.vectors.codes import decoded

_AFTER = 2_000  # code points after a chunk: a list may go on there
MOST = 20  # passages: these hold as much of an answer as the facts of a whole walk
MOST_FACTS = 8  # of a sentence
MORE = 5  # passages that a second search adds


@dataclass(frozen=True, slots=True)
class Chunks:
    """Reads the chunks of a collection, each once, for one run; their stored vectors are known to its embedder then.

    Chunks that came with a record have no sentences stored; these are made now.
    """

    stores: Collection
    embedder: Remembered
    _read: dict[str, ReadPassage] = field(default_factory=dict, init=False, repr=False)
    _texts: dict[str, Stretch] = field(default_factory=dict, init=False, repr=False)

    def __call__(self, chunks: Iterable[str]) -> dict[str, ReadPassage]:
        """Return chunks with their sentences, in the order given; one whose origin is not on record is left out."""
        wanted = list(dict.fromkeys(chunks))
        if new := [chunk for chunk in wanted if chunk not in self._read]:
            self._read.update(self._of(new))
        return {chunk: self._read[chunk] for chunk in wanted if chunk in self._read}

    def _of(self, chunks: Sequence[str]) -> dict[str, ReadPassage]:
        stores = self.stores
        stores.sources.ahead(chunks=chunks)
        wholes = [(chunk, whole) for chunk in chunks for whole in stores.sources.chunk(chunk)]
        places = [(whole.document, whole.start) for _, whole in wholes if whole.document not in self._texts]
        stores.database.read_ahead((
            partial(stores.vectors.chunks, chunks), partial(stores.sentences.of, chunks),
            partial(stores.library.around, places),
        ))  # fmt: skip
        around = stores.library.around(places) if places else {}
        self._texts.update((document, text) for (document, _), text in around.items() if text.is_whole)
        texts, vectors = stores.vectors.chunks(chunks)
        known = self._named(self.stores.sentences.of(chunks))
        if told := [one for sentences in known.values() for one in sentences if one.code]:
            self.embedder.know([one.text for one in told], decoded([one.code for one in told]))
        read = {}
        for chunk, whole in wholes:
            sentences = known.get(chunk) or sentences_of(whole.text)
            held = self._texts.get(whole.document) or around.get((whole.document, whole.start))
            there = held is not None and held.text[whole.start - held.start : whole.end - held.start] == whole.text
            begin, text = (held.start, held.text) if held is not None and there else (0, "")
            starts = [whole.start - begin + one.start for one in sentences] if text else []
            end = whole.end - begin
            read[chunk] = ReadPassage(
                chunk, whole.title, whole.text, sentences, whole.document,
                self.stores.sources.dated(whole.document), headings_above(text, starts, whole.title),
                text[end : end + _AFTER], whole.start, columns_above(text[: whole.start - begin], whole.text),
                captions(text, starts), self.stores.sources.corrections.get(chunk, ()),
            )  # fmt: skip
        # a passage without the headings above it has nearly the same vector
        self.embedder.know(
            [read[chunk].with_title if chunk in read else text for chunk, text in texts.items()], vectors
        )
        return read

    def _named(self, chunks: Mapping[str, Sequence[StoredSentence]]) -> Mapping[str, Sequence[StoredSentence]]:
        """Return stored sentences with all named entities: those that are not read yet are read together, for good."""
        left = {iri: found for iri, found in chunks.items() if not all(one.is_read for one in found)}
        if not left:
            return chunks
        named = _entities(one.text for found in left.values() for one in found if not one.is_read)
        read = {
            iri: [one if one.is_read else replace(one, entities=named[one.text], is_read=True) for one in found]
            for iri, found in left.items()
        }
        self.stores.sentences.keep(read)
        return {**chunks, **read}


def _entities(sentences: Iterable[str]) -> dict[str, tuple[StoredEntity, ...]]:
    texts = sorted({*sentences}, key=len)  # of like length they fill batches best
    return {text: tuple(StoredEntity(*one) for one in named)
            for text, named in zip(texts, named_entities(texts), strict=True)}  # fmt: skip


def shown(
    setting: Setting, chunks: Iterable[str], edges: Sequence[Edge] = (), *, most: int | None = None
) -> list[ShownPassage]:
    """Return the first passages of some chunks in their order, with those of the facts that a sentence states.

    One without a sentence, such as code, is one by itself. The title, the heading above it and a sentence that stands
    in a passage before, as chunks share some, are left out.
    """
    sources = setting.stores.sources
    left = list(dict.fromkeys(chunks))[:most]
    sources.ahead(chunks=left)
    lines = setting.stores.sentences.lines(left)
    stated = defaultdict[str, list[tuple[int, int, Edge]]](list)
    for edge in edges:
        for place in edge.passages:
            stated[place.document].append((place.start, place.end, edge))
    told, found = set[tuple[str, int]](), []
    for passage in (one for chunk in left for one in sources.chunk(chunk)):
        split = ((start, passage.text[start:end]) for start, end in spans(passage.text))
        heads, sentences = {passage.title, passage.section}, []
        for start, text in lines.get(passage.chunk) or [*split] or [(0, passage.text)]:
            first, last = passage.start + start, passage.start + start + len(text)
            if (passage.document, last) not in told and text.strip("# ") not in heads:
                facts = (edge for begin, end, edge in stated[passage.document] if first < end and begin < last)
                of = tuple(islice(dict.fromkeys(facts), MOST_FACTS))
                sentences.append(ShownSentence(start, start + len(text), text, of))
            told.add((passage.document, last))
        if sentences:
            found.append(ShownPassage(passage, sources.dated(passage.document), tuple(sentences)))
    return found


def facts_of(picks: Sequence[Picked], passages: Sequence[ShownPassage]) -> dict[Edge, str]:
    """Return the facts that were selected, or whose sentence was, each with the reason."""
    found: dict[Edge, str] = {}
    for pick in picks:
        sentence = passages[pick.passage].sentences[pick.sentence]
        for edge in (pick.edge,) if pick.edge else sentence.edges:
            found.setdefault(edge, pick.reasoning)
    return found
