"""What a derivation graph is made of, and what one event changes in it; plain values."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass

from explorer import entities as e
from explorer.events import Done, Passage, Text
from explorer.vocab import session_of


@dataclass(frozen=True, slots=True)
class Node:
    """A node as it is drawn; `entity` is None for what stands for a passage, a page, a document or a fold."""

    iri: str
    kind: str
    lines: tuple[str, ...]
    x: float
    y: float
    entity: e.Entity | None = None
    passages: tuple[Passage, ...] = ()
    members: tuple[e.Entity, ...] = ()


@dataclass(frozen=True, slots=True)
class Arc:
    """An arc parent → child; `score` (0 to 1) where the choice had one. Of kind "cycle": bad data, not in the graph."""

    parent: str
    child: str
    kind: str
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """What one event added or updated; nodes are whole, to be put in place by their IRI."""

    nodes: tuple[Node, ...] = ()
    arcs: tuple[Arc, ...] = ()
    text: Text | None = None
    done: Done | None = None


class Register:
    """Nodes by IRI, in the order they came; also by kind, and by the session that their IRIs tell."""

    def __init__(self) -> None:
        """Start with none."""
        self.by_iri: dict[str, Node] = {}
        self._kinds: dict[str, dict[str, None]] = defaultdict(dict)
        self._sessions: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)

    def put(self, node: Node) -> None:
        """Take in a node, or what has become of one."""
        key, old = session_of(node.iri), self.by_iri.get(node.iri)
        if old is not None and old.kind != node.kind:
            del self._kinds[old.kind][node.iri], self._sessions[key, old.kind][node.iri]
        self.by_iri[node.iri] = node
        self._kinds[node.kind][node.iri] = self._sessions[key, node.kind][node.iri] = None

    def nodes(self, kind: str | None) -> list[Node]:
        """Give all nodes, or those of one kind."""
        return list(self.by_iri.values()) if kind is None else [self.by_iri[iri] for iri in self._kinds.get(kind, ())]

    def within(self, session: str, kind: str) -> list[Node]:
        """Give the nodes of one kind and session; those that tell none, when it is empty."""
        return [self.by_iri[iri] for iri in self._sessions.get((session, kind), ())]


def kind_of(entity: e.Entity) -> str:
    """Give the kind of a record node: the name of its class; "Unknown" for a class that is not known."""
    if isinstance(entity, e.Question):
        return "Question"
    return "Unknown" if type(entity) is e.Entity else type(entity).__name__


def in_order(root: str, described: list[e.Entity]) -> list[e.Entity]:
    """Put the step an event is about first, its parts in the order they came."""
    return sorted(described, key=lambda entity: entity.iri != root)


def place_in_run(entity: e.Entity | None) -> float:
    """Give the place of a step in its run, to put those in an order that RDF keeps in none; others come last."""
    return entity.sequence if isinstance(entity, e.Step) and entity.sequence is not None else math.inf
