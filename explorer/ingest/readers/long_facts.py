"""A long file of RDF, read some statements at a time: no more of it is held, however long it is.

It is gone through twice. First its statements go into a store in a temporary folder, which then answers what things
are called and what is said of a statement, wherever in the file that stands; then each is put into words.
"""

from __future__ import annotations

import gc
import hashlib
import secrets
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, BinaryIO, NamedTuple

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Store, Triple

from explorer import rdf
from explorer.errors import DocumentError, RecordError
from explorer.ingest.given import stated
from explorer.ingest.given.stated import Naming, NoFacts, Statement, Telling
from explorer.ingest.limits import Limits
from explorer.ingest.readers import ready
from explorer.ingest.readers.document_text import Reading
from explorer.ingest.readers.files import Source, opened
from explorer.ingest.readers.formats import format_of
from explorer.rdf.writing import Term
from explorer.vocab import FACTS, RDF, iri

LONG = 2_000_000
"""Bytes of a file of RDF beyond which it is read and stored a stretch at a time."""
_HEAD = 1_000_000  # bytes that tell the format
_FIRST = 100_000  # bytes that tell what it is
_BYTES, _MANY = 200_000, 1_500  # of a stretch: of a format of lines, and statements of another
_PREDICATES = 10_000  # that are remembered
_QUOTES, _BESIDE = NamedNode("urn:quotes"), NamedNode("urn:beside")  # within a graph of their own


class Stretch(NamedTuple):
    """Some statements as a reading of their own, whose places count in the whole text; the bytes that they are of, and
    which share of the file is done with them.
    """

    start: int
    reading: Reading
    data: bytes
    share: float


@dataclass(frozen=True, slots=True)
class LongFacts:
    """A long file of RDF, by the hash of its bytes."""

    source: Source
    place: str
    form: str
    sha256: str
    size: int
    head: bytes = field(repr=False)

    @contextmanager
    def surveyed(self) -> Iterator[Survey]:
        """Give a survey of it, which takes room on disk as long as it lasts."""
        with tempfile.TemporaryDirectory(prefix="explorer-", ignore_cleanup_errors=True) as folder:
            survey = Survey(self, folder)
            try:
                yield survey
            finally:
                survey.close()

    @property
    def reading(self) -> Reading:
        """A reading of it before anything of it is read."""
        title, mime, _ = ready.about_file(self.head, self.source.name, self.form)
        return Reading(title, mime, "")

    @property
    def naming(self) -> Naming:
        """How it names things."""
        return ready.about_file(self.head, self.source.name, self.form)[2]

    @property
    def base(self) -> str:
        """What the file calls itself."""
        return ready.base_of(self.place, self.source.name)


def long_facts(source: Source, place: str, limits: Limits) -> LongFacts | None:
    """Look at a file that stands at a place; None for one that is no RDF of more than LONG bytes.

    Raises DocumentError where it can't be read, or has more bytes than are allowed, also in a format of which the whole
    is to be held.
    """
    with opened(source) as file:
        size = file.seek(0, 2)
        if size <= LONG:
            return None
        limits.check_size(source.name, size)
        file.seek(0)
        head = file.read(_HEAD)
        if not format_of(head, source.name).is_rdf:
            return None
        form = ready.form_of(head, source.name)
        if form not in rdf.STREAMED:
            limits.check_size(source.name, size, limits.most_held)
            return None
        file.seek(0)
        seen = hashlib.sha256()
        while data := file.read(_HEAD):
            seen.update(data)
        return LongFacts(source, place, form, seen.hexdigest(), size, head[:_FIRST])


class Survey:
    """What is known of a long file once it was looked through: what it says, by what it speaks of (`Said`)."""

    def __init__(self, file: LongFacts, folder: str) -> None:
        self.file = file
        self._folder = folder
        self.reading = file.reading
        self._naming = file.naming
        self.refused: tuple[str, ...] = ()
        self.notes: tuple[str, ...] = ()
        self._store = store = Store(folder)
        self._index = NamedNode(f"urn:index:{secrets.token_hex(16)}")
        self._predicates: set[str] | None = set()
        self._has_graphs = self._has_marks = False
        self._lists = _Lists(store)
        self._only_quoted = 0
        self.no_facts = NoFacts()

    def close(self) -> None:
        """Let go of the files of the store."""
        del self._store, self._lists
        gc.collect()  # pyoxigraph closes them when the object is gone

    def look(self) -> Iterator[float]:
        """Go through the file for the first time; yields which share of it is done.

        Raises DocumentError for what is no RDF, with line and column, and for a file of recorded runs.
        """
        name = self.file.source.name
        try:
            yield from self._look()
        except RecordError as error:
            raise ready.unreadable(name, error) from error
        except OSError as error:
            raise DocumentError(
                f"{name} can't be looked through, as {self._folder} can't be written ({error}); make room there, or "
                "name another folder in TMPDIR."
            ) from error

    def _look(self) -> Iterator[float]:
        refused, many = list[rdf.RefusedStatement](), 0
        blanks = _Blanks(self.file.sha256[:32])
        with opened(self.file.source) as file:
            for block in _blocks(file, self.file):
                quads = [one for one in block.found if isinstance(one, Quad)]
                if stated.holds_runs(quads):
                    raise ready.of_runs(self.file.source.name)
                faults = [one for one in block.found if isinstance(one, rdf.RefusedStatement)]
                refused += faults[: max(0, ready.REFUSED - len(refused))]
                many += len(faults)
                self._store.bulk_extend([*self._noted(map(blanks.named, quads))])
                yield file.tell() / self.file.size
        self._mark_statements()
        self._lists.find()
        self._only_quoted = self._count_quoted()
        self.refused = tuple(ready.refusals(refused, many))
        title, author, date = Telling(self, self.file.base, self._naming).itself()
        self.reading = replace(self.reading, title=title or self.reading.title, author=author, date=date)

    def _noted(self, quads: Iterable[Quad]) -> Iterator[Quad]:
        for quad in quads:
            yield quad
            if self._predicates is not None:
                self._predicates.add(quad.predicate.value)
                if len(self._predicates) > _PREDICATES:
                    self._predicates = None
            self._has_graphs = self._has_graphs or quad.graph_name != FACTS
            if isinstance(quad.object, Triple):
                yield from self._marks(quad.subject, quad.object)
            elif stated.is_of_record(quad):
                yield from self._marks(quad.subject)

    def _marks(self, node: Term, quoted: Triple | None = None) -> Iterator[Quad]:
        self._has_marks = True
        yield Quad(node, _BESIDE, node, self._index)  # type: ignore[arg-type]
        if quoted is not None:
            yield Quad(node, _QUOTES, quoted, self._index)  # type: ignore[arg-type]

    def _mark_statements(self) -> None:
        """Mark the nodes that quote a triple by its parts."""
        if self._says(RDF.subject.value):
            nodes = dict.fromkeys(quad.subject for quad in self._store.quads_for_pattern(None, RDF.subject, None, None))
            for node in nodes:
                if (quoted := stated.quoted_in(self.about(node))) is not None:
                    self._store.extend(self._marks(node, quoted))

    def _count_quoted(self) -> int:
        """Return how many triples are only quoted."""
        if not self._has_marks:
            return 0
        quoted = {quad.object for quad in self._store.quads_for_pattern(None, _QUOTES, None, self._index)}
        return sum(self._first(one.subject, one.predicate, one.object) is None
                   for one in quoted if isinstance(one, Triple))  # fmt: skip

    def _says(self, predicate: str) -> bool:
        return self._predicates is None or predicate in self._predicates

    def _first(self, subject: Term | None, predicate: NamedNode | None, obj: Term) -> Quad | None:
        found = self._store.quads_for_pattern(subject, predicate, obj, None)  # type: ignore[arg-type]
        return next((quad for quad in found if quad.graph_name != self._index), None)

    def about(self, node: Term, *predicates: str) -> Sequence[Quad]:
        """Return what is said of a node, by some predicates or any."""
        if isinstance(node, Literal | Triple):
            return ()
        wanted = [NamedNode(one) for one in predicates if self._says(one)] if predicates else [None]
        found = (quad for one in wanted for quad in self._store.quads_for_pattern(node, one, None, None))
        return [quad for quad in found if quad.graph_name != self._index]

    def kinds(self, kind: NamedNode) -> Iterable[Term]:
        """Return the first nodes of a kind, enough to tell whether there is one alone."""
        return [quad.subject for quad in islice(self._store.quads_for_pattern(None, RDF.type, kind, None), 3)]

    def within(self, node: Term) -> Quad | None:
        """Return a statement that has a node as its object."""
        return self._first(None, None, node)

    def quoting(self, triple: Triple) -> Sequence[Term]:
        """Return the nodes that quote a triple."""
        if not self._has_marks:
            return ()
        return [quad.subject for quad in self._store.quads_for_pattern(None, _QUOTES, triple, self._index)]

    def is_beside(self, node: Term) -> bool:
        """Return whether a node is a statement or an activity."""
        is_node = self._has_marks and isinstance(node, NamedNode)
        return is_node and Quad(node, _BESIDE, node, self._index) in self._store  # type: ignore[arg-type]

    def is_graph(self, node: Term) -> bool:
        """Return whether a node names a graph."""
        return self._has_graphs and isinstance(node, NamedNode) and self._store.contains_named_graph(node)

    def called(self, node: Term) -> str | None:
        """Return what a node is called."""
        return self._naming.called(self.about(node, *self._naming.names))

    def apart(self, node: NamedNode, name: str) -> str:
        """Return the name of a node without one of its own, with its number in the file."""
        return f"{name} (no. {int(node.value.rpartition(':')[2]):,})"

    def stretches(self) -> Iterator[Stretch]:
        """Go through the file for the second time, and put it into words, of which each stretch has some.

        Raises DocumentError where it is no longer the file that was looked through, and where it states no fact.
        """
        held: Stretch | None = None
        for one in self._stretches():
            if held is None:
                held = one
            elif not one.reading.text:
                held = held._replace(data=held.data + one.data, share=one.share)
            elif not held.reading.text:
                held = one._replace(data=held.data + one.data)
            else:
                yield held
                held = one
        if held is None or not held.reading.text:
            raise ready.without_facts(self.file.source.name, self.refused)
        yield held

    def _stretches(self) -> Iterator[Stretch]:
        """Yield stretches, each with some bytes; some may have no text."""
        changed = DocumentError(
            f"{self.file.source.name} was changed while it was read; try again when nobody writes to it."
        )
        telling, blanks = Telling(self, self.file.base, self._naming), _Blanks(self.file.sha256[:32])
        at, part, number = 0, 1, 0
        found: dict[Triple, Statement] = {}

        def stretch(data: bytes) -> Stretch:
            nonlocal at, part, number, found
            start, share = at, copied.tell() / self.file.size
            text, parts, facts = ready.written([*found.values()], at, part, number) if found else ("", (), ())
            at, part, number, found = at + len(text), part + len(parts), number + len(found), {}
            return Stretch(start, replace(self.reading, text=text, parts=parts, facts=facts), data, share)

        with opened(self.file.source) as file:
            copied = _Copied(file)
            try:
                for block in _blocks(copied, self.file, with_lines=True):
                    self._tell(block, telling, blanks, found)
                    if data := copied.taken():  # else the parser had them with the stretch before
                        yield stretch(data)
            except RecordError as error:
                raise changed from error
            yield stretch(copied.rest())
        if copied.sha256 != self.file.sha256:
            raise changed
        self.notes = tuple(ready.notes(self.reading.mime, self.no_facts, self._only_quoted))

    def _tell(self, block: rdf.Block, telling: Telling, blanks: _Blanks, found: dict[Triple, Statement]) -> None:
        """Put some statements into words, each once."""
        for given in (one for one in block.found if isinstance(one, Quad)):
            members = list(self._lists.members(blanks.named(given)))
            self.no_facts.lists += 1 - len(members)
            for quad in members:
                if telling.is_beside(quad):
                    self.no_facts.beside += 1
                elif quad.triple not in found:
                    told = telling.statement(quad, block.lines.get(given.triple))
                    self.no_facts.add(told, self._naming)
                    found.update({quad.triple: told} if told is not None else {})


def _blocks(file: rdf.Readable, facts: LongFacts, *, with_lines: bool = False) -> Iterator[rdf.Block]:
    return rdf.blocks(file, facts.form, facts.base, with_lines=with_lines, size=_BYTES, many=_MANY)


class _Blanks:
    """IRIs in place of the blank nodes of a file, numbered as they come: some hundred bytes are held for each."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._numbers: dict[int, int] = {}

    def named(self, quad: Quad) -> Quad:
        """Return a statement without blank nodes."""
        subject, obj, graph = quad.subject, quad.object, quad.graph_name
        if isinstance(subject, NamedNode) and isinstance(obj, NamedNode | Literal) and not isinstance(graph, BlankNode):
            return quad
        return Quad(self._named(subject), quad.predicate, self._named(obj), self._named(graph))

    def _named(self, term: Any) -> Any:  # noqa: ANN401 - any term in, the same kind out
        match term:
            case BlankNode():
                known = int.from_bytes(hashlib.blake2b(term.value.encode(), digest_size=8).digest())
                return NamedNode(iri("blank", self._key, self._numbers.setdefault(known, len(self._numbers) + 1)))
            case Triple():
                return Triple(self._named(term.subject), term.predicate, self._named(term.object))
            case _:
                return term


@dataclass(slots=True)
class _Lists:
    """The lists in a file, whose members stand in their place; those that are broken or shared stay as they are."""

    store: Store
    _heads: set[int] = field(default_factory=set)
    _nodes: set[int] = field(default_factory=set)

    def find(self) -> None:
        """Look for lists in all of it."""
        for quad in self.store.quads_for_pattern(None, stated.REST, None, None):
            node = quad.subject
            above = list(islice(self.store.quads_for_pattern(None, None, node, None), 2))
            if len(above) == 1 and above[0].predicate != stated.REST and (chain := self._chain(node)):
                self._heads.add(hash(node))
                self._nodes.update(map(hash, chain))

    def _chain(self, node: Term) -> list[Term]:
        """Return the nodes of a whole list, empty for one that is broken, shared or a circle."""
        chain: dict[Term, None] = {}
        while node != stated.NIL:
            said = {quad.predicate: quad.object for quad in self._about(node)}
            mentions = islice(self.store.quads_for_pattern(None, None, node, None), 2)
            if said.keys() != {stated.FIRST, stated.REST} or len(self._about(node)) != 2 or len([*mentions]) != 1:
                return []
            if node in chain:
                return []
            chain[node] = None
            node = said[stated.REST]
        return [*chain]

    def _about(self, node: Term) -> list[Quad]:
        return (
            []
            if isinstance(node, Literal | Triple)
            else list(islice(self.store.quads_for_pattern(node, None, None, None), 3))
        )

    def members(self, quad: Quad) -> Iterator[Quad]:
        """Yield a statement, of one about a list one for each member; nothing for what makes up a list."""
        if not self._heads or (hash(quad.subject) not in self._nodes and hash(quad.object) not in self._heads):
            yield quad
        elif hash(quad.subject) not in self._nodes:
            for node in self._chain(quad.object):
                first = next(self.store.quads_for_pattern(node, stated.FIRST, None, None))  # type: ignore[arg-type]
                yield Quad(quad.subject, quad.predicate, first.object, quad.graph_name)


class _Copied:
    """A file whose bytes are copied as they are read."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._hash = hashlib.sha256()
        self._taken = bytearray()

    def read(self, size: int = -1) -> bytes:
        """Read on."""
        return self._copied(self._file.read(size))

    def readline(self, size: int = -1) -> bytes:
        """Read a line, or a piece of it."""
        return self._copied(self._file.readline(size))

    def _copied(self, data: bytes) -> bytes:
        self._hash.update(data)
        self._taken += data
        return data

    def seek(self, place: int) -> int:
        """Begin again at the start."""
        self._hash = hashlib.sha256()
        self._taken.clear()
        return self._file.seek(place)

    def tell(self) -> int:
        """Return how far it was read."""
        return self._file.tell()

    def taken(self) -> bytes:
        """Return what was read since the last time, but for the last byte."""
        data = bytes(self._taken[:-1])
        del self._taken[: len(data)]
        return data

    def rest(self) -> bytes:
        """Read to the end; return what was read since the last time."""
        while self.read(_HEAD):
            pass
        return bytes(self._taken)

    @property
    def sha256(self) -> str:
        """The hash of what was read."""
        return self._hash.hexdigest()
