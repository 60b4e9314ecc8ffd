"""What an earlier version recorded is brought up to date: hashes of texts, links through the runs, and seals.

Nothing is changed that is on record; what can be derived from it is added. Each document and each run is one step:
what was cut off goes on with the same call. What was not recorded, as when a step began or who asked, stays unknown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pyoxigraph import Literal, NamedNode, Quad

from explorer import entities as e
from explorer import rdf
from explorer.errors import RecordError
from explorer.events import Explain
from explorer.ingest.leaving import holdings
from explorer.ingest.outdated import unhashed
from explorer.ingest.progress import shown
from explorer.ingest.provenance import text_hash
from explorer.record.ledger import Ledger
from explorer.record.links import linked
from explorer.record.replay import Replay, is_own
from explorer.stores.collection import Collection
from explorer.stores.ledger import OLDER, expect
from explorer.text import count, truncate
from explorer.vocab import FACTS, RETRIEVAL, SOURCE, X, iri, session_of, timestamp


@dataclass(frozen=True, slots=True)
class Upgraded:
    """Of how many documents the hashes were added, and how many runs were linked and sealed."""

    documents: int
    runs: int

    @property
    def text(self) -> str:
        """The counts in words."""
        return f"{count(self.documents, 'document')} with hashes, {count(self.runs, 'run')} linked and sealed"

    def __repr__(self) -> str:
        """Return the counts on one line."""
        return f"<Upgraded {self.text}>"


def upgrade(stores: Collection, ledger: Ledger, *, progress: bool) -> Upgraded:
    """Add what an earlier version did not record, and seal its runs as older ones, in the order in which they began."""
    documents, runs = unhashed(stores), stores.runs.unsealed()
    at = timestamp(ledger.clock())
    with shown("Upgrading", len(documents) + len(runs), progress=progress) as tell:
        for number, document in enumerate(documents):
            tell(number, document)
            stores.graph.add(_hashes(stores, document))
        stores.sources.forget()
        for number, (run, question) in enumerate(runs, len(documents)):
            tell(number, truncate(question, 60))
            with stores.database.writing() as connection:
                expect(connection, run, OLDER)  # so that its links are not taken for those of a run put in by hand
            stores.graph.add(_links(stores, run))
            ledger.seal(run, OLDER, at)
        tell(len(documents) + len(runs), "")
    stores.graph.flush()
    return Upgraded(len(documents), len(runs))


def _hashes(stores: Collection, document: str) -> Iterator[Quad]:
    """Yield the hashes of a document, its pages, sections and chunks, where the record has none."""
    library, node = stores.library, NamedNode(document)
    text = library.text(document)
    known = {quad.predicate for quad in stores.graph.match(node, None, None, FACTS)}
    if X.sha256 not in known and (sha256 := library.hash(document)):
        yield Quad(node, X.sha256, Literal(sha256), FACTS)
    for part in holdings(stores.graph, document).parts:
        described = rdf.entities(stores.graph.match(part, None, None, SOURCE))
        for one in described:
            words = _words(stores, one, text)
            if words is not None and isinstance(one, e.Extracted) and one.sha256 is None:
                yield Quad(part, X.sha256, Literal(text_hash(words)), SOURCE)
    if X.textSha256 not in known:
        yield Quad(node, X.textSha256, Literal(text_hash(text)), FACTS)


def _words(stores: Collection, part: e.Entity, text: str) -> str | None:
    """Return the words of a page, section or chunk; None for anything else, and where they are not here."""
    match part:
        case e.Chunk():
            try:
                return stores.library.text(part.iri)
            except RecordError:
                return None
        case e.Page() | e.Section() if part.char_offset is not None and part.char_length is not None:
            return text[part.char_offset : part.char_offset + part.char_length]
    return None


def _links(stores: Collection, run: str) -> list[Quad]:
    """Return the links of a run that was recorded without them; of another's record, which stays as it came, none."""
    graph = stores.graph
    asked = rdf.entities(graph.match(NamedNode(run), None, None, RETRIEVAL))
    activity = NamedNode(iri("run", session_of(run))) if session_of(run) else None
    if activity is None or any(graph.match(activity, None, None, RETRIEVAL)) or not any(map(is_own, asked)):
        return []
    events = [event for event in Replay(stores, run).events() if isinstance(event, Explain)]
    found = dict.fromkeys(quad for event in events for quad in linked(event, run))
    nodes = {quad.subject for quad in found if isinstance(quad.subject, NamedNode)}
    hashed = {node for node in nodes if any(graph.match(node, X.sha256, None, RETRIEVAL))}
    return [
        quad for quad in found
        if quad not in graph and not (quad.predicate == X.sha256 and quad.subject in hashed)
    ]  # fmt: skip
