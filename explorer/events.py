"""What a run yields while it goes on: provenance steps, pieces of text, progress, and one end.

Plain values, no I/O. A stored trace replays to the same Explain events (see `traces`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from pyoxigraph import Quad

from explorer import display
from explorer.text import one_line


@dataclass(frozen=True, slots=True)
class Content:
    """A text or file for the library, stored before the triples that refer to it."""

    iri: str
    title: str
    mime: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Passage:
    """Where an edge comes from: a span of a document, in code points, with its text.

    `start` and `end` count from the start of the document's text, `page_start` from its page or section.
    `page` is 1-based and None where the document has none. `extracted_by` names the agent: rules, curator, import.
    `before` and `after` are what stands around it in its chunk, some hundred code points of it; empty where unknown.
    """

    document: str
    title: str
    source: str | None
    page: int | None
    section: str | None
    part: str | None
    chunk: str
    chunk_index: int | None
    start: int
    end: int
    page_start: int | None
    text: str
    subgraph: str
    extracted_by: str
    before: str = field(default="", compare=False)
    after: str = field(default="", compare=False)

    def __repr__(self) -> str:
        """Say the words and where they stand."""
        return f"<Passage “{one_line(self.text)}” {one_line(self.place)}>"

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """Show the words marked in what stands around them, below their way to the document."""
        return display.excerpt(self.place, self.before, self.text, self.after)

    @property
    def place(self) -> str:
        """Give the way from chunk to document in words: "Chunk 2 → Page 3 → Title"."""
        chunk = "Chunk" if self.chunk_index is None else f"Chunk {self.chunk_index}"
        chunk = chunk if self.chunk else ""
        part = f"Page {self.page}" if self.page is not None else self.section
        return " → ".join(word for word in (chunk, part, self.title) if word)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and model of one or more calls, as reported; None where nobody reported any.

    `calls` says how many calls to a model there were; None where no model was called, or where nobody counted.
    """

    in_token: int | None = None
    out_token: int | None = None
    model: str | None = None
    calls: int | None = None


@dataclass(frozen=True, slots=True)
class Explain:
    """One provenance step: its triples in order, and what readers would have to look up again.

    `passages` maps a selection's IRI to where its edge comes from; `labels` maps entity IRIs to their names.
    """

    iri: str
    triples: tuple[Quad, ...]
    contents: tuple[Content, ...] = ()
    passages: Mapping[str, tuple[Passage, ...]] = field(default_factory=lambda: MappingProxyType({}))
    labels: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of the answer (or thought, observation) that will be the record node `node`."""

    node: str
    kind: str
    delta: str


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a stage has come; `total` is 0 while unknown."""

    stage: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Done:
    """The one end of a run: done, declined or error; with the passages in order of how much they carried the answer.

    `duration_ms` is the time from Question to End as the record tells it; None where it tells no such times. `missing`:
    words of the question that its evidence does not cover, as a live run knows them; the record holds the answer.
    """

    reason: str
    usage: Usage = Usage()
    sources: tuple[Passage, ...] = ()
    error: str | None = None
    duration_ms: int | None = None
    missing: tuple[str, ...] = field(default=(), compare=False)


Event = Explain | Text | Progress | Done
