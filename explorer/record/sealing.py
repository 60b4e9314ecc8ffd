"""What is sealed of a run: its triples, and what is on record of the sources that its selections lead to.

Both are hashed as canonical N-Quads (RDFC-1.0). Texts and bytes are covered by their hashes among these triples.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pyoxigraph import BlankNode, CanonicalizationAlgorithm, Dataset, Literal, NamedNode, Quad, Triple

from explorer import entities as e
from explorer.entities import columns
from explorer.events import Explain
from explorer.ingest.removal import holdings, is_used
from explorer.record.node_lookup import iris, named
from explorer.record.replay import Replay
from explorer.stores.collection import Collection
from explorer.vocab import FACTS, PROV, RDF, RETRIEVAL, SOURCE, TG, X, iri, is_call_text, session_of

_DOCUMENT = {RDF.type, *(column.predicate for column in columns(e.Document))} - {
    PROV.wasRevisionOf,  # a newer version may come back to an older one
    PROV.invalidatedAtTime,
}
_TOMBSTONE = {*_DOCUMENT, PROV.invalidatedAtTime}
_PASSES = {PROV.wasGeneratedBy, X.confidence, X.joined}
"""What facts that are found anew in the same words may change of the node that they are taken from."""
_HOW = {PROV.wasGeneratedBy, X.confidence}
"""What is sealed of these, apart from the sources, with the activities; X.joined may grow with each file."""
_REMOVABLE = (TG.reasoning, PROV.invalidatedAtTime)
_LEADS = (PROV.wasDerivedFrom, TG.document, TG.selectedChunk, X.consulted, X.cites)
_BLANK = "_:"  # what the name of a blank node begins with in N-Quads
_DEEPEST = 6  # from what was taken to its document, as deep as passages are looked up


@dataclass(frozen=True, slots=True)
class Sealable:
    """The triples of a run without x:previous, and those of its sources by document (IRI); `named` is x:previous.

    `how` has, by document too, by which activities it was read and its facts were found.
    """

    record: tuple[Quad, ...]
    sources: Mapping[str, tuple[Quad, ...]]
    how: Mapping[str, tuple[Quad, ...]]
    named: str = ""

    @property
    def record_hash(self) -> str:
        """The SHA-256 of the run's triples, in hexadecimal."""
        return digest(self.record)

    @property
    def lasting_hash(self) -> str:
        """The SHA-256 of its triples without what changes when texts of it are removed with a document."""
        return digest(quad for quad in self.record if quad.predicate not in _REMOVABLE)

    @property
    def source_hashes(self) -> dict[str, str]:
        """The SHA-256 of what is on record of each document and its passages, by IRI, in hexadecimal."""
        return {document: digest(quads) for document, quads in self.sources.items()}

    @property
    def how_hashes(self) -> dict[str, str]:
        """The SHA-256 of how each document was read and its facts were found, by IRI, in hexadecimal."""
        return {document: digest(quads) for document, quads in self.how.items()}

    @property
    def is_whole(self) -> bool:
        """Whether all that the run leads to is on record: of a file without its sources some may be, by other files."""
        told = {quad.subject for quads in self.sources.values() for quad in quads}
        return told.issuperset(_ends(self.record))


def sealable(stores: Collection, run: str) -> Sealable:
    """Return what is sealed of a run, as it is on record now."""
    about = [(node, None, None, RETRIEVAL) for node in _nodes(stores, run)]
    found = [quad for quads in stores.graph.matches(about) for quad in quads]
    seals = [quad.object.value for quad in found if quad.predicate == X.previous and isinstance(quad.object, Literal)]
    record = tuple(quad for quad in found if quad.predicate != X.previous)
    return Sealable(record, *_sources(stores, record), " ".join(sorted(seals)))


def left_of(stores: Collection, document: str) -> dict[str, str]:
    """Return the SHA-256 of what is left of a document that was removed, and of each of its passages, by IRI."""
    held = holdings(stores.graph, document)
    passages = (node.value for node in (*held.parts, *held.subgraphs))
    return {node: left_hash(stores, node) for node in (document, *passages)}


def left_hash(stores: Collection, node: str) -> str:
    """Return the SHA-256 of what is on record of a removed document or a passage of it, in hexadecimal."""
    quads = stores.graph.match(NamedNode(node))
    return digest(q for q in quads if q.graph_name == SOURCE or (q.graph_name == FACTS and q.predicate in _TOMBSTONE))


def found_anew(stores: Collection, document: str) -> dict[str, str]:
    """Return the SHA-256 of how each fact of a document that runs used is found now, and of its activities, by IRI."""
    held = holdings(stores.graph, document)
    used = [node for node, facts in held.subgraphs.items() if any(is_used(stores.graph, fact) for fact in facts)]
    told = stores.graph.matches([(node, None, None, SOURCE) for node in (*used, *held.activities)])
    passes = (quad for quads in told[: len(used)] for quad in quads if quad.predicate in _HOW)
    return by_node((*passes, *(quad for quads in told[len(used) :] for quad in quads)))


def by_node(quads: Iterable[Quad]) -> dict[str, str]:
    """Return the SHA-256 of what triples say of each node, by IRI, in hexadecimal."""
    about = defaultdict[str, list[Quad]](list)
    for quad in quads:
        if isinstance(quad.subject, NamedNode):
            about[quad.subject.value].append(quad)
    return {node: digest(told) for node, told in about.items()}


def worded_calls(stores: Collection, record: Iterable[Quad]) -> int:
    """Return how many prompts and replies of a run's triples have their words in the library, and not a hash alone."""
    return len(stores.library.held(filter(is_call_text, iris(quad.subject for quad in record))))


def digest(quads: Iterable[Quad]) -> str:
    """Return the SHA-256 of triples in their canonical form, in hexadecimal."""
    return hashlib.sha256(canonical(quads)).hexdigest()


def canonical(quads: Iterable[Quad]) -> bytes:
    """Return the canonical N-Quads of triples: without blank nodes their lines in order, which is RDFC-1.0.

    Blank nodes that hang together keep the names that they have here: to find others for them may take forever.
    """
    lines = {f"{quad} .\n": quad for quad in quads}
    blanks = [[*_blanks(quad)] for line, quad in lines.items() if _BLANK in line]  # which a text may hold as well
    if any(blanks) and all(len({*named}) == 1 for named in blanks if named):
        dataset = Dataset(lines.values())
        dataset.canonicalize(CanonicalizationAlgorithm.RDFC_1_0)
        return "".join(sorted(f"{quad} .\n" for quad in dataset)).encode()
    return "".join(sorted(lines)).encode()


def _blanks(quad: Quad) -> Iterator[BlankNode]:
    terms: list[object] = [quad.subject, quad.object, quad.graph_name]
    while terms:
        match terms.pop():
            case BlankNode() as blank:
                yield blank
            case Triple() as triple:
                terms += [triple.subject, triple.object]


def _nodes(stores: Collection, run: str) -> list[NamedNode]:
    """Return the nodes of a run: what says that it is one of it, with its agents; of a record without that, all that
    leads to its Question.
    """
    whole = NamedNode(run)
    activity = NamedNode(iri("run", session_of(run) or ""))
    steps, agents = stores.graph.matches(
        [(None, X.run, whole, RETRIEVAL), (activity, PROV.wasAssociatedWith, None, RETRIEVAL)]
    )
    found = named((whole, *(quad.subject for quad in steps)))
    if activity in found:
        return named((*found, *(quad.object for quad in agents)))
    events = (event for event in Replay(stores, run).events() if isinstance(event, Explain))
    return named((*found, *(quad.subject for event in events for quad in event.triples)))


def _sources(
    stores: Collection, record: Sequence[Quad]
) -> tuple[dict[str, tuple[Quad, ...]], dict[str, tuple[Quad, ...]]]:
    """Return what is on record of the passages and documents that a run's triples lead to, and how they were found, by
    document.
    """
    facts: set[object] = {quad.object for quad in record if quad.predicate == TG.edge}
    known: dict[NamedNode, tuple[Quad, ...]] = {}
    passes: dict[NamedNode, list[Quad]] = {}
    level = _ends(record)
    level |= dict.fromkeys(map(NamedNode, stores.sources.above(node.value for node in level)))
    for _ in range(_DEEPEST):  # what stands above any of them is looked up together
        new = [node for node in level if node not in known]
        if not new:
            break
        told = [[*quads] for quads in stores.graph.matches([(node, None, None, None) for node in new])]
        passes |= {node: [q for q in quads if q.graph_name == SOURCE and q.predicate in _HOW]
                   for node, quads in zip(new, told, strict=True)}  # fmt: skip
        known |= {node: tuple(_told(quads, facts)) for node, quads in zip(new, told, strict=True)}
        level = dict.fromkeys(above for node in new if (above := _above(known[node])) is not None)
    made = named(quad.object for quads in passes.values() for quad in quads)
    acts = stores.graph.matches([(activity, None, None, SOURCE) for activity in made])
    by = {activity: [*quads] for activity, quads in zip(made, acts, strict=True)}
    found: dict[str, dict[Quad, None]] = defaultdict(dict)
    how: dict[str, dict[Quad, None]] = defaultdict(dict)
    for end in _ends(record):
        way, found_by, node = list[Quad](), list[Quad](), end
        for _ in range(_DEEPEST):
            way += known[node]
            found_by += (q for q in passes[node] if q not in known[node])  # else among the sources
            found_by += (q for one in passes[node] if isinstance(one.object, NamedNode) for q in by[one.object])
            if (above := _above(known[node])) is None:
                break
            node = above
        if way:
            found[node.value] |= dict.fromkeys(way)
            how[node.value] |= dict.fromkeys(found_by)
    sources, ways = (
        {document: tuple(quads) for document, quads in sorted(one.items()) if quads} for one in (found, how)
    )
    return sources, ways


def _ends(record: Sequence[Quad]) -> dict[NamedNode, None]:
    ends = named(quad.object for quad in record if quad.predicate in _LEADS)
    return dict.fromkeys(node for node in ends if not session_of(node.value))


def _above(told: Iterable[Quad]) -> NamedNode | None:
    """Return what a source was taken from, by what is on record of it; None where that is nothing that has a name."""
    return min(named(quad.object for quad in told if quad.predicate == PROV.wasDerivedFrom), key=str, default=None)


def _told(recorded: Sequence[Quad], facts: set[object]) -> Iterator[Quad]:
    """Yield what is on record of a source, of a node that facts were taken from without facts that the run left out."""
    quads = [quad for quad in recorded if quad.graph_name == SOURCE]
    is_taken = any(quad.object == TG.Subgraph for quad in quads)
    for quad in quads:
        if is_taken and (quad.predicate in _PASSES or (isinstance(quad.object, Triple) and quad.object not in facts)):
            continue
        yield quad
    if not any(quad.predicate == PROV.wasDerivedFrom for quad in quads):
        yield from (q for q in recorded if q.graph_name == FACTS and q.predicate in _DOCUMENT)
