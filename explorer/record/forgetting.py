"""Forgetting a document, and what that would take: facts, and the runs that rested on it; and bringing it back.

The texts of runs that are to go with it are replaced by a sentence that says so; their hashes stay on record. Those are
answers, thoughts, prompts, replies and reasons that quote it: with five words in a row as they stand there, or all of a
document with fewer; letter case and what stands between words count nothing. What a person asked, and facts, stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer.entities import ADDED
from explorer.errors import RecordError
from explorer.events import Content
from explorer.ingest.by_hand import added_facts
from explorer.ingest.reindex import reindex
from explorer.ingest.removal import Departure, Holdings, acts_of, departures, described, holdings
from explorer.models.embedding import Embedder
from explorer.record.node_lookup import iris, named
from explorer.stores.collection import Collection, write_anew
from explorer.stores.curation_journal import Act, begin, performing
from explorer.stores.database import Transaction
from explorer.stores.default_graph import is_fact, quad_of
from explorer.stores.document_names import DocumentRow, find_document
from explorer.stores.document_rows import Leaving, Rows, embedder_of, put_back, rows_of
from explorer.stores.graph import GraphStore, Pattern
from explorer.stores.ledger import AMENDED, Unsealed
from explorer.stores.library import put_contents
from explorer.stores.run_rows import take_answers
from explorer.stores.stored_corrections import last_of, retracted
from explorer.text import count, one_line
from explorer.vocab import FACTS, PROV, RETRIEVAL, SOURCE, TG, X

_IN_A_ROW = 5  # words: fewer stand in many texts by chance ("at the end of"), more miss a short sentence
_WORD = re.compile(r"\w+")
_MANY = 2_000  # facts of a document, beyond which what runs have kept is less to look through


@dataclass(frozen=True, slots=True)
class Kept:
    """All that left with a document, or with a version of it: rows of the library, and `back`, by which the graph has
    it again. `by_hand` are the facts that people had added with words of it, each with its subgraph.
    """

    document: str
    rows: Rows
    back: Act
    by_hand: tuple[tuple[Triple, str], ...]


@dataclass(frozen=True, slots=True)
class Quoting:
    """The contents of runs that quote a document, and the nodes whose reason does."""

    contents: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.contents) + len(self.reasons)


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A document that was removed with its earlier versions (`versions`, IRIs), and how much went with it.

    `facts` went, `kept` stay by other sources, `texts` of runs that quoted it were removed. `sha256` is the hash of its
    bytes, in hexadecimal, which stays on record. As long as this value is at hand so is all that went, in `all_of_it`:
    `Workspace.restore` brings it back as it was, but for texts of runs. What people corrected meanwhile stays so.
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
    all_of_it: tuple[Kept, ...] = field(default=(), repr=False, compare=False)

    @property
    def sentence(self) -> str:
        """What was removed, in one sentence."""
        went = [count(self.chunks, "passage"), count(self.facts, "fact")]
        went += [count(len(self.versions), "earlier version")] if self.versions else []
        went += [count(self.texts, "text") + " of runs"] if self.texts else []
        stay = f"; {count(self.kept, 'fact')} of it stay{'s' if self.kept == 1 else ''} by other sources"
        return f"Removed “{one_line(self.title)}” with {', '.join(went)}{stay if self.kept else ''}."

    def __repr__(self) -> str:
        return f"<Forgotten {self.sentence}>"


@dataclass(frozen=True, slots=True)
class Held:
    """What a document and its earlier versions (`gone`, itself first) hold: the facts that only they support, and those
    that stay.
    """

    gone: tuple[Departure, ...] = field(repr=False)
    lost: tuple[Triple, ...]
    kept: tuple[Triple, ...]

    @property
    def versions(self) -> tuple[str, ...]:
        """The earlier versions."""
        return tuple(each.one.iri for each in self.gone[1:])

    @property
    def chunks(self) -> int:
        """How many chunks the document has."""
        return len(self.gone[0].held.chunks)

    @property
    def used(self) -> tuple[Triple | str, ...]:
        """What a run may have kept of them: facts and chunks."""
        return _usable([each.held for each in self.gone])


def named_document(stores: Collection, given: str) -> DocumentRow:
    """Return the document that an IRI, a path, a title or a part of one means; raises RecordError."""
    try:
        return find_document(stores.database, given)
    except RecordError as error:
        try:
            quads = list(stores.graph.match(NamedNode(given.strip()), PROV.invalidatedAtTime, None, FACTS))
        except ValueError:  # no IRI
            raise error from None
        if gone := next((quad.object.value for quad in quads if isinstance(quad.object, Literal)), None):
            raise RecordError(
                f"The document {given.strip()} was removed on {gone[:10]}; only its title, its date and a hash stay."
            ) from error
        raise


def held(stores: Collection, document: str, moment: str = "") -> Held:
    """Return what a document holds, with the versions that it took the place of; at a `moment` they are to leave."""
    every = [Leaving(one, "", moment) for one in (document, *stores.library.older(document))]
    gone = departures(stores.graph, stores.library, every)
    lost = dict.fromkeys(fact for each in gone for fact in each.lost)
    quads = {fact: quad_of(fact) for each in gone for fact in each.held.facts if fact not in lost}
    there = stores.graph.stored(quads.values())
    kept = (fact for fact, quad in quads.items() if quad in there and is_fact(quad))
    return Held(tuple(gone), tuple(lost), tuple(kept))


def used_of(stores: Collection, document: str) -> tuple[Triple | str, ...]:
    """Return what a run may have kept of a document and the versions that it took the place of: facts and chunks.

    Facts that were taken back since are among them: answers that cite them quote it still.
    """
    every = (document, *stores.library.older(document))
    counts = stores.library.fact_counts()
    if sum(counts.get(one, 0) for one in every) > _MANY:
        return _kept_of(stores.graph, every)
    return _usable([holdings(stores.graph, one) for one in every])


def _kept_of(graph: GraphStore, documents: Sequence[str]) -> tuple[Triple | str, ...]:
    ways: list[Pattern] = [(None, way, None, RETRIEVAL) for way in (TG.edge, TG.document, TG.selectedChunk)]
    kept = list(dict.fromkeys(quad.object for quads in graph.matches(ways) for quad in quads
                              if isinstance(quad.object, Triple | NamedNode)))  # fmt: skip
    said: list[Pattern] = [(None, way, fact, SOURCE) for fact in kept for way in (TG.contains, TG.reifies)
                           if isinstance(fact, Triple)]  # fmt: skip
    ends: list[tuple[Triple | NamedNode, NamedNode]] = [(one, one) for one in kept if isinstance(one, NamedNode)]
    for quads in graph.matches(said) if said else ():
        ends += [(quad.object, quad.subject) for quad in quads
                 if isinstance(quad.object, Triple) and isinstance(quad.subject, NamedNode)]  # fmt: skip
    homes = _leading_to(graph, {node for _, node in ends}, {*documents})
    there = dict.fromkeys(one for one, node in ends if node in homes)
    return tuple(one if isinstance(one, Triple) else one.value for one in there)


def _leading_to(graph: GraphStore, nodes: set[NamedNode], documents: set[str]) -> set[NamedNode]:
    """Return the nodes of sources that were derived from one of some documents."""
    above: dict[NamedNode, list[NamedNode]] = {}
    wave = nodes
    while wave:
        asked = sorted(wave, key=str)
        read = graph.matches([(node, PROV.wasDerivedFrom, None, SOURCE) for node in asked])
        above |= {node: named(quad.object for quad in quads) for node, quads in zip(asked, read, strict=True)}
        wave = {end for node in asked for end in above[node]} - above.keys()
    found = {node for node in above if node.value in documents}
    while more := {node for node, ends in above.items() if node not in found and not found.isdisjoint(ends)}:
        found |= more
    return nodes & found


def _usable(found: Sequence[Holdings]) -> tuple[Triple | str, ...]:
    facts = dict.fromkeys(fact for one in found for fact in one.facts)
    return (*facts, *(chunk for one in found for chunk in one.chunks))


def texts_quoting(stores: Collection, has: Held) -> Quoting:
    """Return the texts of runs that quote a document or a version that it took the place of, or list its facts."""
    lists = {f"{fact} ." for fact in has.lost}
    known: set[str] = set()
    for each in has.gone:
        words = _words(stores.library.text(each.one.iri))
        known.update(_rows(words, min(_IN_A_ROW, len(words))))
    sizes = {row.count(" ") + 1 for row in known}

    def quotes(text: str) -> bool:
        words = _words(text)
        return any(row in known for size in sizes for row in _rows(words, size))

    def is_source(iri: str) -> bool:  # of a version that was replaced, or imported
        return any(quad.graph_name != RETRIEVAL for quad in stores.graph.match(NamedNode(iri)))

    contents = []
    for one in stores.library.texts_of_runs():
        text = one.data.decode("utf-8", errors="replace")
        if (quotes(text) or not lists.isdisjoint(text.splitlines())) and not is_source(one.iri):
            contents.append(one.iri)
    reasons = iris(
        quad.subject for quad in stores.graph.match(None, TG.reasoning, None, RETRIEVAL)
        if isinstance(quad.object, Literal) and quotes(quad.object.value)
    )  # fmt: skip
    return Quoting(tuple(sorted(contents)), tuple(sorted(reasons)))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _rows(words: list[str], size: int) -> Iterator[str]:
    return (" ".join(words[at : at + size]) for at in range(len(words) - size + 1)) if size else iter(())


def forget(stores: Collection, document: DocumentRow, moment: str, *, words: bool) -> Forgotten:
    """Remove a document with its earlier versions, all of it or nothing; with `words` also the texts that quote it.

    Raises RecordError where another thread was quicker.
    """
    graph, database = stores.graph, stores.database
    with database.correcting:
        has = held(stores, document.iri, moment)
        texts = texts_quoting(stores, has) if words else Quoting()
        acts = acts_of(graph, stores.library, has.gone)
        all_of_it = tuple(_kept(stores, one, act) for one, act in zip(has.gone, acts, strict=True))
        with performing(graph, database, "facts", acts) as connection:
            connection.alone()
            if words:
                write_anew(connection)
                _remove_words(stores, connection, texts, document, moment)
            for one in has.gone:
                one.take_out(connection)
        stores.sources.forget()
        stores.finish_removal()
    return Forgotten(
        iri=document.iri, title=document.title, source=document.source, forgotten_at=moment,
        sha256=acts[0].due[0].sha256, chunks=has.chunks, facts=len(has.lost), kept=len(has.kept), texts=len(texts),
        versions=has.versions, all_of_it=all_of_it,
    )  # fmt: skip


def _kept(stores: Collection, one: Departure, act: Act) -> Kept:
    document, held = one.one.iri, one.held
    contents = [document, *held.chunks, *(node.value for node in held.texts)]
    added = added_facts(stores.graph, stores.library, document)
    by_hand = tuple((each.fact, each.passage.subgraph) for each in added)
    return Kept(document, rows_of(stores.database, document, contents), act.undoing(stores.graph), by_hand)


def _remove_words(
    stores: Collection, connection: Transaction, texts: Quoting, document: DocumentRow, moment: str
) -> None:
    """Put a sentence in place of the texts of runs that go with a document, within the caller's transaction."""
    known = described(stores.graph, document.iri)
    said = f"Removed on {moment[:10]} with the document “{one_line(known.title or document.iri)}”, whose words it had."
    contents = stores.library.contents(texts.contents)
    come = [Quad(NamedNode(node), TG.reasoning, Literal(said), RETRIEVAL) for node in texts.reasons]
    for iri, content in contents.items():
        if content.data != said.encode():
            sha256 = stores.library.hash(iri) or ""
            come.append(Quad(NamedNode(iri), X.sha256, Literal(sha256), RETRIEVAL))
            come.append(Quad(NamedNode(iri), PROV.invalidatedAtTime, Literal(moment), RETRIEVAL))
    reasons: list[Pattern] = [(NamedNode(node), TG.reasoning, None, RETRIEVAL) for node in texts.reasons]
    due = [Unsealed(node, AMENDED, moment, "") for node in dict.fromkeys((*texts.contents, *texts.reasons))]
    begin(connection, "facts", Act(gone=[*chain(*stores.graph.matches(reasons))], come=come, due=due))
    take_answers(connection, [one.data.decode(errors="replace") for one in contents.values()], said)
    put_contents(connection, [Content(iri, one.title, "text/plain", said.encode()) for iri, one in contents.items()])


def restore(stores: Collection, embedder: Embedder, forgotten: Forgotten) -> None:
    """Bring back a document that was removed, as it was, with its earlier versions; all of it, also after a kill.

    What people retracted or undid meanwhile stays so, and another document that has come to its place stays there. What
    is here again stays as it is. Where another embedder has made the vectors since, all are made anew.
    """
    library = stores.library
    with stores.database.correcting:
        away = [one for one in forgotten.all_of_it if not library.has(one.document) and not library.newer(one.document)]
        if not away:
            return
        untrue = retracted(stores.graph)
        come, gone = set[Quad](), set[Quad]()
        acts = [Act(gone=gone, come=come)]
        with performing(stores.graph, stores.database, "facts", acts) as connection:
            for one in away:
                undone = [added for added in one.by_hand if not _stands(stores, added[0])]
                nodes = {node for _, node in undone}
                back = [quad for quad in one.back.come if str(quad.subject)[1:-1] not in nodes]
                held = {quad.object for quad in back if quad.predicate in (TG.contains, TG.reifies)}
                less = untrue | {fact for fact, _ in undone if fact not in held}
                come |= {quad for quad in back if quad.graph_name != FACTS or quad.triple not in less}
                gone |= {*one.back.gone}
                put_back(connection, one.rows, {*map(str, less)}, nodes)
            is_other = any(one.rows.embedder not in ("", embedder_of(connection)) for one in away)
        stores.sources.forget()
        if is_other:
            reindex(stores, embedder, progress=False)


def _stands(stores: Collection, fact: Triple) -> bool:
    """Return whether a fact was added by hand, and nothing else was done with it since."""
    last = last_of(stores.graph, fact)
    return last is not None and last.act == ADDED
