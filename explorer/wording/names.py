"""Nodes of one graph in a few words: short names, numbers, links to them, and who stands around them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable
from math import isnan
from typing import TYPE_CHECKING, NamedTuple

from pyoxigraph import Triple

from explorer.dag import ProvenanceDag
from explorer.dag.nodes import Node
from explorer.dag.passage_names import passage_name
from explorer.entities import (
    AgentQuestion,
    Answer,
    Candidate,
    ChunkSelection,
    DocRagQuestion,
    EdgeSelection,
    Exploration,
    Focus,
    PatternDecision,
    Question,
)
from explorer.events import Passage
from explorer.rdf.labels import edge_labels
from explorer.text import count, truncate
from explorer.vocab import recognise, session_of
from explorer.wording.phrases import ordinal
from explorer.wording.tally import standing

if TYPE_CHECKING:
    from explorer.wording.panel_rows import Item


class Names(ABC):
    """Names the nodes of one graph as it stands; it may grow between calls."""

    def __init__(self, dag: ProvenanceDag, drawn: Callable[[str], bool] = lambda _: True) -> None:
        """Read this graph; `drawn` says whether a node has a place in a drawing, where a link may lead."""
        self.dag = dag
        self.drawn = drawn
        self._ideas: dict[str, tuple[int, dict[str, list[str]]]] = {}  # of a session: how many, and their nodes by text
        self._scores: dict[tuple[str, ...], list[float]] = {}  # of some nodes, the lowest first
        self._scored_at = 0  # how many events had come by then

    @abstractmethod
    def name(self, node: Node) -> str:
        """Return the short name of a node."""

    @abstractmethod
    def lines(self, node: Node) -> tuple[str, ...]:
        """Return the lines that a node says."""

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
                return f"{best} of {count(len(focus.selected_chunks), 'passage')}"
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
        words = self.lines(fact)
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


def is_of_passages(dag: ProvenanceDag, key: str | None = None) -> bool:
    """Return whether a run, or the session in it, searches passages; a search for facts reads them as sources only."""
    asked = dag.nodes("Question") if key is None else dag.within(key, "Question")
    return any(isinstance(node.entity, DocRagQuestion) for node in asked)


def noun_of(dag: ProvenanceDag, node: Node) -> str:
    """Return what the search that a node belongs to looks for: "passage" or "fact"."""
    return "passage" if is_of_passages(dag, session_of(node.iri)) else "fact"


def question_of(dag: ProvenanceDag, node: Node) -> Question | None:
    """Return the question of the search that a node belongs to."""
    key = session_of(node.iri)
    questions = (one for one in dag.entities.values() if isinstance(one, Question))
    return next((one for one in questions if session_of(one.iri) == key), None)


def asked_by(dag: ProvenanceDag, node: Node) -> str:
    """Return the question that an answer is to, or that something was kept for."""
    told = (one.entity for one in (*dag.within(session_of(node.iri), "Question"), *dag.roots))
    return next((one.query or "" for one in told if isinstance(one, Question)), "")


def best_first(node: Node) -> float:
    """Return what orders facts and passages that were kept, the best first."""
    score = node.entity.score if isinstance(node.entity, EdgeSelection | ChunkSelection) else None
    return -(score or 0.0)


def is_agent(dag: ProvenanceDag) -> bool:
    """Return whether an agent was asked, and no search by itself."""
    return any(isinstance(root.entity, AgentQuestion | PatternDecision) for root in dag.roots)


class Counts(NamedTuple):
    """How many facts or passages a search selected, and of how many; None where that is not on record."""

    selected: int
    explored: int | None
    noun: str


def counts(dag: ProvenanceDag, focus: Focus | None = None) -> Counts:
    """Return the counts of one search, or of the newest in the graph."""
    newest = next((node.entity for node in dag.nodes("Exploration")[-1:] if isinstance(node.entity, Exploration)), None)
    noun = "passage" if newest is not None and newest.of_chunks else "fact"
    if focus is None:
        last = _newest_focus(dag)
        return Counts(len(last.selected) if last else 0, newest.count if newest else None, noun)
    stage = dag.exploration(focus)
    if stage is not None and not stage.of_chunks and focus.selected_chunks and not focus.selected_edges:
        return Counts(len(focus.selected), None, "passage")  # of the facts that were looked at none was kept
    if stage is None:
        is_of_chunks = focus.selected_chunks and not focus.selected_edges
        return Counts(len(focus.selected), None, "passage" if is_of_chunks else noun)
    return Counts(len(focus.selected), stage.count, "passage" if stage.of_chunks else "fact")


def _newest_focus(dag: ProvenanceDag) -> Focus | None:
    return next((node.entity for node in dag.nodes("Focus")[-1:] if isinstance(node.entity, Focus)), None)


def was_not_enough(dag: ProvenanceDag, focus: Focus) -> bool:
    """Return whether what a search kept came nearest and was not enough: its answer is that there is none."""
    of_search = (node.entity for node in dag.within(session_of(focus.iri), "Synthesis"))
    return any(isinstance(one, Answer) and one.termination_reason == "declined" for one in of_search)


def number(dag: ProvenanceDag, chosen: Node) -> int | None:
    """Return the number of a fact among the facts kept with it, or of a passage among the passages, from 1.

    Where the step that kept it is not known the one in its IRI; None where that has none either.
    """
    above = (dag.entities.get(one) for one in dag.graph.predecessors(chosen.iri)) if chosen.iri in dag.graph else ()
    for focus in above:
        if isinstance(focus, Focus):
            own = focus.selected_edges if isinstance(chosen.entity, EdgeSelection) else focus.selected_chunks
            if (found := dag.numbers(own).get(chosen.iri)) is not None:
                return found
    named = recognise(chosen.iri)
    return None if named is None or named.index is None else named.index + 1


IN_WIDE = 160  # letters beside the answer, where a passage may have the width of facts too


def where(passage: Passage, most: int = 26) -> str:
    """Return page and document of a passage, the page first: what is cut is the title."""
    page = f"p. {passage.page} · " if passage.page is not None else ""
    return f"{page}{truncate(passage.title, most)}"
