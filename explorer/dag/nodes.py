"""Nodes and arcs of a derivation graph, and the change that one event makes to it; plain values."""

from __future__ import annotations

import math
from dataclasses import dataclass

from explorer import entities as e
from explorer.events import Done, Passage, Text


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the graph; `entity` is None where the record has no node of its own for it.

    That is so of a passage, a page and a document, described by their `passages`; of a key idea, whose words are
    `text`; and of what was looked at and not selected: `count` is their number, `members` holds those on record.
    """

    iri: str
    kind: str
    entity: e.Entity | None = None
    passages: tuple[Passage, ...] = ()
    members: tuple[e.Entity, ...] = ()
    text: str = ""
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Arc:
    """An arc parent → child; `score` (0 to 1) where the choice had one. Of kind "cycle": bad data, not in the graph.

    `is_aligned`: no run has said it; explorer found it by the words.
    """

    parent: str
    child: str
    kind: str
    score: float | None = None
    is_aligned: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """What one event added or updated; nodes are whole, to be put in place by their IRI."""

    nodes: tuple[Node, ...] = ()
    arcs: tuple[Arc, ...] = ()
    text: Text | None = None
    done: Done | None = None


def kind_of(entity: e.Entity) -> str:
    """Return the kind of a record node: the name of its class; "Unknown" for a class that is not known."""
    if isinstance(entity, e.Question):
        return "Question"
    return "Unknown" if type(entity) is e.Entity else type(entity).__name__


def place_in_run(entity: e.Entity | None) -> float:
    """Return the place of a step in its run, a sort key where RDF keeps no order; infinity where none is recorded."""
    return entity.sequence if isinstance(entity, e.Step) and entity.sequence is not None else math.inf
