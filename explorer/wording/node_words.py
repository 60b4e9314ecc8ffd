"""What is said of a node: its lines, its name, the rows of its panel, how it came, its lesson, and what a terminal
prints of it.

Each kind of node is a class with what it says otherwise than `Said`, which knows nothing of it; `graph_words` has them
all. A step is called by its plain word, with the record's term small beside it, so that people learn the terms as they
read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar, TypeVar

from pyoxigraph import Literal, NamedNode, Triple

from explorer import entities as e
from explorer.dag import ProvenanceDag
from explorer.dag.nodes import Node, kind_of
from explorer.entities import Column, Entity, columns
from explorer.events import Explain
from explorer.rdf.labels import term_label
from explorer.text import one_line, truncate
from explorer.vocab import RDF, local_name, recognise
from explorer.wording import panel_rows
from explorer.wording.authors import Author, by_model, by_rules, nobody
from explorer.wording.kinds import kind
from explorer.wording.names import Names
from explorer.wording.panel_rows import Item, Rows
from explorer.wording.phrases import listed

E = TypeVar("E", bound=Entity)
Styled = list[tuple[str, str]]  # lines with their styles: k kind, b bold, n normal, s small; each + is one more line
_FROM_ONE = ("analysis", "thought", "observation")  # whose IRIs count so
_LONGEST_WORDS = 600  # letters of what a step came to, which its tooltip has


class Said:
    """What is said of a node of which nothing more is known than what the record has: a kind says what it knows."""

    styles: tuple[str, ...] = ("k", "n+")  # of its lines
    coming: ClassVar[Mapping[str, str]] = {}  # in a search for "facts" or "passages", and in the run of an "agent"

    def before(self, way: str) -> str:
        """Return what happens in it while it is at work; in a search for passages as in one for facts, if no more is
        known.
        """
        return self.coming.get(way) or (self.coming.get("facts", "") if way == "passages" else "")

    def held(self, dag: ProvenanceDag, node: Node) -> str | None:
        """Return what a step holds or came to, in a few words."""
        return None

    def lines(self, dag: ProvenanceDag, node: Node, *, ranked: bool = False) -> tuple[str, ...]:
        """Return one to three short lines: of a step its name, then what it holds; of what was kept `ranked` too."""
        entity = node.entity
        return (numbered(node), self.held(dag, node) or ((entity and entity.label) or "").strip() or node.iri)

    def label(self, dag: ProvenanceDag, node: Node) -> Styled:
        """Return the lines of its box with their styles."""
        return [*zip(self.styles, self.lines(dag, node), strict=False)]

    def beside(self, dag: ProvenanceDag, node: Node) -> Styled:
        """Return the lines of its box beside an answer."""
        return self.label(dag, node)

    def name(self, names: Names, node: Node) -> str:
        """Return the short name of a node."""
        return numbered(node)

    def heading(self, names: Names, node: Node) -> str:
        """Return the heading of its panel."""
        return self.lines(names.dag, node)[0] if isinstance(node.entity, e.Step) else kind(node.kind).word

    def say(self, names: Names, node: Node) -> str:
        """Return in one line how a node came about."""
        return ": ".join(self.lines(names.dag, node))

    def rows(self, names: Names, node: Node) -> Rows:
        """Return the rows of its panel; here its own name, its type, and what it follows from."""
        entity = node.entity
        others = (triple.object for triple in (entity.other if entity else ()) if triple.predicate == RDF.type)
        types = [local_name(term.value) for term in others if isinstance(term, NamedNode)]
        return [
            panel_rows.title((entity.label if entity else None) or local_name(node.iri)),
            panel_rows.text("Its type", f"{listed(types) or 'not recorded'}: this version cannot say more about it"),
            panel_rows.listing("Follows from", parents(names, node)),
        ]

    def author(self, names: Names, node: Node) -> Author:
        """Return who stated what a node shows, as far as that is on record."""
        if isinstance(node.entity, e.Step):
            return of_step(node.entity)
        above = names.dag.entities.get(node.iri.partition("#")[0])
        return of_step(above) if isinstance(above, e.Step) and node.entity is None else nobody()

    def came(self, dag: ProvenanceDag, node: Node) -> str | None:
        """Return in a line that a step has come, for the log of a run; None where no line tells of it."""
        if not isinstance(node.entity, e.Step):
            return None
        return ": ".join(dict.fromkeys((numbered(node), self.lines(dag, node)[-1])))

    def progress(self, dag: ProvenanceDag, node: Node) -> str | None:
        """Return how far a run is whose newest node this is; None where that does not tell."""
        return None

    def lesson(self, dag: ProvenanceDag, node: Node) -> str | None:
        """Return a sentence on what a stage that has ended did; None for what ends no stage."""
        return None

    def why(self, dag: ProvenanceDag, node: Node) -> str:
        """Return why a stage came out so, in a sentence; empty where the record does not say."""
        return ""

    def figures(self, dag: ProvenanceDag, node: Node) -> str:
        """Return the figures by which a stage came out so; empty where there are none."""
        return ""

    def printed(self, entity: Entity, event: Explain) -> Iterator[str]:
        """Yield what a terminal prints of a step: what it holds."""
        if isinstance(entity, e.Step) and not isinstance(entity, e.Answer | e.Reflection | e.Failure):
            of_any = columns(e.Step)
            own = (column for column in columns(type(entity)) if column not in of_any)
            yield from values(entity, own, event.labels)


def numbered(node: Node) -> str:
    """Return the word for a node, of an agent's with its number, counted from 1: "Step 2", "Finding 1"."""
    named = recognise(node.iri)
    number = named.index if named else None
    word = kind(node.kind).word
    return word if number is None else f"{word} {number + (0 if named and named.kind in _FROM_ONE else 1)}"


def of_stage(word: str, held: str) -> Styled:
    """Return the lines of a stage: its word, and small how much it holds."""
    return [("b", word), ("s", held)] if held else [("b", word)]


def words(dag: ProvenanceDag, iri: str, most: int = _LONGEST_WORDS) -> str:
    """Return the beginning of a node's own text, on one line, with an ellipsis where it goes on."""
    return truncate(dag.text(iri)[: 4 * most], most)


def entity_of(node: Node, cls: type[E]) -> E:
    """Return the record node that a node of the graph carries; raises TypeError when it is of another class."""
    if not isinstance(node.entity, cls):
        raise TypeError(f"{node.iri} should carry a {cls.__name__}, not {type(node.entity).__name__}")
    return node.entity


def parents(names: Names, node: Node) -> list[Item]:
    """Return links to what leads to a node."""
    return [{"text": names.name(one), "node": one.iri} for one in names.parents(node)]


def of_step(step: e.Step) -> Author:
    """Return who did a step: its model, or a rule."""
    verb = kind(kind_of(step)).verb
    return by_model(verb, step.model) if step.model else by_rules(verb) if step.rule else nobody()


def values(entity: Entity, told: Iterable[Column], labels: Mapping[str, str]) -> Iterator[str]:
    """Yield what fields of a node hold, each value on a line."""
    for column in told:
        value, name = vars(entity)[column.name], column.name.replace("_", " ")
        for item in value if column.many else (value,):
            if item is not None:
                yield f"{name}: {shown(item, labels)}"
                yield from [f"  {one_line(str(item))}"] if isinstance(item, Triple) else []


def shown(value: object, labels: Mapping[str, str]) -> str:
    """Return a value on one line; an IRI without a label whole."""
    match value:
        case NamedNode():
            return one_line(labels.get(value.value) or value.value)
        case Triple():
            return one_line(f"({term_label(value, labels)})")
        case Literal():
            return one_line(value.value)
        case _:
            return one_line(str(value))


def known(head: str, text: str | None) -> Iterator[str]:
    """Yield a line for a text that is there."""
    if text:
        yield f"{head}: {one_line(text)}"


def counted(head: str, items: Iterable[str]) -> Iterator[str]:
    """Yield how many things there are, and each on a line."""
    told = list(items)
    yield f"{head}: {len(told)}"
    yield from (f"  - {one_line(item)}" for item in told)
