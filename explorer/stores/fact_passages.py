"""Passages of facts: the words an edge came from, by exact look-ups in the source graph, never by traversing it.

Where a chunk or sentence stands is read from the library, which is quicker; the graph tells it where that doesn't.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from typing import TypedDict

from pyoxigraph import Literal, NamedNode, Triple

from explorer import rdf
from explorer.entities import Chunk, Curation, Document, Entity, Page, Section
from explorer.errors import RecordError
from explorer.events import Passage, Resource
from explorer.stores import stored_corrections
from explorer.stores.attached import AttachedStore, attached_stores
from explorer.stores.chunks import Place, PlacedChunk, Span
from explorer.stores.collection_view import Viewed
from explorer.stores.default_graph import facts_about
from explorer.stores.graph import GraphStore, Pattern
from explorer.stores.library import Library
from explorer.stores.merged_entities import Merged
from explorer.stores.pages import Part, parts_of
from explorer.stores.reading_ahead import Known, Lookups
from explorer.vocab import DC, FACTS, PROV, RDFS, SOURCE, STORE, TG, X, is_blank, local_name, moment, recognise

_AROUND = 300  # code points on each side of a passage
_UNKNOWN = "unknown"
_DOCUMENTS = 4  # whose pages are remembered: of an attached store thousands
_FURTHEST = 6  # blank nodes between a statement and what has an address


class _OfStore(TypedDict, total=False):
    store: str
    origins: tuple[str, ...]
    resources: tuple[Resource, ...]


class Passages(Viewed):
    """Passages and labels of one collection; look-ups are cached for the life of the object."""

    def __init__(self, graph: GraphStore, library: Library) -> None:
        self.graph = graph
        self.library = library
        self._lookups = Lookups(graph)
        self._entity = lru_cache(maxsize=20_000)(self._read)
        self._passage = lru_cache(maxsize=20_000)(self._read_passage)
        self.chunk_text = lru_cache(maxsize=5_000)(self._chunk_text)
        self.label = lru_cache(maxsize=50_000)(self._label)
        self._source = lru_cache(maxsize=5_000)(library.source)
        self._home = lru_cache(maxsize=20_000)(lambda chunk: self._placed(chunk) or self.recorded(chunk))
        self._placed = Known(library.placed, 20_000)
        self._span = Known(self._read_spans, 20_000)
        self._subgraphs_in = Known(library.subgraphs_in, 20_000)
        self._resource = lru_cache(maxsize=20_000)(self._read_resource)
        self._agent = lru_cache(maxsize=20_000)(self._read_agent)
        self.parts = lru_cache(maxsize=_DOCUMENTS)(self._parts)
        self.is_changed = lru_cache(maxsize=20_000)(self._is_changed)

    def forget(self) -> None:
        """Clear the caches, after the stores have changed."""
        for name, one in [*vars(self).items()]:
            if isinstance(getattr(type(self), name, None), cached_property):
                self.__dict__.pop(name, None)
            elif isinstance(one, Lookups | Known):
                one.forget()
            elif hasattr(one, "cache_clear"):
                one.cache_clear()

    def ahead(self, edges: Iterable[Triple] = (), chunks: Iterable[str] = (), entities: Iterable[str] = ()) -> None:
        """Read what the graph has of some edges and chunks, and the labels of entities, for what is asked of them next:
        of any number of edges and entities in two look-ups, of chunks in one.
        """
        read = [self.merged.variants(edge) for edge in edges]
        facts = dict.fromkeys(one for variants in read for one in variants)
        labels = (_labels_of(self.merged.one(iri)) for iri in entities)
        self._lookups.ahead(chain(chain.from_iterable(map(self._of_edge, facts)), labels))
        held = self._chunks_of(node for fact in facts for node in self.records(fact))
        wanted = dict.fromkeys([*chunks, *held.values()])
        self._placed.ahead(wanted)
        homes = map(self._home, wanted)
        self._lookups.ahead(
            pattern for home in homes if home for pattern in (*_hashes_of(home.iri), _date_of(home.document))
        )
        nodes = [node for node, chunk in held.items() if self._is_of_store(chunk)]
        wholes = [chunk for chunk in chunks if self._is_of_store(chunk)]
        self._subgraphs_in.ahead(wholes)
        within = chain.from_iterable(self._subgraphs_in(chunk) or () for chunk in wholes)
        self._lookups.ahead(chain((_held_by(node) for node in chain(nodes, within)), map(_origins_of, nodes)))

    def _is_of_store(self, chunk: str) -> bool:
        return (home := self._home(chunk)) is not None and home.mime == STORE

    def above(self, nodes: Iterable[str]) -> set[str]:
        """Return the chunks, parts and documents that passages stand in, as far as the library knows them."""
        given = list(nodes)
        spans = self._chunks_of(given)
        chunks = sorted({spans.get(node, node) for node in given})
        self._placed.ahead(chunks)
        homes = [home for home in map(self._placed, chunks) if home]
        named = ((home.iri, home.document, home.place.part) for home in homes)
        return {iri for those in named for iri in those if iri}

    def _read_spans(self, subgraphs: Sequence[str]) -> dict[str, Span]:
        spans, chunks = self.library.spans_placed(subgraphs)
        self._placed.know(chunks)
        return spans

    def _chunks_of(self, subgraphs: Iterable[str]) -> dict[str, str]:
        given = list(subgraphs)
        self._span.ahead(given)
        return {node: span.chunk for node in given if (span := self._span(node))}

    def _of_edge(self, edge: Triple) -> Iterator[Pattern]:
        yield None, TG.contains, edge, SOURCE
        yield None, TG.reifies, edge, SOURCE
        yield stored_corrections.acts_on(edge)
        yield from (_labels_of(end.value) for end in self._ends(edge))

    def _ends(self, edge: Triple) -> Iterator[NamedNode]:
        """Yield the terms of an edge that may have labels, and those that they are read as."""
        for term in (edge.subject, edge.predicate, edge.object):
            if isinstance(term, NamedNode):
                yield from (term, NamedNode(self.merged.one(term.value)))

    @cached_property
    def attached(self) -> dict[str, AttachedStore]:
        """The attached stores by their documents."""
        return {one.document: one for one in attached_stores(self.library.database)}

    @cached_property
    def has_removed(self) -> bool:
        """Whether a document was removed."""
        return next(iter(self.graph.match(None, PROV.invalidatedAtTime, None, FACTS)), None) is not None

    @cached_property
    def has_models(self) -> bool:
        """Whether a model has read a passage."""
        return next(iter(self.graph.match(None, TG.llmModel, None, SOURCE)), None) is not None

    @cached_property
    def merged(self) -> Merged:
        """Which entities people have said to be one."""
        return stored_corrections.merged(self.graph, self.of_entities)

    @cached_property
    def of_entities(self) -> tuple[Curation, ...]:
        """All that was done by hand with entities, in order, with the acts that undid any of it."""
        self._lookups.ahead([stored_corrections.ACTS, stored_corrections.OF_ENTITIES])
        return tuple(stored_corrections.of_entities(self._lookups))

    def passages(self, edge: Triple) -> tuple[Passage, ...]:
        """Return all passages an edge is taken from, in order of document and offset; empty when none is recorded.

        Those of documents that were removed, or of which a newer version is there, only where there are no others.
        """
        return self.passages_at(edge, None)

    def passages_at(self, edge: Triple, at: str | None) -> tuple[Passage, ...]:
        """Return the passages of an edge as a run that began then has read them: of the versions that were there, and
        of facts that were read as the same.
        """
        if str(edge) in self.view.facts:
            return ()
        merged = (
            self.merged
            if at is None or not self.of_entities
            else stored_corrections.merged(self.graph, self.of_entities, at)
        )
        nodes = (node for one in merged.variants(edge) for node in self.records(one))
        found = [passage for node in nodes if (passage := self._passage(node)) is not None]
        there = self._there(found, at)
        ordered = sorted(there, key=lambda p: (p.title, p.document, p.start, p.end, p.extracted_by))
        return self.view.read(tuple(ordered))

    def _there(self, found: Sequence[Passage], at: str | None) -> Sequence[Passage]:
        """Return the passages that were there at a moment, by default now, without those of versions that came later.

        All where that leaves none: what is known of a source is not held back.
        """
        if all(one.until is None for one in found):
            return found
        asked = moment(at or "")

        def was(one: Passage) -> bool:
            activity = self._value(one.chunk, PROV.wasGeneratedBy)
            begun = activity and self._value(activity, PROV.startedAtTime)
            left, came = moment(one.until or ""), moment(begun or "")
            return asked is not None and left is not None and asked <= left and (came is None or came <= asked)

        kept = [one for one in found if one.until is None or was(one)]
        later = {one.newer for one in kept}
        return [one for one in kept if one.document not in later] or found

    def called(self, iri: str) -> str:
        """Return the own name of an entity, whatever it is read as."""
        return self.own_label(iri) or stored_corrections.name_of(self.graph, iri) or local_name(iri)

    def about(self, entity: str) -> Iterator[Triple]:
        """Yield the facts that an entity stands in, or one that is read as it, each once however often it is stored."""
        merged, seen = self.merged, set[Triple]()
        for fact in facts_about(self.graph, *map(NamedNode, merged.all(entity))):
            if (read := merged.reading(fact)) not in seen:
                seen.add(read)
                yield fact

    def records(self, edge: Triple) -> list[str]:
        """Return the nodes of the source graph that hold an edge: its subgraphs."""
        return self._subgraphs(TG.contains, edge) or self._subgraphs(TG.reifies, edge)

    def passage(self, iri: str) -> tuple[Passage, ...]:
        """Return the passage that a subgraph of facts stands for; empty when none is recorded."""
        found = self._passage(iri)
        return () if found is None else self.view.read((found,))

    def anew(self, passage: Passage) -> Passage:
        """Return a passage as it is now: its document may have been removed since, or be back."""
        is_whole = passage.subgraph == passage.chunk
        found = self.chunk(passage.chunk) if is_whole else self.passage(passage.subgraph)
        return found[0] if found else passage

    def chunk(self, iri: str) -> tuple[Passage, ...]:
        """Return a whole chunk as a passage; empty when nothing is recorded of it."""
        home = self._home(iri)
        if home is None:
            return ()
        length = None if home.text else self._value(iri, TG.charLength)
        return self.view.read((self._described(iri, home, 0, home.text, home.place.agent, length=length),))

    def recorded(self, chunk: str) -> PlacedChunk | None:
        """Return a chunk with its place as the graph tells it; None when nothing is recorded of it."""
        return self._above(chunk) if isinstance(self._entity(chunk), Chunk) else None

    def dated(self, document: str) -> str | None:
        """Return the date that a document names, as it stands there."""
        quads = list(self._lookups.match(*_date_of(document)))
        found = (quad.object for graph in (SOURCE, FACTS) for quad in quads if quad.graph_name == graph)
        return next((term.value for term in found if isinstance(term, Literal)), None)

    def labels(self, edges: Iterable[Triple]) -> dict[str, str]:
        """Return the labels of all IRIs in some edges; an IRI without a label is left out."""
        nodes = {term for edge in edges for term in (edge.subject, edge.predicate, edge.object)}
        return self.labels_of(node.value for node in nodes if isinstance(node, NamedNode))

    def labels_of(self, nodes: Iterable[str]) -> dict[str, str]:
        """Return the labels of entities, by IRI in order; one without a label is left out."""
        named = sorted(nodes)
        self._lookups.ahead(_labels_of(self.merged.one(iri)) for iri in named)
        return {iri: label for iri in named if (label := self.label(iri)) is not None}

    def own_labels(self, edges: Iterable[Triple]) -> dict[str, str]:
        """Return the labels that the IRIs in some edges have themselves, whatever they are read as."""
        nodes = {term for edge in edges for term in (edge.subject, edge.predicate, edge.object)}
        found = ((node.value, self.own_label(node.value)) for node in nodes if isinstance(node, NamedNode))
        return {iri: label for iri, label in sorted(found) if label is not None}

    def _parts(self, document: str) -> tuple[Part, ...]:
        return tuple(parts_of(self.graph, document, {*self.library.chunks_of(document)}))

    def _label(self, iri: str) -> str | None:
        one = self.merged.one(iri)
        return self.merged.names.get(one) or self.own_label(one)

    def own_label(self, iri: str) -> str | None:
        """Return the label that an entity itself has in the default graph, whatever it is read as; None without one."""
        found = [q.object.value for q in self._lookups.match(*_labels_of(iri)) if isinstance(q.object, Literal)]
        return min(found, default=None)

    def _subgraphs(self, link: NamedNode, edge: Triple) -> list[str]:
        found = (quad.subject for quad in self._lookups.match(None, link, edge, SOURCE))
        return [node.value for node in found if isinstance(node, NamedNode)]

    def _read_passage(self, subgraph: str) -> Passage | None:
        """Return the span that a subgraph stands for; None where none is recorded.

        Where its words stand is read, but not the facts in it: looking these up costs most of the time.
        """
        span = self._span(subgraph)
        home = self._home(span.chunk) if span else None
        if span and home:
            return self._described(subgraph, home, span.start, home.text[span.start : span.end], span.agent)
        chunk = self._value(subgraph, PROV.wasDerivedFrom)
        if chunk is None:
            return None
        home = self._home(chunk) or self._above(chunk)
        offset = self._value(subgraph, TG.sourceCharOffset) or ""
        text = self._value(subgraph, TG.sourceText)
        length = self._value(subgraph, TG.sourceCharLength)
        activity = self._value(subgraph, PROV.wasGeneratedBy)
        agent = self._agent(activity) if activity else _UNKNOWN
        start = int(offset) if offset.isdecimal() else 0
        return self._described(subgraph, home, start, home.text if text is None else text, agent, length=length)

    def _value(self, subject: str, predicate: NamedNode) -> str | None:
        found = (quad.object for quad in self.graph.match(NamedNode(subject), predicate, None, SOURCE))
        return next((term.value for term in found if isinstance(term, NamedNode | Literal)), None)

    def _described(
        self, subgraph: str, home: PlacedChunk, offset: int, text: str, agent: str, *, length: str | None = None
    ) -> Passage:
        """Return a text that stands in a chunk from an offset, with the place of both; of one that is not there any
        more `length` tells where it ended.
        """
        place = home.place
        start = place.start + offset
        before, after = _around(text, offset, home.text)
        return Passage(
            until=home.until,
            newer=home.newer,
            is_changed=self.is_changed(home.iri, home.text),
            **self._attached(home, subgraph),
            document=home.document,
            title=home.title,
            source=home.source,
            page=place.page,
            section=place.section,
            part=place.part,
            chunk=home.iri,
            chunk_index=place.number,
            start=start,
            end=start + (int(length) if length and length.isdecimal() and not text else len(text)),
            page_start=start - place.part_start if place.part is not None else None,
            text=text,
            subgraph=subgraph,
            extracted_by=agent,
            before=before,
            after=after,
        )

    def _attached(self, home: PlacedChunk, subgraph: str) -> _OfStore:
        """Return of what was read of an attached store that store, and what that names as sources of a statement."""
        if home.mime != STORE:
            return {}
        is_whole = subgraph == home.iri
        found = () if is_whole else self._lookups.match(*_origins_of(subgraph))
        origins = tuple(sorted(quad.object.value for quad in found if isinstance(quad.object, NamedNode)))
        nodes = (self._subgraphs_in(subgraph) or ()) if is_whole else (subgraph,)
        facts = (quad.object for node in nodes for quad in self._lookups.match(*_held_by(node)))
        about = Counter(
            fact.subject.value for fact in facts if isinstance(fact, Triple) and isinstance(fact.subject, NamedNode)
        )
        resources = dict.fromkeys(self._resource(iri) for iri, _ in about.most_common())  # a passage cuts into others
        return {"store": home.source or "", "origins": origins, "resources": tuple(resources)}

    def _read_resource(self, iri: str) -> Resource:
        """Return what has an address: a node itself, or of a blank one the nearest that has it."""
        if not is_blank(iri):
            return Resource(self.called(iri), iri)
        seen, some = {iri}, [iri]
        for _ in range(_FURTHEST):
            held = self.graph.matches([(None, None, NamedNode(one), FACTS) for one in some])
            above = {
                quad.subject.value for quads in held for quad in quads if isinstance(quad.subject, NamedNode)
            } - seen
            if named := sorted(one for one in above if not is_blank(one)):
                return Resource(self.called(named[0]), named[0], is_holder=True)
            seen |= above
            some = sorted(above)
        return Resource("", "", is_holder=True)

    def _is_changed(self, node: str, text: str) -> bool:
        told = [quad for pattern in _hashes_of(node) for quad in self._lookups.match(*pattern)]
        hashes = {quad.object.value for quad in told if isinstance(quad.object, Literal)}
        return bool(hashes and text) and hashlib.sha256(text.encode(errors="replace")).hexdigest() not in hashes

    def _above(self, chunk: str) -> PlacedChunk:
        """Add up the offsets from a chunk through its page or section to the document."""
        cut = self._entity(chunk)
        above, parents = list[Entity](), cut.derived_from
        while parents and len(above) < 6:  # bad data can't loop
            above.append(self._entity(parents[0]))
            parents = above[-1].derived_from
        part = next((entity for entity in above if isinstance(entity, Page | Section)), None)
        document = above[-1] if above else cut
        part_start = (part.char_offset or 0) if part is not None else 0
        title = document.title if isinstance(document, Document) else None
        made_by = cut.generated_by if isinstance(cut, Chunk) else None
        place = Place(
            number=cut.index if isinstance(cut, Chunk) else None,
            start=part_start + ((cut.char_offset or 0) if isinstance(cut, Chunk) else 0),
            part=part.iri if part is not None else None,
            page=part.number if isinstance(part, Page) else None,
            section=part.label if isinstance(part, Section) else None,
            part_start=part_start,
            agent=self._agent(made_by) if made_by else _UNKNOWN,
        )
        source = self._source(document.iri) or (document.source if isinstance(document, Document) else None)
        mime = document.mime_type if isinstance(document, Document) else None
        title = title or document.label or document.iri
        newer, until = self.library.newer(document.iri) or (None, None)
        until = until or (document.invalidated_at if isinstance(document, Document) else None)
        return PlacedChunk(chunk, document.iri, title, source, mime, self.chunk_text(chunk), place, until, newer)

    def _chunk_text(self, chunk: str) -> str:
        try:
            return self.library.text(chunk)
        except RecordError:
            return ""

    def _read_agent(self, activity: str) -> str:
        agent = self._value(activity, PROV.wasAssociatedWith)
        if agent is None:
            return _UNKNOWN
        known = recognise(agent)
        return known.key if known else agent

    def _read(self, iri: str) -> Entity:
        quads = list(self.graph.match(NamedNode(iri)))  # one look-up is quicker than one for each graph
        described = rdf.entities(quad for graph in (SOURCE, FACTS) for quad in quads if quad.graph_name == graph)
        return described[0] if described else Entity(iri=iri)


def _labels_of(node: str) -> Pattern:
    return NamedNode(node), RDFS.label, None, FACTS


def _held_by(subgraph: str) -> Pattern:
    return NamedNode(subgraph), TG.contains, None, SOURCE


def _origins_of(subgraph: str) -> Pattern:
    return NamedNode(subgraph), DC.source, None, SOURCE


def _date_of(document: str) -> Pattern:
    return NamedNode(document), DC.date, None, None


def _hashes_of(node: str) -> tuple[Pattern, Pattern]:
    return (NamedNode(node), X.sha256, None, SOURCE), (NamedNode(node), X.textSha256, None, FACTS)


def _around(text: str, start: int, whole: str) -> tuple[str, str]:
    """Return the text before and after a span in its chunk; nothing where the chunk holds other words there."""
    end = start + len(text)
    if whole[start:end] != text:
        return "", ""
    before, after = whole[max(0, start - _AROUND) : start], whole[end : end + _AROUND]
    before = before.partition(" ")[2] or before if start > _AROUND else before  # no half words
    return before, after.rpartition(" ")[0] or after if len(whole) > end + _AROUND else after
