"""A document as a tree: its pages or sections, their chunks, and the facts taken from each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from explorer import display
from explorer.dag.passage_names import named_from
from explorer.documents.found_facts import Fact, facts_of_chunks
from explorer.events import Passage
from explorer.stores.collection import Collection
from explorer.text import count, escape, one_line, opening

_WORDS = 80  # letters of a chunk


@dataclass(frozen=True, slots=True)
class Branch:
    """A node of the tree: its kind ("document", "page", "section", "chunk" or "fact"), words, IRI, and what it has."""

    kind: str
    label: str
    iri: str | None
    children: tuple[Branch, ...] = ()

    def lines(self, depth: int = 0) -> Iterator[str]:
        """Yield the tree as lines of text, two blanks for each level."""
        yield f"{'  ' * depth}{one_line(self.label)}"
        for child in self.children:
            yield from child.lines(depth + 1)

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return display.bundle(self.lines(), [f"<ul>{self.html()}</ul>"])

    def html(self) -> str:
        """Return the tree as an item of an HTML list."""
        inner = "".join(child.html() for child in self.children)
        return f"<li>{escape(self.label)}{f'<ul>{inner}</ul>' if inner else ''}</li>"


def chunk_branch(stores: Collection, chunk: Passage) -> Branch:
    """Return a whole chunk with the facts that were taken from it."""
    facts = [Fact(triple, stores) for triple in facts_of_chunks(stores, [chunk.chunk])]
    leaves = tuple(Branch("fact", "{} — {} → {}".format(*fact.words), fact.iri) for fact in facts)
    name = "Passage" if chunk.chunk_index is None else f"Passage {chunk.chunk_index}"
    label = f"{name}, {count(len(facts), 'fact')}: {opening(named_from(chunk), _WORDS)}"
    return Branch("chunk", label, chunk.chunk, leaves)
