"""Where a retrieved passage stands: in a chunk here, in the text of a document here, or in a document of its own.

Its words decide, not its name. White space may differ: the words are then those of the document, at its offsets.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from explorer import entities as e
from explorer import rdf
from explorer.events import Content, Passage
from explorer.observing.retrieved import Retrieved
from explorer.stores.collection import Collection
from explorer.stores.library import put_contents
from explorer.text import opening
from explorer.vocab import PIPELINE, iri

_ADDRESS = re.compile(r"https?://[^\s<>\"{}|\\^`]+")
_PROBE = 8  # words by which a passage is looked for
_FEWEST = 5  # words: fewer stand in many documents
_MOST = 5  # documents that hold these words, and chunks
_LONGEST_TITLE = 80


@dataclass(slots=True)
class Placing:
    """Finds where passages stand, and stores those that stand nowhere here yet as chunks, each once."""

    stores: Collection
    _known: dict[Retrieved, Passage] = field(default_factory=dict, init=False)

    def __call__(self, passages: Sequence[Retrieved]) -> list[Passage]:
        """Return each passage as the record has it, equal ones once, in their order."""
        given = [replace(one, score=None) for one in passages]
        new = [one for one in dict.fromkeys(given) if one not in self._known]
        made = {one: self._chunk(one) for one in new}
        self._store([one for one in made.values() if isinstance(one, _Made)])
        for one, chunk in made.items():
            [self._known[one]] = self.stores.sources.chunk(chunk if isinstance(chunk, str) else chunk.iri)
        return list({self._known[one].chunk: self._known[one] for one in given}.values())

    def chunk(self, passage: Retrieved) -> str:
        """Return the chunk of a passage that was placed before."""
        return self._known[replace(passage, score=None)].chunk

    def _chunk(self, passage: Retrieved) -> str | _Made:
        words = passage.text.split()
        if len(words) >= _FEWEST:
            for chunk in self.stores.library.holding(" ".join(words[:_PROBE]), _MOST):
                if self.stores.sources.chunk_text(chunk) == passage.text:
                    return chunk
            if (made := self._place(words)) is not None:
                return made
        return _alone(passage)

    def _place(self, words: Sequence[str]) -> _Made | None:
        library = self.stores.library
        probes = (words[:_PROBE], words[len(words) // 2 :][:_PROBE], words[-_PROBE:])  # chunks cut through some
        found = dict.fromkeys(one for probe in probes for one in library.documents_holding(" ".join(probe)))
        for document in list(found)[:_MOST]:
            text = library.text(document)
            if (span := _span(words, text)) is not None:
                return self._within(document, span[0], text[span[0] : span[1]])
        return None

    def _within(self, document: str, start: int, text: str) -> _Made:
        parts = self.stores.sources.parts(document)
        inside = [one for one in parts if one.offset is not None and one.length is not None
                  and one.offset <= start < one.offset + one.length]  # fmt: skip
        part = min(inside, key=lambda one: one.length or 0, default=None)
        parent, before = (part.iri, part.offset or 0) if part else (document, 0)
        return _made(parent, text, start - before)

    def _store(self, made: Sequence[_Made]) -> None:
        if not made:
            return
        agent = e.Agent(iri=iri("agent", PIPELINE), label="another pipeline")
        activity = e.Activity(iri=_ACTIVITY, associated_with=agent.iri)
        entities = [agent, activity, *(entity for one in made for entity in one.entities)]
        with self.stores.database.writing() as connection:
            put_contents(connection, (one.content for one in made))
        self.stores.graph.add(quad for entity in entities for quad in rdf.triples(entity))
        self.stores.sources.forget()


_ACTIVITY = iri("activity", PIPELINE)


@dataclass(frozen=True, slots=True)
class _Made:
    """A chunk that is not here yet, and what it stands in where that is new too."""

    iri: str
    content: Content
    entities: tuple[e.Entity, ...]


def _made(parent: str, text: str, offset: int | None, above: tuple[e.Entity, ...] = ()) -> _Made:
    chunk = e.Chunk(
        iri=iri("chunk", f"{PIPELINE}-{_digest(parent, str(offset), text)}"), derived_from=(parent,),
        generated_by=_ACTIVITY, char_offset=offset, char_length=len(text),
        sha256=hashlib.sha256(text.encode()).hexdigest(),
    )  # fmt: skip
    content = Content(chunk.iri, "Passage of another pipeline", "text/plain", text.encode())
    return _Made(chunk.iri, content, (*above, chunk))


def _alone(passage: Retrieved) -> _Made:
    """Return a passage that stands in no document here: below a document and page as the run named them."""
    key = f"{PIPELINE}-{_digest(passage.source or passage.title or passage.id or passage.text)}"
    title = passage.title or passage.source or passage.id or opening(passage.text, _LONGEST_TITLE) or "passage"
    source = passage.source if _ADDRESS.fullmatch(passage.source) else None
    document = e.Document(iri=iri("document", key), title=title, source=source)
    if passage.page is None:
        return _made(document.iri, passage.text, passage.start, (document,))
    number = passage.page
    page = e.Page(
        iri=iri("page", f"{key}/p{number}"), derived_from=(document.iri,), generated_by=_ACTIVITY,
        label=f"Page {number}", number=number,
    )  # fmt: skip
    return _made(page.iri, passage.text, None, (document, page))


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


def _span(words: Sequence[str], text: str) -> tuple[int, int] | None:
    """Return where words stand in a text, however white space divides them there."""
    head = re.compile(r"\s+".join(map(re.escape, words[:_PROBE])))
    for found in head.finditer(text):
        at, end = 0, found.start()
        while at < len(words) and text.startswith(words[at], end):
            end += len(words[at])
            at += 1
            if at < len(words):
                space = _SPACE.match(text, end)
                if space is None:
                    break
                end = space.end()
        if at == len(words):
            return found.start(), end
    return None


_SPACE = re.compile(r"\s+")
