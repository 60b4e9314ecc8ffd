"""The facts that were taken from a page, a section or a text, in the order and with the positions of their words."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pyoxigraph import NamedNode, Triple

from explorer import rdf
from explorer.entities import RETRACTED, Chunk, EdgeSelection, Entity, Subgraph, as_shown
from explorer.rdf.labels import edge_labels
from explorer.vocab import PROV, SOURCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from explorer.stores.collection import Collection
    from explorer.view.messages.source import PageEntity, PageFact, PageFacts
    from explorer.wording.names import Names

Span = tuple[int, int]
Kept = dict[Triple, tuple[int, str]]
MOST = 200  # facts listed of one page


@dataclass(slots=True)
class Told:
    """A fact and where its words stand on the page, in code points from its start; nowhere if that is not recorded."""

    edge: Triple
    spans: list[Span] = field(default_factory=list)

    @property
    def place(self) -> float:
        """Where its first words stand; after all others when that is not known."""
        return min((start for start, _ in self.spans), default=float("inf"))


def kept(names: Names) -> Kept:
    """Return number and node of each fact that the run on show kept; of one that was kept twice, the first."""
    found: Kept = {}
    for node in names.dag.nodes("EdgeSelection"):
        if isinstance(node.entity, EdgeSelection) and node.entity.edge is not None:
            found.setdefault(node.entity.edge, (names.number(node), node.iri))
    return found


def told(stores: Collection, iri: str, window: Span) -> list[Told]:
    """Return the facts taken from a page, section or document, as far as their words lie in this span of its text."""
    found: dict[Triple, Told] = {}
    for group, words in _groups(stores, iri, window):
        for edge in group.contains:
            one = found.setdefault(edge, Told(edge))
            if words is not None and words not in one.spans:
                one.spans.append(words)
    return sorted(found.values(), key=lambda one: (one.place, str(one.edge)))


def listed(
    stores: Collection, facts: Sequence[Told], known: Mapping[Triple, tuple[int, str]], text: str, noun: str
) -> PageFacts:
    """Return the first of these facts as the page lists them: their words, places in its text, and which were kept.

    `at` are the numbers of `spans`, which count as a browser does, in UTF-16. `noun` says what they were taken from.
    """
    shown = facts[:MOST]
    labels = stores.sources.labels(one.edge for one in shown)
    numbers = {span: number for number, span in enumerate(spans(facts))}
    wide = [at for at, letter in enumerate(text) if ord(letter) > 0xFFFF]  # which count two in a browser
    items: list[PageFact] = []
    for one in shown:
        at = [numbers[span] for span in one.spans]
        items.append({"key": str(one.edge), "words": edge_labels(one.edge, labels), "at": at})
        if by := stores.sources.curated(one.edge):
            items[-1]["by"], items[-1]["gone"] = as_shown(by), by.startswith(RETRACTED)
        if one.edge in known:
            items[-1]["n"], items[-1]["node"] = known[one.edge]
    return {
        "from": noun,
        "items": items,
        "total": len(facts),
        "spans": [(start + bisect_left(wide, start), end + bisect_left(wide, end)) for start, end in numbers],
    }


def entities(stores: Collection, facts: Sequence[Told]) -> list[PageEntity]:
    """Return the entities that facts are about, each as it is called, those in most of them first."""
    often = Counter(
        stores.sources.merged.one(end.value)
        for one in facts[:MOST]
        for end in (one.edge.subject, one.edge.object)
        if isinstance(end, NamedNode)
    )
    found = [iri for iri, _ in often.most_common(MOST)]
    return [{"iri": iri, "name": stores.sources.label(iri) or stores.sources.called(iri)} for iri in found]


def spans(facts: Sequence[Told]) -> list[Span]:
    """Return all places of the facts that are listed, each once."""
    return list(dict.fromkeys(span for one in facts[:MOST] for span in one.spans))


def derived(stores: Collection, iri: str) -> Iterator[Entity]:
    """Return what was made of a document, page, section or chunk."""
    for quad in stores.graph.match(None, PROV.wasDerivedFrom, NamedNode(iri), SOURCE):
        if isinstance(quad.subject, NamedNode):
            yield from rdf.entities(stores.graph.match(quad.subject, None, None, SOURCE))


def _groups(stores: Collection, iri: str, window: Span) -> Iterator[tuple[Subgraph, Span | None]]:
    """Return the groups of facts whose words are in sight, with where those stand in it; groups without a place too."""
    for chunk in derived(stores, iri):
        if not isinstance(chunk, Chunk) or not _in_sight(_place(chunk), window):
            continue
        for group in derived(stores, chunk.iri):
            if isinstance(group, Subgraph) and _in_sight(place := _place(chunk, group), window):
                start, end = window
                yield group, place and (max(place[0], start) - start, min(place[1], end) - start)


def _place(chunk: Chunk, group: Subgraph | None = None) -> Span | None:
    """Return where a chunk, or the words of a group in it, stand in the page, section or document above it."""
    if chunk.char_offset is None:
        return None
    inner = (group.source_offset, group.source_length) if group else (None, None)
    start = chunk.char_offset + (inner[0] or 0)
    length = chunk.char_length if inner[1] is None else inner[1]
    return None if length is None else (start, start + length)


def _in_sight(place: Span | None, window: Span) -> bool:
    return place is None or (place[0] < window[1] and window[0] < place[1])
