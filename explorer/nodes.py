"""What a derivation graph is made of, and what one event changes in it; plain values."""

from __future__ import annotations

from dataclasses import dataclass

from explorer import entities as e
from explorer.events import Done, Passage, Text


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


def kind_of(entity: e.Entity) -> str:
    """Give the kind of a record node: the name of its class; "Unknown" for a class that is not known."""
    if isinstance(entity, e.Question):
        return "Question"
    return "Unknown" if type(entity) is e.Entity else type(entity).__name__
