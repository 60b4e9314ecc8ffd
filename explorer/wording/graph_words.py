"""The kinds of nodes with what is said of each, and the words for the nodes of one graph."""

from __future__ import annotations

from collections.abc import Iterator

from pyoxigraph import NamedNode

from explorer.dag import ProvenanceDag
from explorer.dag.nodes import Node
from explorer.entities import Entity
from explorer.events import CHANGED, Explain
from explorer.vocab import PROV, RDF, local_name
from explorer.wording import agent, answer, failure, kept, key_ideas, looked_at, question, sources
from explorer.wording.kinds import kind
from explorer.wording.names import Names
from explorer.wording.node_words import Said, Styled
from explorer.wording.panel_rows import Row


class Unknown(Said):
    """A node of a type that is not known here."""

    def name(self, names: Names, node: Node) -> str:
        other = node.entity.other if node.entity else ()
        types = [triple.object for triple in other if triple.predicate == RDF.type]
        named = (local_name(term.value) for term in types if isinstance(term, NamedNode) and term not in PROV)
        return next(named, "Unknown")

    def heading(self, names: Names, node: Node) -> str:
        return f"{self.name(names, node)}: a kind not known here"

    def say(self, names: Names, node: Node) -> str:
        return self.name(names, node)


_SAID: dict[str, Said] = {  # a class of each of these modules for a kind of its name
    name: one() for module in (question, key_ideas, looked_at, kept, sources, agent, answer, failure)
    for name, one in vars(module).items()
    if isinstance(one, type) and issubclass(one, Said) and one.__module__ == module.__name__ and name[0] != "_"
} | {"Unknown": Unknown()}  # fmt: skip
_OTHER = Said()


def said_of(kind: str) -> Said:
    """Return what is said of a kind of node."""
    return _SAID.get(kind, _OTHER)


def lines(dag: ProvenanceDag, node: Node, *, ranked: bool = False) -> tuple[str, ...]:
    """Return the lines of a node: of a step its name, then what it holds; what was kept with its rank, if so asked."""
    return said_of(node.kind).lines(dag, node, ranked=ranked)


def label(dag: ProvenanceDag, node: Node) -> Styled:
    """Return the lines of the box of a node with their styles."""
    return said_of(node.kind).label(dag, node)


def beside(dag: ProvenanceDag, node: Node) -> Styled:
    """Return the lines of the box of a node beside an answer, with their styles."""
    return said_of(node.kind).beside(dag, node)


def progress(dag: ProvenanceDag, node: Node) -> str | None:
    """Return what the newest node of a folded run says of how far it is; None for one that says nothing of it."""
    return said_of(node.kind).progress(dag, node)


def printed(kind: str, entity: Entity, event: Explain) -> Iterator[str]:
    """Yield what a terminal prints of a step: what it holds."""
    return said_of(kind).printed(entity, event)


class NodeWords(Names):
    """What is said of the nodes of one graph as it stands; it may grow between calls."""

    def name(self, node: Node) -> str:
        return said_of(node.kind).name(self, node)

    def lines(self, node: Node) -> tuple[str, ...]:
        return lines(self.dag, node)

    def heading(self, node: Node) -> str:
        """Return the heading of the panel."""
        return said_of(node.kind).heading(self, node)

    def say(self, node: Node) -> str:
        """Return in one line how a node came about, for the line below the graph."""
        return said_of(node.kind).say(self, node)

    def rows(self, node: Node) -> list[Row]:
        """Return the rows of the panel: the record's term first; one of them names an author.

        The last one says that there is a record, which is looked up when it is shown.
        """
        said, term = said_of(node.kind), kind(node.kind).term
        rows: list[Row] = [row for row in said.rows(self, node) if row]
        if node.kind == "Folded":  # of the drawing alone
            return rows
        rows = rows or [{"k": "text", "label": "On record", "text": "only that it happened"}]
        if not any(row.get("author") for row in rows):
            rows[0]["author"] = said.author(self, node)
        is_changed = self.dag.is_changed(node.iri) or any(passage.is_changed for passage in node.passages)
        first: list[Row] = [{"k": "term", "text": term}] if term else []
        changed: list[Row] = [{"k": "trouble", "text": f"A text of it was {CHANGED}."}] if is_changed else []
        return [*first, *changed, *rows, {"k": "raw"}]
