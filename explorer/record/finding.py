"""Runs by words in their questions and answers, in what people wrote at them, and in what they kept or only read.

Each is found with where the words stand, and some words around them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from pyoxigraph import Literal, NamedNode, Triple

from explorer.rdf.labels import edge_labels
from explorer.reasoning.corrected_facts import passages_of
from explorer.record.node_lookup import citations_of
from explorer.record.replay import Used, leading, reached, selecting_steps
from explorer.stores.collection import Collection
from explorer.stores.document_names import documents
from explorer.stores.reading_ahead import Lookups
from explorer.vocab import RETRIEVAL, TG, X

_MOST = 5_000  # facts, passages, and runs, that are looked through
_TOGETHER = 200  # lists of facts that are read
_AROUND = 70  # characters on each side of what was found
_WORD = re.compile(r"[^\W_]+")


class Snippet(NamedTuple):
    """Words that were found, with some of the text before and after them, on one line."""

    before: str
    words: str
    after: str


@dataclass(frozen=True, slots=True)
class Sought:
    """Words that are looked for; by run what people `written` at it has them, and what it `kept` and `read` of that."""

    stores: Collection
    text: str
    written: Mapping[str, Sequence[str]]
    kept: Mapping[str, Used]
    read: Mapping[str, Used]

    @classmethod
    def of(cls, stores: Collection, text: str, written: Mapping[str, Sequence[str]]) -> Sought:
        """Look for words; nothing but what people have written is read where there are none."""
        if not text:
            return cls(stores, text, written, {}, {})
        facts, passages = _holding(stores, text)
        used: list[Used] = [*facts.values(), *passages]
        kept = reached(stores, selecting_steps(stores.graph, used))
        read = reached(stores, _reading(stores, facts, passages))
        return cls(stores, text, written, kept, read)

    @property
    def runs(self) -> list[str]:
        """The runs that are found so, and nodes on the way back to them."""
        return sorted({*self.written, *self.kept, *self.read})

    def place(self, run: str, question: str, answer: str) -> tuple[str, Snippet | None]:
        """Return where the words stand in a run, and what is around them; a place of "" is the question."""
        if (found := snippet(question, self.text, len(question))) is not None:
            return "", found
        if run in self.written:
            told = (snippet(part, self.text) for part in self.written[run])
            return "what people wrote at it", next(filter(None, told), None)
        if (found := snippet(answer, self.text)) is not None:
            return "its answer", found
        if run in self.kept or run in self.read:
            cited = [*self._cited(run)]
            for noun, texts in (
                ("words it cites", (words for words, _ in cited)),
                ("a passage it cites, beside the cited sentence", (whole for _, whole in cited)),
            ):
                if (found := next(filter(None, (snippet(text, self.text) for text in texts)), None)) is not None:
                    return noun, found
        for done, known in (("kept", self.kept), ("only read", self.read)):
            if run in known:
                noun, found = self._within(known[run])
                is_passage = noun == "a passage"  # which may hold what was kept, too
                return f"{noun} it {'read' if is_passage and done != 'kept' else done}", found
        return "its answer", None

    def _cited(self, run: str) -> Iterator[tuple[str, str]]:
        """Yield the words of each passage that the answer of a run cites, and the whole passage."""
        sources = self.stores.sources
        spans, cited = citations_of(Lookups(self.stores.graph), run)
        for key, place in ((key, span.places.get(key)) for span in spans for key in span.cites):
            for one in passages_of(key, cited.get(key), sources):
                whole = next(iter(sources.chunk(one.chunk)), one).text
                yield whole[slice(*place)] if place else one.text, whole

    def _within(self, used: Used) -> tuple[str, Snippet | None]:
        """Return what has the words of a fact or passage: itself, its sentence, or the title of its source."""
        sources = self.stores.sources
        if isinstance(used, Triple):
            words = "{} — {} → {}".format(*edge_labels(used, sources.labels([used])))
            passages = sources.passages(used)
            texts = [("a fact", words), *(("the source of a fact", one.text) for one in passages)]
        else:
            passages = sources.chunk(used.value)
            texts = [("a passage", one.text) for one in passages]
        texts += [("the title of a source", one.title) for one in passages]
        found = ((noun, snippet(text, self.text)) for noun, text in texts)
        return next((one for one in found if one[1] is not None), (texts[0][0] if texts else "a passage", None))


def snippet(text: str, wanted: str, around: int = _AROUND) -> Snippet | None:
    """Return the first place where words stand in a text, one after the other, with what is around; else None."""
    line, words = " ".join(text.split()), r"[\W_]+".join(map(re.escape, _WORD.findall(wanted)))
    pattern = "|".join(filter(None, (re.escape(" ".join(wanted.split())), words)))
    found = re.search(pattern, line, re.IGNORECASE) if pattern else None
    if found is None:
        return None
    start, end = found.span()
    before, after = line[:start], line[end:]
    if len(before) > around:
        before = f"… {before[-around:].partition(' ')[2]}"
    if len(after) > around:
        after = f"{after[:around].rpartition(' ')[0]} …"
    return Snippet(before, found.group(), after)


def _holding(stores: Collection, text: str) -> tuple[dict[str, Triple], list[NamedNode]]:
    """Return the facts by their keys, and the passages, that have the words of a text.

    The words stand one after the other: in a fact or its sentence, in a passage, or in the title of the document of
    either. Of words that stand nearly everywhere the first facts and passages count.
    """
    library = stores.library
    titled = [one.iri for one in documents(stores.database) if text.casefold() in one.title.casefold()]
    of_titled = [chunk for one in titled for chunk in library.chunks_of(one)]
    facts = stores.vectors.edges_holding(text, _MOST)
    facts += stores.links.facts_in(library.chunk_numbers(of_titled).values())
    keys = dict.fromkeys(stores.vectors.edge_keys(islice(dict.fromkeys(facts), _MOST)))
    chunks = dict.fromkeys((*library.holding(text, _MOST), *of_titled))
    return stores.recorded(keys), [NamedNode(one) for one in islice(chunks, _MOST)]


def _reading(stores: Collection, facts: Mapping[str, Triple], passages: Iterable[NamedNode]) -> dict[str, Used]:
    """Return the steps that looked at one of some facts or passages, each with the first of them."""
    graph, known = stores.graph, {one.value: one for one in passages}
    steps: dict[str, Used] = {
        step.value: one for step, one in leading(graph, [(TG.selectedChunk, one) for one in known.values()]).items()
    }
    for quad in graph.match(None, X.read, None, RETRIEVAL) if known else ():
        if isinstance(quad.subject, NamedNode) and isinstance(quad.object, Literal):
            first = next((known[one] for one in _listed(quad.object.value) if one in known), None)
            steps |= {} if first is None else {quad.subject.value: first}
    lines = {f"{key} .".encode(): fact for key, fact in facts.items()}
    lists = {
        quad.object.value: quad.subject.value for quad in graph.match(None, X.explored, None, RETRIEVAL)
        if isinstance(quad.subject, NamedNode) and isinstance(quad.object, NamedNode)
    } if lines else {}  # fmt: skip
    for at in range(0, min(len(lists), _MOST), _TOGETHER):
        for content in stores.library.contents([*lists][at : at + _TOGETHER]).values():
            found = next((lines[one] for one in content.data.splitlines() if one in lines), None)
            steps |= {} if found is None else {lists[content.iri]: found}
    return steps


def _listed(value: str) -> Iterator[str]:
    try:
        told = json.loads(value)
    except ValueError:
        return
    yield from (one for one in told if isinstance(one, str)) if isinstance(told, list) else ()
