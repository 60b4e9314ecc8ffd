"""Importing: files of triples in any format, and recorded sessions of TrustGraph's services.

Triples are stored as they came; entities are only a reading of them. What can't be read is refused, the rest is read.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from pyoxigraph import Literal, NamedNode, Quad

from explorer import entities as e
from explorer import rdf
from explorer.dag import ProvenanceDag
from explorer.errors import RecordError
from explorer.events import Content, Done, Event, Explain, Text
from explorer.ingest.progress import Progress, Tell, shown
from explorer.ingest.readers.rdf_facts import base_of
from explorer.record import storing_imports, verdicts
from explorer.record.bundles.checking import OpenedBundle, SealedBy, is_bundle
from explorer.record.bundles.checking import checked as checked_bundle
from explorer.record.bundles.verify import RECORD
from explorer.record.exporting import Enclosure
from explorer.record.foreign_records import in_words
from explorer.record.node_lookup import kind as kind_of
from explorer.record.storing_imports import Imported
from explorer.stores.collection import Collection
from explorer.stores.default_graph import is_fact
from explorer.stores.ledger import entries, keep_sender_seal
from explorer.stores.library import EnclosedText
from explorer.trustgraph import messages as trustgraph
from explorer.trustgraph.messages import RefusedPart
from explorer.vocab import BASE64, FACTS, PROV, SOURCE, X, iri, recognise, session_of

BUNDLE = "bundle"
"""The format of an archive of runs."""
_TERMS = (X.text, X.title, X.mediaType, X.fileName, X.missing)
_HEX = 32  # digits of the hash that are in the IRI of a document
_DOCUMENTS = {"docrag-synthesis": "docrag-answer", "synthesis": "answer", "conclusion": "agent-answer",
              "agent-synthesis": "agent-synthesis-content"}  # fmt: skip


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
        stored = store(parsed, stores)
        return replace(stored, notes=(*stored.notes, *given.said))
    if signed_by is not None or form == BUNDLE:
        raise RecordError(f"{path.name} is no bundle, and only a bundle is signed; `explorer bundle` makes one.")
    if (large := storing_imports.form_of(path, form)) is None:
        tell(Progress(path.name, "reading"))
        base = base_of(str(path.absolute()), path.name)
        parsed = read(path.read_bytes(), path.name, form, base)
        tell(Progress(path.name, "storing", 0, parsed.given))
        stored = store(parsed, stores)
        return replace(stored, words="" if stored.traces else in_words(parsed.quads, base))
    return storing_imports.store(storing_imports.of_file(path, large, tell), stores)


@contextmanager
def counted(
    path: Path,
    progress: bool | Tell,  # noqa: FBT001 - as the caller has it
    of: str = "statements",
) -> Iterator[Tell]:
    """Show a bar, in percent, of a large file where `progress` is True; yields what is to be told of each step."""
    with shown("Importing", 100, progress=progress is True and path.stat().st_size >= storing_imports.LARGE) as bar:

        def tell(step: Progress) -> None:
            half = 50 * step.done / step.total if step.total else 0
            what = "read" if step.stage == "reading" else "stored"
            bar(round(half + (0 if step.stage == "reading" else 50)), f"{path.name}: {step.done:,} {of} {what}")

        yield progress if callable(progress) else tell


def read(data: bytes, name: str, form: str | None = None, base: str | None = None) -> ParsedFile:
    """Read a file: `wire` (a session's messages, one JSON object a line) or a format of `rdf.load`, guessed by default.

    IRIs are relative to `base`, as those of a document are to what names it.
    Raises RecordError, naming line and column, for a file that can't be read at all; nothing of it is stored then.
    """
    if form == "wire" or (form is None and name.endswith(".jsonl")):
        return _session(data)
    loaded = rdf.load(data, form or rdf.guess(name, data), base=base)
    refused = [*map(storing_imports.told, loaded.refused)]
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
        stored = storing_imports.store(lambda _: [every], stores)
    every_refused = (*parsed.refused, *refused, *stored.refused)
    return replace(stored, given=parsed.given, read=parsed.given - parsed.faulty, refused=every_refused)


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


def streamed(events: Iterable[Event], dag: ProvenanceDag) -> Iterator[Explain]:
    """Yield a step for each text that no step refers to, below the step before it, and how the run failed if it did.

    `dag` has the events folded. A run without a Question of its own has neither.
    """
    given = list(events)
    question = next((root.iri for root in dag.roots if isinstance(root.entity, e.Question)), None)
    if question is None or not session_of(question):
        return
    last, texts = question, dict[tuple[str, str], str]()
    for event in given:
        if isinstance(event, Explain) and not isinstance(dag.entities.get(event.iri), e.End | e.Failure):
            last = event.iri
        elif isinstance(event, Text) and (event.node or question, event.kind) not in texts and not _has(dag, event):
            texts[event.node or question, event.kind] = last
    for (node, kind), above in texts.items():
        text = dag.texts.get((node, kind)) or dag.texts.get(("", kind), "")
        if text and (step := _step(node, kind, above, dag)) is not None:
            last = step.iri if last == above else last
            step = replace(step, run=question)
            content = Content(step.document or step.iri, kind, "text/plain", text.encode(errors="replace"))
            yield Explain(step.iri, tuple(rdf.triples(step)), (content,))
    done = next((event for event in given if isinstance(event, Done)), None)
    if done is not None and done.reason == "error":
        yield from _failed(done, question, last, dag)


def _has(dag: ProvenanceDag, text: Text) -> bool:
    entity = dag.entities.get(text.node)
    own = isinstance(entity, e.Answer) if text.kind == "answer" else isinstance(entity, e.Reflection)
    other = text.kind == "observation" and isinstance(entity, e.Answer)
    return (own or other) and isinstance(entity, e.Answer | e.Reflection) and bool(entity.document or entity.content)


def _step(node: str, kind: str, above: str, dag: ProvenanceDag) -> e.Answer | e.Reflection | None:
    """Return the node that a text was streamed for, or else a thought below it."""
    described, named = dag.entities.get(node), recognise(node)
    known = named if described is None else None
    if kind == "answer":
        if known is None or known.kind not in _DOCUMENTS:
            return None
        document = iri(_DOCUMENTS[known.kind], known.key)
        of = e.Conclusion if known.kind == "conclusion" else e.Synthesis
        return of(iri=node, derived_from=(above,), document=document, termination_reason="error")
    at, parent = (node, above) if known else (f"{node}/{kind}", above if described is None else node)
    if at in dag.entities:
        return None
    cls = e.Observation if kind == "observation" else e.Thought
    return cls(iri=at, derived_from=(parent,), document=at)


def _failed(done: Done, question: str, last: str, dag: ProvenanceDag) -> Iterator[Explain]:
    """Yield where a run failed, and its end, unless its own record has them."""
    session, used = session_of(question), done.usage
    failure = e.Failure(
        iri=iri("failure", session), derived_from=(last,), error=done.error, termination_reason="error", run=question
    )
    end = e.End(
        iri=iri("end", session), reason="error", in_token=used.in_token, out_token=used.out_token, model=used.model,
        calls=used.calls, run=question,
    )  # fmt: skip
    yield from (Explain(one.iri, tuple(rdf.triples(one))) for one in (failure, end) if one.iri not in dag.entities)


def opened(quads: Iterable[Quad]) -> tuple[list[Quad], Enclosure, list[str]]:
    """Return the triples of a file without what is enclosed, what that is, and why some of it can't be read."""
    rest, refused = list[Quad](), list[str]()
    about: dict[str, dict[NamedNode, list[Literal]]] = {}
    for quad in quads:
        if quad.predicate in _TERMS and isinstance(quad.subject, NamedNode) and isinstance(quad.object, Literal):
            about.setdefault(quad.subject.value, {}).setdefault(quad.predicate, []).append(quad.object)
        else:
            rest.append(quad)
    contents, texts, missing = list[Content](), list[EnclosedText](), dict[str, str]()
    for key, told in about.items():
        firsts = {term: values[0].value for term, values in told.items()}
        title, mime, name, why = map(firsts.get, (X.title, X.mediaType, X.fileName, X.missing))
        if why is not None:
            missing[key] = why
        plain = [one.value for one in told.get(X.text, ()) if one.datatype != BASE64]
        coded = [one.value for one in told.get(X.text, ()) if one.datatype == BASE64]
        if len(plain) > 1 or len(coded) > 1:
            refused.append(f"{key}: two contents are enclosed under one name; none was taken.")
            continue
        try:
            data = [base64.b64decode(one, validate=True) for one in coded]
        except (binascii.Error, ValueError):
            refused.append(f"{key}: its content is not the base64 that it should be; it was left out.")
            continue
        if name is not None:
            texts += [EnclosedText(key, name, text) for text in plain]
        else:
            data = data or [text.encode() for text in plain]
        contents += [Content(key, title or "", mime or "application/octet-stream", one) for one in data]
    return rest, Enclosure((), tuple(contents), tuple(texts), missing), refused


def checked(given: Enclosure, quads: Iterable[Quad], stores: Collection) -> tuple[Enclosure, list[str]]:
    """Return what is enclosed without the contents that are not those whose hash is on record, in the file or here, and
    without those that are here; and why some were left out.
    """
    hashes: dict[str, set[str]] = {}
    here = (quad for one in given.contents for quad in stores.graph.match(NamedNode(one.iri), X.sha256))
    quads = [*quads]
    for quad in (*quads, *here):
        if quad.predicate == X.sha256 and isinstance(quad.subject, NamedNode) and isinstance(quad.object, Literal):
            hashes.setdefault(quad.subject.value, set()).add(quad.object.value)
    chunks = stores.library.chunk_numbers([one.iri for one in given.contents])
    kept, refused = list[Content](), list[str]()
    for one in given.contents:
        named, found = recognise(one.iri), hashlib.sha256(one.data).hexdigest()
        is_file = named is not None and named.kind == "document" and len(named.key) == _HEX
        changed = is_file and named is not None and not found.startswith(named.key)
        if one.iri not in given.missing and (changed or hashes.get(one.iri, {found}) != {found}):
            refused.append(f"{one.iri}: its content was changed since it was recorded, and was left out.")
        elif one.iri not in chunks:
            kept.append(one)
    spoken = {quad.subject: quad.object for quad in quads if quad.predicate == X.textSha256}
    texts = list[EnclosedText]()
    for text in given.texts:
        told, found = spoken.get(NamedNode(text.iri)), hashlib.sha256(text.text.encode(errors="replace")).hexdigest()
        if isinstance(told, Literal) and told.value != found:
            refused.append(f"{text.iri}: its text was changed since it was recorded, and was left out.")
        elif not stores.library.has(text.iri):
            texts.append(text)
    return Enclosure(given.quads, tuple(kept), tuple(texts), given.missing), refused


def unknown(quads: Iterable[Quad], stores: Collection) -> list[Quad]:
    """Return the triples of a closed file without those about sources and names that are described here already."""
    known: dict[tuple[NamedNode, NamedNode | None], bool] = {}

    def is_removed(node: NamedNode) -> bool:
        """Return whether it is a document that was removed here: what is left of it stays as it is."""
        return kind_of(node.value) == "document" and any(stores.graph.match(node, PROV.invalidatedAtTime, None, FACTS))

    def is_known(quad: Quad) -> bool:
        if quad.graph_name not in (SOURCE, FACTS) or not isinstance(quad.subject, NamedNode) or is_fact(quad):
            return False
        term = quad.predicate if quad.graph_name == FACTS and not is_removed(quad.subject) else None
        key = (quad.subject, term)
        if key not in known:
            graph = FACTS if quad.graph_name == FACTS else SOURCE
            known[key] = next(iter(stores.graph.match(quad.subject, term, None, graph)), None) is not None
        return known[key]

    return [quad for quad in quads if not is_known(quad)]
