"""Importing: files of triples in any format, and recorded sessions of TrustGraph's services.

Triples are stored as they came; entities are only a reading of them. What can't be read is refused, the rest is read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from pyoxigraph import NamedNode, Quad

from explorer import entities as e
from explorer import rdf
from explorer.dag import ProvenanceDag
from explorer.errors import RecordError
from explorer.events import Content, Done, Explain
from explorer.ingest.progress import Progress, Tell, shown
from explorer.record import storing, verdicts
from explorer.record.bundles.opening import OpenedBundle, SealedBy, is_bundle
from explorer.record.bundles.opening import checked as checked_bundle
from explorer.record.bundles.verify import RECORD
from explorer.record.enclosing import Enclosure, checked, opened, unknown
from explorer.record.streamed import streamed
from explorer.stores.collection import Collection
from explorer.stores.ledger import entries, keep_sender_seal
from explorer.text import count
from explorer.trustgraph import messages as trustgraph
from explorer.trustgraph.messages import RefusedPart
from explorer.vocab import FACTS

BUNDLE = "bundle"
"""The format of an archive of runs."""


@dataclass(frozen=True, slots=True)
class Imported:
    """How many of the `given` statements or messages were read; `refused` holds why the others were not.

    `traces` are the IRIs of the top-level Questions among them. `unindexed` counts the facts among them that questions
    do not find before ws.reindex(). `notes` say who signed a bundle, and what of it is sealed.
    """

    given: int
    read: int
    refused: tuple[str, ...]
    traces: tuple[str, ...]
    unindexed: int = 0
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return the counts in a line, and what to do next if there is something."""
        counts = f"{self.read:,} of {self.given:,} read, {count(len(self.traces), 'run')}, {len(self.refused)} refused"
        then = f"; {count(self.unindexed, 'fact')} that questions find after ws.reindex()" if self.unindexed else ""
        return f"<Imported {counts}{then}>"


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """What a file holds, ready to be stored; `faulty` counts the statements or messages that were not read whole.

    `sealed` is how the sender of a bundle sealed its runs, `verdicts` what people there found about them.
    """

    quads: tuple[Quad, ...]
    contents: tuple[Content, ...]
    given: int
    faulty: int
    refused: tuple[str, ...]
    enclosed: Enclosure = field(default_factory=Enclosure)
    sealed: SealedBy | None = None
    verdicts: tuple[Quad, ...] = ()


def take(path: Path, form: str | None, stores: Collection, tell: Tell, signed_by: str | None = None) -> Imported:
    """Store a file, of which a large one is not held, unless it is JSON-LD; `tell` is told how far it has come.

    A bundle is stored only where all in it holds, and it is signed by the public key `signed_by`, if one is given.
    Raises RecordError, and OSError.
    """
    if form in (None, BUNDLE) and is_bundle(path):
        tell(Progress(path.name, "reading"))
        given = checked_bundle(path, signed_by)
        parsed = of_bundle(given)
        tell(Progress(path.name, "storing", 0, parsed.given))
        return replace(store(parsed, stores), notes=given.said)
    if signed_by is not None or form == BUNDLE:
        raise RecordError(f"{path.name} is no bundle, and only a bundle is signed; `explorer bundle` makes one.")
    if (large := storing.form_of(path, form)) is None:
        tell(Progress(path.name, "reading"))
        parsed = read(path.read_bytes(), path.name, form)
        tell(Progress(path.name, "storing", 0, parsed.given))
        return store(parsed, stores)
    told = storing.store(storing.of_file(path, large, tell), stores)
    return Imported(told.given, told.given - told.faulty, told.refused, told.traces, told.unindexed)


@contextmanager
def counted(path: Path, progress: bool | Tell) -> Iterator[Tell]:  # noqa: FBT001 - as the caller has it
    """Show a bar, in percent, of a large file where `progress` is True; yields what is to be told of each step."""
    with shown("Importing", 100, progress=progress is True and path.stat().st_size >= storing.LARGE) as bar:

        def tell(step: Progress) -> None:
            half = 50 * step.done / step.total if step.total else 0
            what = "read" if step.stage == "reading" else "stored"
            bar(round(half + (0 if step.stage == "reading" else 50)), f"{path.name}: {step.done:,} statements {what}")

        yield progress if callable(progress) else tell


def read(data: bytes, name: str, form: str | None = None) -> ParsedFile:
    """Read a file: `wire` (a session's messages, one JSON object a line) or a format of `rdf.load`, guessed by default.

    Raises RecordError, naming line and column, for a file that can't be read at all; nothing of it is stored then.
    """
    if form == "wire" or (form is None and name.endswith(".jsonl")):
        return _session(data)
    loaded = rdf.load(data, form or rdf.guess(name, data))
    refused = [*map(storing.told, loaded.refused)]
    quads, found, unread = opened(loaded.quads)
    refused += unread
    graphs = {entity.iri: entity.graph for entity in rdf.entities(quads) if type(entity) is not e.Entity}
    for i, quad in enumerate(quads):  # triples that name no graph are put where nodes of their class stand
        if quad.graph_name == FACTS and isinstance(quad.subject, NamedNode):
            quads[i] = Quad(quad.subject, quad.predicate, quad.object, graphs.get(quad.subject.value, FACTS))
    return ParsedFile(tuple(quads), (), loaded.given, len(refused), tuple(refused), found)


def of_bundle(given: OpenedBundle) -> ParsedFile:
    """Return what a bundle holds, ready to be stored."""
    parsed = read(given.record, RECORD)
    return replace(parsed, enclosed=given.enclosed, sealed=given.sealed, verdicts=given.verdicts)


def store(parsed: ParsedFile, stores: Collection) -> Imported:
    """Store what a file holds; a text that differs from the one stored under its IRI is refused."""
    found, changed = checked(parsed.enclosed, parsed.quads, stores)
    quads = parsed.quads if parsed.enclosed == Enclosure() else unknown(parsed.quads, stores)
    stores.library.enclose(found.texts)
    other = stores.library.add((*parsed.contents, *found.contents))
    refused = [*changed, *(f"{iri}: the text that is stored already was kept, another one left out." for iri in other)]
    if parsed.sealed is not None:
        runs = (one.iri for one in rdf.entities(parsed.quads) if isinstance(one, e.Question) and not one.derived_from)
        keep_sealed(parsed.sealed, runs, stores)
    with stores.database.noting:  # nobody judges between what is read here and what is written
        every = [*quads, *verdicts.unknown(stores, parsed.verdicts)]
        stored = storing.store(lambda _: [every], stores)
    return Imported(
        parsed.given, parsed.given - parsed.faulty, (*parsed.refused, *refused, *stored.refused), stored.traces,
        stored.unindexed,
    )  # fmt: skip


def keep_sealed(given: SealedBy, runs: Iterable[str], stores: Collection) -> None:
    """Keep beside each run how the sender of a bundle sealed it."""
    with stores.database.writing() as connection:
        for run in runs:
            own = {one.seal for one in entries(stores.database, run)}  # what was sealed here comes back
            for about, line in given.earlier:
                if about == run and line.get("seal") not in own:
                    keep_sender_seal(connection, run, line, None)
            entry = given.entries.get(run, {})
            if entry.get("seal") not in own:
                keep_sender_seal(connection, run, entry, given.signers)


def _session(data: bytes) -> ParsedFile:
    lines = [(number, line) for number, line in enumerate(data.splitlines(), 1) if line.strip()]
    messages: list[Mapping[str, object]] = []
    refused: list[str] = []
    for number, line in lines:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError) as error:
            refused.append(f"Line {number}: not a message ({error}).")
            continue
        if isinstance(message, dict):
            messages.append(message)
        else:
            refused.append(f"Line {number}: not a message (a message is a JSON object).")
    faults: list[RefusedPart] = []
    events = list(trustgraph.events(messages, refused=faults))
    quads = [quad for event in events if isinstance(event, Explain) for quad in event.triples]
    faulty = len(refused) + len({fault.message for fault in faults})  # one message may have many faults
    refused += map(str, faults)
    dag = ProvenanceDag().fold(events)
    added = list(streamed(events, dag))
    quads += [quad for step in added for quad in step.triples]
    if not dag.roots and isinstance(events[-1], Done) and events[-1].error:
        refused.append(f"The session failed before its question was recorded: {events[-1].error}")
    contents = tuple(  # streamed texts, under the IRIs by which the nodes refer to them
        Content(node.entity.document, node.kind, "text/plain", text.encode(errors="replace"))
        for node in dag.nodes()
        if isinstance(node.entity, e.Answer | e.Reflection) and node.entity.document
        and (text := dag.text(node.entity.iri))
    )  # fmt: skip
    contents += tuple(content for step in added for content in step.contents)
    return ParsedFile(tuple(quads), contents, len(lines), faulty, tuple(refused))
