"""Storing imported statements, all or none: those of a file that is held, or of one that is too large for that.

They are gone through twice, some at a time: first they are checked and counted, then they are stored. What has to be
known of all of them in between is small. A large file may be of any format but JSON-LD, in which what terms mean may
stand at the end.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from pyoxigraph import BlankNode, DefaultGraph, NamedNode, Quad, Triple

from explorer import entities as e
from explorer import rdf
from explorer.errors import RecordError
from explorer.ingest.progress import Progress, Tell
from explorer.ingest.readers.rdf_facts import base_of
from explorer.rdf import RefusedStatement
from explorer.rdf.reification import STATEMENT
from explorer.record.run_deletion import deleted
from explorer.stores.collection import Collection
from explorer.stores.default_graph import is_fact
from explorer.stores.graph import MANY
from explorer.stores.stored_corrections import retracted
from explorer.text import count
from explorer.vocab import CONTENTS, FACTS, PROV, RDF, RETRIEVAL, TG, Graph, X, recognise

LARGE = 20_000_000  # bytes
_LARGEST_WHOLE = 500_000_000  # bytes
_WHOLE = (STATEMENT.encode(), CONTENTS.value.encode(), X.text.value.encode())
_BLOCK = 4_000_000  # bytes
_BATCH = 200_000  # quads that are stored at once
_TOLD = 1_000  # statements that can't be read and are named
_BEGINNING = 100_000  # bytes by which a format is guessed
KNOWN = "All of it was imported before; nothing was added."
_RETRACTED = "retracted here; ws.add_fact or `explorer add-fact` adds one again."
_QUESTIONS = frozenset((TG.Question, TG.GraphRagQuestion, TG.DocRagQuestion, TG.AgentQuestion))

Found = Sequence[Quad | RefusedStatement]
Blocks = Callable[[Literal["reading", "storing"]], Iterable[Found]]
"""Goes through the statements of a file, for the first or the second time."""


@dataclass(frozen=True, slots=True)
class Imported:
    """How many of the `given` statements or messages were read; `refused` holds why the others were not.

    `traces` are the IRIs of the top-level Questions among them. `unindexed` counts the facts among them that questions
    do not find before ws.reindex(). `notes` say who signed a bundle, and what of it is sealed, or that all of a file
    was here already.
    """

    given: int
    read: int
    refused: tuple[str, ...]
    traces: tuple[str, ...]
    unindexed: int = 0
    notes: tuple[str, ...] = ()
    words: str = ""

    def __repr__(self) -> str:
        counts = f"{self.read:,} of {self.given:,} read, {count(len(self.traces), 'run')}, {len(self.refused)} refused"
        then = f"; {count(self.unindexed, 'fact')} that questions find after ws.reindex()" if self.unindexed else ""
        return f"<Imported {counts}{then}>"


def form_of(path: Path, form: str | None) -> str | None:
    """Return the format of a file that is to be read in pieces; None for one that is small, or of another format."""
    if (size := path.stat().st_size) < LARGE or (form is None and path.name.endswith(".jsonl")):
        return None
    with path.open("rb") as file:
        form = form or rdf.guess(path.name, file.read(_BEGINNING))
    if form in rdf.STREAMED and not _hangs_together(path):
        return form
    if size > _LARGEST_WHOLE:
        raise RecordError(
            f"{path.name} has {size:,} bytes, and a file of its kind is held whole. Of JSON-LD, statement nodes "
            f"or contents at most {_LARGEST_WHOLE:,} can be. Export it as N-Quads of RDF 1.2, or in parts."
        )
    return None


def _hangs_together(path: Path) -> bool:
    """Return whether a file has statement nodes or contents, which stand in several triples."""
    before = b""
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            if any(mark in before + block for mark in _WHOLE):
                return True
            before = block[-100:]
    return False


def of_file(path: Path, form: str, tell: Tell) -> Blocks:
    """Return what goes through a large file; `tell` is told how many statements are read and stored.

    It raises RecordError where the file can't be read, with line and column, and where it has changed at its end.
    """
    before = _stamp(path)

    def blocks(stage: Literal["reading", "storing"]) -> Iterator[Found]:
        done = 0
        with path.open("rb") as file:
            for block in rdf.blocks(file, form, base_of(str(path.absolute()), path.name)):
                yield block.found
                done += len(block.found)
                tell(Progress(path.name, stage, done, round(done * before[1] / max(1, file.tell()))))
        if _stamp(path) != before:
            raise RecordError(f"{path.name} changed while it was read; nothing of it was stored. Import it again.")

    return blocks


def store(blocks: Blocks, stores: Collection) -> Imported:
    """Store statements, all of them or nothing, also after a kill; raises what going through them does.

    The same ones are stored once: nodes without a name that say the same, and stand at the same places of a file, are
    the same.
    """
    survey = _Survey(stores, retracted(stores.graph))
    for block in blocks("reading"):
        survey.add(block)
    is_known = False
    back = [(NamedNode(run), RETRIEVAL) for run in survey.asked if deleted(stores, run)]  # such a run is back then
    batches = survey.batches(blocks("storing"))
    if back or survey.given >= MANY:
        stores.graph.take_in(batches, back)
    else:  # a tenth of the time
        quads = [*dict.fromkeys(chain.from_iterable(batches))]
        is_known = bool(quads) and quads[-1] in stores.graph and len(stores.graph.stored(quads)) == len(quads)
        stores.graph.add([] if is_known else quads)
    stores.sources.forget()
    stores.graph.flush()
    return Imported(
        survey.given, survey.given - survey.faulty, survey.reasons(), tuple(survey.top()), len(survey.missing),
        (KNOWN,) if is_known else (),
    )  # fmt: skip


def told(refused: RefusedStatement) -> str:
    """Return where a statement stands that was refused, and why."""
    place = ("Line", refused.line), ("column", refused.column)
    where = ", ".join(f"{name} {number}" for name, number in place if number is not None)
    return f"{where}: {refused.reason}" if where else refused.reason


def _stamp(path: Path) -> tuple[int, int, int]:
    told = path.stat()
    return told.st_ino, told.st_size, told.st_mtime_ns


@dataclass(slots=True)
class _Survey:
    """What is known of all of a file once it was gone through."""

    stores: Collection
    untrue: frozenset[Triple]
    given: int = 0
    faulty: int = 0
    retracted: set[bytes] = field(default_factory=set)
    refused: list[str] = field(default_factory=list)
    asked: dict[str, None] = field(default_factory=dict)
    missing: set[bytes] = field(default_factory=set)  # hashes of facts that questions don't find
    _marks: dict[str, list[Quad]] = field(default_factory=lambda: defaultdict(list))
    _graphs: dict[str, Graph] = field(default_factory=dict)
    _blank: str = "b"
    _numbers: dict[int, int] = field(default_factory=dict)  # of such nodes in their order: some hundred bytes for each
    _said: int = 0  # what the file says of such nodes, in any order

    def add(self, block: Found) -> None:
        """Count some statements, and note what has to be known of all of them."""
        from explorer.ingest.reindex import unindexed

        self.given += len(block)
        stated: list[Quad] = []
        for one in block:
            if isinstance(one, RefusedStatement):
                self.faulty += 1
                self.refused += [told(one)] if self.faulty <= _TOLD else []
            else:
                self._note(one)
                if _is_unnamed(one):
                    own = Quad(self._own(one.subject), one.predicate, self._own(one.object), self._own(one.graph_name))
                    self._said += int.from_bytes(_hash(own))
                stated += [one] if one.graph_name == FACTS and is_fact(one) else []
        found = {one.triple for one in stated}
        self.retracted.update(map(_hash, found & self.untrue))
        self.missing.update(map(_hash, unindexed(self.stores.database, found - self.untrue)))

    def _note(self, quad: Quad) -> None:
        """Note what tells the class of a node, where it has no graph, and which nodes are Questions."""
        subject, predicate = quad.subject, quad.predicate
        if not isinstance(subject, NamedNode):
            return
        is_type = predicate == RDF.type
        if predicate == TG.query or (is_type and quad.object in _QUESTIONS):
            self.asked[subject.value] = None
        ours = predicate in TG or (is_type and any(quad.object in base for base in (TG, X, PROV)))
        if quad.graph_name == FACTS and (ours or recognise(subject.value)):
            self._marks[subject.value].append(quad)

    def batches(self, blocks: Iterable[Found]) -> Iterator[list[Quad]]:
        for iri, quads in self._marks.items():
            cls, _ = rdf.class_of(NamedNode(iri), quads)
            if cls is not e.Entity and cls.graph != FACTS:
                self._graphs[iri] = cls.graph
        self._marks.clear()
        self._numbers.clear()
        self._blank = f"b{self._said % (1 << 96):x}x"
        batch: list[Quad] = []
        for block in blocks:
            batch += [
                self._placed(one) for one in block
                if isinstance(one, Quad) and not (self.untrue and is_fact(one) and one.triple in self.untrue)
            ]  # fmt: skip
            if len(batch) >= _BATCH:
                yield batch
                batch = []
        if batch:
            yield batch

    def _placed(self, quad: Quad) -> Quad:
        """Return a quad in the graph of its class, where it names none, with blank nodes of its own."""
        subject, obj, graph = quad.subject, quad.object, quad.graph_name
        if not _is_unnamed(quad) and not isinstance(graph, DefaultGraph):
            return quad
        if graph == FACTS and isinstance(subject, NamedNode):
            graph = self._graphs.get(subject.value, FACTS)
        return Quad(self._own(subject), quad.predicate, self._own(obj), self._own(graph))

    def _own(self, term: Any) -> Any:  # noqa: ANN401 - any term in, the same kind out
        match term:
            case BlankNode():
                known = int.from_bytes(_hash(term)[:8])
                return BlankNode(f"{self._blank}{self._numbers.setdefault(known, len(self._numbers))}")
            case Triple():
                return Triple(self._own(term.subject), term.predicate, self._own(term.object))
            case _:
                return term

    def reasons(self) -> tuple[str, ...]:
        """Return why statements were refused, of many the first, and that facts were left out."""
        more = self.faulty - len(self.refused)
        return (
            *self.refused,
            *((f"{count(more, 'more statement')} can't be read.",) if more else ()),
            *((f"{count(len(self.retracted), 'fact')} left out: {_RETRACTED}",) if self.retracted else ()),
        )

    def top(self) -> Iterator[str]:
        """Yield the IRIs of the Questions that derive from none, once the file is stored."""
        for iri in self.asked:
            question = rdf.entity(self.stores.graph.match(NamedNode(iri), None, None, RETRIEVAL), e.Question)
            if question is not None and not question.derived_from:
                yield iri


def _is_unnamed(quad: Quad) -> bool:
    return (
        isinstance(quad.object, BlankNode | Triple)
        or isinstance(quad.subject, BlankNode | Triple)
        or isinstance(quad.graph_name, BlankNode)
    )


def _hash(said: Triple | Quad | BlankNode) -> bytes:
    return hashlib.blake2b(str(said).encode(), digest_size=12).digest()
