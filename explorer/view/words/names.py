"""Nodes of one graph in a few words: short names, numbers, links to them, and who stands around them."""

from __future__ import annotations

from bisect import bisect_right
from math import isnan
from typing import TYPE_CHECKING

from pyoxigraph import NamedNode

from explorer.dag.passage_names import passage_name
from explorer.entities import (
    Candidate,
    Chunk,
    ChunkSelection,
    DocRagQuestion,
    Document,
    EdgeSelection,
    Focus,
    Image,
    Page,
    Section,
)
from explorer.rdf.labels import edge_labels
from explorer.text import count
from explorer.view.words.phrases import ordinal
from explorer.vocab import PROV, RDF, local_name, session_of
from explorer.wording.kinds import kind
from explorer.wording.lines import counts, lines, number, numbered
from explorer.wording.tally import standing

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyoxigraph import Triple

    from explorer.dag import ProvenanceDag
    from explorer.dag.nodes import Node
    from explorer.view.messages.detail import Item


class Names:
    """Names the nodes of one graph as it stands; it may grow between calls."""

    def __init__(self, dag: ProvenanceDag, drawn: Callable[[str], bool] = lambda _: True) -> None:
        """Read this graph; `drawn` says whether a node has a place in a drawing, where a link may lead."""
        self.dag = dag
        self.drawn = drawn
        self._ideas: dict[str, tuple[int, dict[str, list[str]]]] = {}  # of a session: how many, and their nodes by text
        self._scores: dict[tuple[str, ...], list[float]] = {}  # of some nodes, the lowest first
        self._scored_at = 0  # how many events had come by then

    def name(self, node: Node) -> str:
        """Return the short name of a node, for the breadcrumb."""
        if isinstance(node.entity, EdgeSelection):
            return f"Fact {self.number(node)}"
        if isinstance(node.entity, ChunkSelection):
            return f"Passage {self.number(node)}"
        if kind(node.kind).read:
            return source_name(node)
        if node.kind == "Failure":
            return lines(self.dag, node)[0]
        if node.kind == "PatternDecision":
            return lines(self.dag, node)[-1].capitalize()
        if node.kind == "Rest":
            return numbered(node)  # how much it is stands below, as a title
        if node.kind in ("Run", "Goal", "Folded"):
            return lines(self.dag, node)[1 if node.kind in ("Run", "Folded") else 0]
        if node.kind == "Sentence":
            return f"Sentence {node.iri.rpartition('-')[2]}"
        if node.kind == "Unknown":
            return type_name(node)
        if node.kind == "Concept":
            return f"“{lines(self.dag, node)[0]}”"
        return lines(self.dag, node)[0] if isinstance(node.entity, Focus) else numbered(node)

    def number(self, node: Node) -> int:
        """Return the number of a fact among the facts kept with it, or of a passage among the passages, from 1."""
        return number(self.dag, node) or 1

    def rank(self, fact: Node) -> str:
        """Return how well a fact fits among those it was compared with: "3rd best of 30 facts compared"; or "used".

        Where better ones were left out that is said, as it is not the place among those that were kept.
        """
        (kept, known, noun), focus = self.kept(fact), self.focus(fact)
        if focus is not None and isinstance(fact.entity, EdgeSelection | ChunkSelection) and fact.entity.score is None:
            return standing(self.dag, focus, fact.iri)
        left = len(focus.candidates) if focus else 0
        number = self._place(fact, focus)
        best = "best" if number == 1 else f"{ordinal(number)} best"
        if focus and focus.selected_edges and focus.selected_chunks:  # each is compared with its own kind
            if isinstance(fact.entity, ChunkSelection):
                return f"{best} of {count(len(focus.selected_chunks), 'passage')} kept whole"
            kept, noun = len(focus.selected_edges), "fact"
        if left and noun == "fact":  # of all that were looked at, only the nearest are compared
            better = self._better_left(fact, focus)
            above = f"; {better:,} better {'was' if better == 1 else 'were'} not kept" if better else ""
            return f"{best} of {count(kept + left, noun)} compared{above}"
        if noun == "passage" and known:
            return f"{best} of {count(known, noun)}"
        return f"{best} of {count(kept, noun)} kept" if kept else best

    def _better_left(self, fact: Node, focus: Focus | None) -> int:
        """Return how many facts that were not kept have a higher score."""
        own = fact.entity.score if isinstance(fact.entity, EdgeSelection) else None
        return 0 if own is None or focus is None else self._above(own, focus.candidates)

    def _place(self, chosen: Node, focus: Focus | None) -> int:
        """Return the place of a fact or passage by score among all of its kind that were scored; else its number."""
        own = chosen.entity
        if not isinstance(own, EdgeSelection | ChunkSelection) or own.score is None or focus is None:
            return self.number(chosen)
        facts = (focus.selected_edges, focus.candidates)
        beside = facts if isinstance(own, EdgeSelection) else (focus.selected_chunks,)
        return 1 + sum(self._above(own.score, keys) for keys in beside)

    def _above(self, score: float, keys: tuple[str, ...]) -> int:
        """Return how many of some facts or passages have a higher score; they are sorted once, until more comes."""
        if self._scored_at != self.dag.applied:
            self._scores.clear()
            self._scored_at = self.dag.applied
        if keys not in self._scores:
            known = (self.dag.entities.get(key) for key in keys)
            given = (one.score or 0.0 for one in known if isinstance(one, EdgeSelection | ChunkSelection | Candidate))
            self._scores[keys] = sorted(one for one in given if not isnan(one))
        scores = self._scores[keys]
        return len(scores) - bisect_right(scores, score)

    def kept(self, node: Node) -> tuple[int, int | None, str]:
        """Return how many the search of a fact or passage kept, of how many, and their noun."""
        return counts(self.dag, self.focus(node))

    def focus(self, selection: Node) -> Focus | None:
        """Return the step that a fact or passage was kept in."""
        return next((one.entity for one in self.parents(selection) if isinstance(one.entity, Focus)), None)

    def concepts(self, selection: EdgeSelection) -> list[str]:
        """Return the nodes of the key ideas that a fact was kept for, as far as drawn; those of its own search."""
        own = session_of(selection.iri)
        ideas = self.dag.within(own, "Concept")
        if self._ideas.get(own, (0,))[0] != len(ideas):
            known: dict[str, list[str]] = {}
            for node in ideas:
                known.setdefault(node.text, []).append(node.iri)
            self._ideas[own] = (len(ideas), known)
        return list(filter(self.drawn, self._ideas.get(own, (0, {}))[1].get(selection.concept or "", [])))

    def sentence(self, edge: Triple | None) -> str:
        """Return a fact as a person reads it."""
        if edge is None:
            return "no edge recorded"
        subject, predicate, obj = edge_labels(edge, self.dag.labels)
        return f"{subject} — {predicate} → {obj}"

    def fact_item(self, fact: Node, *, number: int | None = None, why: bool = False) -> Item:
        """Return a link to a fact, with its score and, on demand, the reason it was kept for.

        It begins with the number that it has in the answer, if any.
        """
        chosen, first = fact.entity, "" if number is None else f"[{number}] "
        words = lines(self.dag, fact)
        item: Item = {"text": f"{first}{' '.join(words)}", "node": fact.iri}
        if isinstance(chosen, EdgeSelection | ChunkSelection):
            item["more"] = f"score {chosen.score:.2f}" if chosen.score is not None else None
        if isinstance(chosen, EdgeSelection) and why:
            item["why"] = chosen.reasoning
        return item

    def facts(self, passage: Node) -> list[Node]:
        """Return the facts that a passage is the source of."""
        return [parent for parent in self.parents(passage) if isinstance(parent.entity, EdgeSelection)]

    def place_item(self, node: Node) -> Item:
        """Return a link to a passage by the place it stands."""
        return {"text": node.passages[0].reference, "node": node.iri}

    def item(self, node: Node) -> Item:
        """Return a link to a node by its name; to a passage by its words."""
        if node.kind != "Passage":
            return {"text": self.name(node), "node": node.iri}
        return {"text": passage_name(self.dag, node.passages[0], 90), "node": node.iri}

    def children(self, node: Node, kind: str) -> list[Node]:
        """Return what an arc of this kind leads to."""
        graph = self.dag.graph
        if node.iri not in graph:  # stands for a run or a page
            return []
        ends = graph.out_edges(node.iri, data="kind")
        return [self.dag.node(child) for _, child, arc in ends if arc == kind and "node" in graph.nodes[child]]

    def parents(self, node: Node) -> list[Node]:
        """Return what leads to a node; nothing to a fold, which stands for nodes and is none of the graph's own."""
        if node.iri not in self.dag.graph:
            return []
        known = self.dag.graph.nodes
        return [self.dag.node(iri) for iri in self.dag.graph.predecessors(node.iri) if "node" in known[iri]]


def source_name(node: Node) -> str:
    """Return the name of a document, or of a part of one, from its passages, else as it is described."""
    match node.entity:
        case Document() as document if not node.passages:
            return document.title or document.label or "Document"
        case Page() | Image() as part if not node.passages and part.number is not None:
            return f"{type(part).__name__} {part.number}"
        case Chunk() as chunk:
            return "Chunk" if chunk.index is None else f"Chunk {chunk.index}"
        case Section() as section if not node.passages and section.label:
            return f"Section “{section.label}”"
    if not node.passages:
        return node.kind
    words = node.passages[0].title if node.kind == "Document" else node.passages[0].locator or node.kind
    return words[0].upper() + words[1:] if node.kind != "Document" else words


def type_name(node: Node) -> str:
    """Return the name of a type that is not known here, as the record says it."""
    other = node.entity.other if node.entity else ()
    types = [triple.object for triple in other if triple.predicate == RDF.type]
    named = (local_name(term.value) for term in types if isinstance(term, NamedNode) and term not in PROV)
    return next(named, "Unknown")


def is_of_passages(dag: ProvenanceDag, key: str | None = None) -> bool:
    """Return whether a run, or the session in it, searches passages; a search for facts reads them as sources only."""
    asked = dag.nodes("Question") if key is None else dag.within(key, "Question")
    return any(isinstance(node.entity, DocRagQuestion) for node in asked)
