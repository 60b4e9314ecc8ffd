"""Who asks, corrects or reviews: by the name they give, never by the name they are logged in with."""

from __future__ import annotations

import os

from pyoxigraph import NamedNode

from explorer import entities as e
from explorer.record.listing import QUESTIONS
from explorer.record.node_lookup import iris, named, read
from explorer.stores.graph import Pattern
from explorer.stores.stored_corrections import Matched
from explorer.text import one_line
from explorer.vocab import PROV, RDF, RETRIEVAL, iri, recognise, session_of

_LONGEST = 200  # characters
_NAMED = "person:"  # what the name of an agent begins with who is a person


def person(by: str | None) -> str | None:
    """Return a name on one line: as given, or else by EXPLORER_USER; None where neither names anybody."""
    return one_line(os.environ.get("EXPLORER_USER", "") if by is None else by)[:_LONGEST].strip() or None


def activity(run: str) -> NamedNode:
    """Return the node of the activity that a run was."""
    return NamedNode(iri("run", session_of(run)))


def askers(graph: Matched, run: str) -> list[str]:
    """Return who asked a run, as far as that is on record."""
    acting = graph.match(activity(run), None, None, RETRIEVAL)
    agents = named(quad.object for quad in acting if quad.predicate == PROV.wasAssociatedWith)
    return [name for one in agents if (name := _name(graph, one))]


def role_of(graph: Matched, run: str) -> str | None:
    """Return the role of the database that wrote a run; None where it was written to a folder."""
    found = read(graph, activity(run).value, e.RunActivity)
    return found.database_role if found else None


def people(graph: Matched) -> dict[str, list[NamedNode]]:
    """Return the names of all who asked a run here, in the order of the alphabet, with the nodes that have them."""
    found: dict[str, list[NamedNode]] = {}
    for node in named(quad.subject for quad in graph.match(None, RDF.type, PROV.Person, RETRIEVAL)):
        if name := _name(graph, node):
            found.setdefault(name, []).append(node)
    return {name: found[name] for name in sorted(found, key=lambda name: (name.casefold(), name))}


def asked_by(graph: Matched, name: str) -> set[str]:
    """Return what the Questions of the runs may be that a person asked, in whichever case the name is given."""
    nodes = [node for one, nodes in people(graph).items() if one.casefold() == name.casefold() for node in nodes]
    acted: list[Pattern] = [(None, PROV.wasAssociatedWith, node, RETRIEVAL) for node in nodes]
    sessions = {*map(session_of, iris(quad.subject for quads in graph.matches(acted) for quad in quads))}
    return {iri(kind, session) for session in sessions for kind in QUESTIONS}


def _name(graph: Matched, agent: NamedNode) -> str | None:
    """Return the name of an agent that is a person; None for another one."""
    known = recognise(agent.value)
    if known is not None and known.kind == "agent":
        return known.key.removeprefix(_NAMED) if known.key.startswith(_NAMED) else None
    described = read(graph, agent.value, e.Person)  # of another's record
    return described.label if described else None
