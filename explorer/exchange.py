"""Records from elsewhere: files of triples in any format, and recorded sessions of TrustGraph's services.

Triples are taken as they came; entities are only a reading of them. What can't be read is told, and the rest is kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pyoxigraph import NamedNode, Quad

from explorer import entities as e
from explorer import rdf
from explorer.dag import ProvenanceDag
from explorer.errors import RecordError
from explorer.events import Content, Event, Explain
from explorer.remote import trustgraph
from explorer.vocab import FACTS

_NO_GRAPHS = ("nt", "turtle", "rdfxml")


@dataclass(frozen=True, slots=True)
class Imported:
    """What was taken in: `given` statements or messages are `read` and `refused` ones; the Questions among them."""

    given: int
    read: int
    refused: tuple[str, ...]
    traces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """A record ready to be stored."""

    quads: tuple[Quad, ...]
    contents: tuple[Content, ...]
    given: int
    refused: tuple[str, ...]


def read(data: bytes, name: str, form: str | None = None) -> Record:
    """Read a file: `wire` (a session's messages, one JSON object a line) or a format of `rdf.load`, guessed by default.

    Raises RecordError, naming line and column, for a file that can't be read at all; nothing of it is stored then.
    """
    if form == "wire" or (form is None and name.endswith(".jsonl")):
        return _session(data)
    chosen = form or rdf.guess(name, data)
    loaded = rdf.load(data, chosen)
    quads = _placed(loaded.quads) if chosen in _NO_GRAPHS else loaded.quads
    refused = tuple(f"{_where(item.line, item.column)}{item.reason}" for item in loaded.refused)
    return Record(tuple(quads), (), loaded.given, refused)


def questions(quads: Iterable[Quad]) -> list[str]:
    """Give the IRIs of the top-level Questions that some quads describe."""
    described = rdf.entities(quads)
    return [node.iri for node in described if isinstance(node, e.Question) and not node.derived_from]


def _session(data: bytes) -> Record:
    lines = [(number, line) for number, line in enumerate(data.splitlines(), 1) if line.strip()]
    messages: list[Mapping[str, object]] = []
    refused: list[str] = []
    for number, line in lines:
        try:
            messages.append(_message(json.loads(line)))
        except ValueError as error:
            refused.append(f"Line {number}: no message ({error}).")
    faults: list[RecordError] = []
    events = list(trustgraph.events(messages, refused=faults))
    quads = [quad for event in events if isinstance(event, Explain) for quad in event.triples]
    return Record(tuple(quads), tuple(_contents(events)), len(lines), (*refused, *(str(fault) for fault in faults)))


def _message(value: Any) -> Mapping[str, object]:  # noqa: ANN401 - whatever JSON holds
    if not isinstance(value, dict):
        message = "a message is a JSON object"
        raise ValueError(message)  # noqa: TRY004 - told with the errors of the JSON reader
    return value


def _contents(events: Iterable[Event]) -> Iterator[Content]:
    """Give the texts that a session streamed, under the IRIs by which its nodes refer to them."""
    dag = ProvenanceDag().fold(events)
    for node in dag.nodes():
        entity = node.entity
        if isinstance(entity, e.Answer | e.Reflection) and entity.document:
            text = dag.text(entity.iri)
            if text:
                yield Content(entity.document, node.lines[0], "text/plain", text.encode())


def _placed(quads: Iterable[Quad]) -> Iterator[Quad]:
    """Put triples of a format without graphs where nodes of their class stand."""
    given = list(quads)
    graphs = {entity.iri: entity.graph for entity in rdf.entities(given) if type(entity) is not e.Entity}
    for quad in given:
        graph = graphs.get(quad.subject.value, FACTS) if isinstance(quad.subject, NamedNode) else FACTS
        yield Quad(quad.subject, quad.predicate, quad.object, graph)


def _where(line: int | None, column: int | None) -> str:
    if line is None:
        return ""
    return f"Line {line}: " if column is None else f"Line {line}, column {column}: "
