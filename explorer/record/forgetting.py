"""Forgetting a document, and what that would take: facts, and the runs that rested on it.

What is to go is written into the journal of the library; `finish_leaving` takes it out, also when the collection is
next opened after a kill.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pyoxigraph import Literal, NamedNode, Triple

from explorer.entities import ADDED
from explorer.errors import RecordError
from explorer.ingest.by_hand import AddedFact, added_facts
from explorer.ingest.chunker import USUAL, ChunkSizes
from explorer.ingest.extraction.choice import RULES
from explorer.ingest.leaving import finish_leaving, holdings, only_there
from explorer.ingest.provenance import sizes_of
from explorer.record.curation import Change, standing_at
from explorer.record.quoting import Quoting, quoting
from explorer.stores import curated, leaving
from explorer.stores.collection import Collection
from explorer.stores.database import ANEW
from explorer.stores.documents import DocumentRow, find_document
from explorer.stores.facts import is_fact, quad_of
from explorer.text import count, one_line
from explorer.vocab import FACTS, PROV

if TYPE_CHECKING:
    from explorer.models.embedding import Embedder


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A document that was removed with its earlier versions (`versions`, IRIs), and how much went with it.

    `facts` went, `kept` stay by other sources, `texts` of runs that quoted it were removed. `sha256` is the hash of its
    bytes, in hexadecimal, which stays on record. As long as this value is kept so are its bytes, in `data`, with the
    `places` where it stood, how it was cut (`sizes`) and who had gone through it (`extractors`): `Workspace.restore`
    brings back its text, what rules find in it, and the facts that people `added` with words of it, but no earlier
    versions, no facts by a model, and no texts of runs. What people retracted or merged stays so all the while.
    """

    iri: str
    title: str
    source: str
    forgotten_at: str
    sha256: str
    chunks: int
    facts: int
    kept: int
    texts: int
    versions: tuple[str, ...] = ()
    data: bytes = field(default=b"", repr=False, compare=False)
    mime: str = field(default="", repr=False, compare=False)
    places: tuple[str, ...] = field(default=(), repr=False, compare=False)
    sizes: ChunkSizes = field(default=USUAL, repr=False, compare=False)
    extractors: tuple[str, ...] = field(default=(RULES,), repr=False, compare=False)
    added: tuple[AddedFact, ...] = field(default=(), repr=False, compare=False)

    @property
    def sentence(self) -> str:
        """What was removed, in one sentence."""
        went = [count(self.chunks, "chunk"), count(self.facts, "fact")]
        went += [count(len(self.versions), "earlier version")] if self.versions else []
        went += [count(self.texts, "text") + " of runs"] if self.texts else []
        stay = f"; {count(self.kept, 'fact')} of it stay{'s' if self.kept == 1 else ''} by other sources"
        return f"Removed “{one_line(self.title)}” with {', '.join(went)}{stay if self.kept else ''}."

    def __repr__(self) -> str:
        """Return it on one line."""
        return f"<Forgotten {self.sentence}>"


@dataclass(frozen=True, slots=True)
class Held:
    """What a document and its earlier versions hold: the facts that only they support, and those that stay."""

    versions: tuple[str, ...]
    chunks: int
    lost: tuple[Triple, ...]
    kept: tuple[Triple, ...]
    used: tuple[Triple | str, ...] = field(repr=False)


def named_document(stores: Collection, named: str) -> DocumentRow:
    """Return the document that an IRI, a path, a title or a part of one means; raises RecordError."""
    try:
        return find_document(stores.database, named)
    except RecordError as error:
        try:
            quads = list(stores.graph.match(NamedNode(named.strip()), PROV.invalidatedAtTime, None, FACTS))
        except ValueError:  # no IRI
            raise error from None
        if gone := next((quad.object.value for quad in quads if isinstance(quad.object, Literal)), None):
            raise RecordError(
                f"The document {named.strip()} was removed on {gone[:10]}; only its title, its date and a hash stay."
            ) from error
        raise


def held(stores: Collection, document: str) -> Held:
    """Return what a document holds, with the versions that it took the place of."""
    versions = tuple(stores.library.older(document))
    every = (document, *versions)
    found = [holdings(stores.graph, one) for one in every]
    facts = dict.fromkeys(fact for one in found for fact in one.facts)
    lost = dict.fromkeys(
        fact for one in found for fact in only_there(stores.graph, stores.library, one, every) if _is_here(stores, fact)
    )
    kept = [fact for fact in facts if fact not in lost and _is_here(stores, fact)]
    chunks = [chunk for one in found for chunk in one.chunks]
    return Held(versions, len(found[0].chunks), tuple(lost), tuple(kept), (*facts, *chunks))


def texts_quoting(stores: Collection, document: str) -> Quoting:
    """Return the texts of runs that quote a document or a version that it took the place of."""
    every = (document, *stores.library.older(document))
    return quoting(stores, [stores.library.text(one) for one in every], held(stores, document).lost)


def forget(stores: Collection, document: DocumentRow, moment: str, *, words: bool) -> Forgotten:
    """Remove a document with its earlier versions, all of it or nothing; with `words` also the texts that quote it.

    Raises RecordError where another thread was quicker.
    """
    with stores.database.storing:
        content = stores.library.get(document.iri)
        versions = tuple(stores.library.older(document.iri))
        texts = texts_quoting(stores, document.iri) if words else Quoting()
        places = tuple(stores.library.places(document.iri))
        sizes = sizes_of(stores.graph, document.iri) or USUAL
        extractors = stores.library.extractors(document.iri)
        added = tuple(added_facts(stores.graph, stores.library, document.iri))
        with stores.database.writing() as connection:
            if words:
                connection.execute("INSERT OR REPLACE INTO settings VALUES (?, '')", (ANEW,))
            for one in (document.iri, *versions):
                leaving.begin(connection, one, moment, words=json.dumps(texts.told() if one == document.iri else {}))
        [sha256] = [one.sha256 for one in leaving.begun(stores.database) if one.iri == document.iri]
        left = finish_leaving(stores.graph, stores.library)
        lost = {fact for one in left.values() for fact in one.lost}
        kept = {fact for one in left.values() for fact in one.facts if _is_here(stores, fact)}
        stores.sources.forget()
        finish_removal(stores)
    return Forgotten(
        iri=document.iri, title=document.title, source=document.source, forgotten_at=moment, sha256=sha256,
        chunks=left[document.iri].chunks, facts=len(lost), kept=len(kept), texts=len(texts), versions=versions,
        data=content.data, mime=document.mime, places=places, sizes=sizes, extractors=extractors,
        added=added,
    )  # fmt: skip


def add_again(change: Change, embedder: Embedder, forgotten: Forgotten) -> None:
    """Have the facts that people had added with words of a document stand there again, once it is back.

    What was done with them is on record still; of one that was corrected since nothing comes back.
    """
    stores = change.stores
    with stores.database.storing:
        for one in forgotten.added:
            last = curated.last_of(stores.graph, one.fact)
            if last is None or last.act != ADDED:
                continue
            ends = (
                (one.fact.subject, one.words[0]),
                (one.fact.predicate, one.words[1]),
                (one.fact.object, one.words[2]),
            )
            names = {term.value: name for term, name in ends if isinstance(term, NamedNode)}
            change.add(one.fact, names, [standing_at(stores, one.passage)])
        if change.come:
            change.write(embedder)


def finish_removal(stores: Collection) -> None:
    """Where words were removed from the texts of runs, have no file hold them any more."""
    if stores.database.rows("SELECT 1 FROM settings WHERE name = ?", (ANEW,)):
        stores.write_anew()


def _is_here(stores: Collection, fact: Triple) -> bool:
    return is_fact(quad_of(fact)) and quad_of(fact) in stores.graph.store
