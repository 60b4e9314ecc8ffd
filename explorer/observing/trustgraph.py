"""A run of TrustGraph while it goes on: the messages of its gateway as events that are recorded as ours are.

TrustGraph goes on where the connection to it is cut. The rest of such a run is read from what it has stored.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain
from typing import TypeVar, cast

from pyoxigraph import NamedNode, Quad

from explorer import entities as e
from explorer import rdf
from explorer.dag import ProvenanceDag
from explorer.engines.usage import summed
from explorer.errors import WorkspaceError
from explorer.events import Content, Done, Event, Explain, Text, Usage
from explorer.record.importing import streamed
from explorer.text import count
from explorer.trustgraph import messages as trustgraph
from explorer.trustgraph.envelopes import read
from explorer.trustgraph.gateway import CutError, Message
from explorer.trustgraph.knowledge import Knowledge, part_of
from explorer.trustgraph.messages import RefusedPart
from explorer.trustgraph.terms import to_wire
from explorer.vocab import iri, recognise, session_of, timestamp

T = TypeVar("T")
LookUp = Callable[[Iterable[str]], Mapping[str, T]]
_QUESTIONS = {
    "graph-rag": ("question", e.GraphRagQuestion),
    "document-rag": ("docrag-question", e.DocRagQuestion),
    "agent": ("agent-question", e.AgentQuestion),
}
_PAUSE = 0.5  # seconds until the rest of a run is asked for again
_ANSWERS = ("synthesis", "docrag-synthesis", "conclusion", "agent-synthesis")
_NO_WORD_TWICE = 12  # letters of a piece of text that no model writes twice in a row
_UNEXPLAINED = (
    "The gateway sent no explain events: the question and the answer are on record, the steps between them are not."
)
_FETCHED = "The connection was cut while it went on. The rest was read from what TrustGraph has stored."


@dataclass(slots=True)
class LiveSession:
    """One question as it goes on; `notes` say afterwards what was missing, or could not be read.

    `session` names the run where the gateway does not. `labels` finds the names of entities, `knowledge` what was not
    sent: the answers within a run, of an older gateway the steps, of which it tells the IRIs, and after a cut the rest.
    For that it waits as long as a step may take, `patience` seconds. `late` holds the texts that came after their
    steps.
    """

    question: str
    engine: str
    session: str
    clock: Callable[[], datetime]
    labels: LookUp[str]
    knowledge: Knowledge
    patience: float
    notes: list[str] = field(default_factory=list)
    late: list[Content] = field(default_factory=list)
    _refused: list[RefusedPart] = field(default_factory=list)
    _dag: ProvenanceDag = field(default_factory=ProvenanceDag)
    _taken: list[Event] = field(default_factory=list)

    def events(self, messages: Iterator[Message]) -> Iterator[Event]:
        """Yield the events of a run, its Question first and one Done last; closing them hangs up."""
        with closing(cast("Generator[Message]", messages)):
            yield from self._events(messages)

    def _events(self, messages: Iterator[Message]) -> Iterator[Event]:
        done, held, is_asked = Done("error"), list[Event](), False
        for event in trustgraph.events(self._explained(self._whole(_once(messages))), self._step, self._refused):
            if isinstance(event, Done):
                done = event
                break
            is_asked = is_asked or (isinstance(event, Explain) and _is_question(event))
            held.append(event)
            if is_asked:  # a choice of pattern is told before its Question
                held.sort(key=lambda one: not (isinstance(one, Explain) and _is_question(one)))
                for one in held:
                    yield from self._took(one)
                held = []
        self._dag.apply(done)
        for step in streamed([*self._taken, done], self._dag):
            named = recognise(step.iri)
            if named is None or named.kind != "end":  # which the record writes
                yield step
        self._end()
        yield done

    def _whole(self, messages: Iterator[Message]) -> Iterator[Message]:
        """Yield the messages; after a cut those that tell the rest of the run, else one that says so."""
        told = set[str]()
        try:
            for message in messages:
                told.update(read(message).nodes)
                yield message
        except CutError as cut:
            run = next((root.iri for root in self._dag.roots if isinstance(root.entity, e.Question)), "")
            try:
                yield from self._rest(run, told, cut)
            except WorkspaceError as error:
                yield {"error": str(error), "complete": True}

    def _rest(self, run: str, told: set[str], cut: CutError) -> Iterator[Message]:
        """Yield what is stored of a run beyond the steps that were told, until it has its answer; raises
        WorkspaceError.
        """
        last, read_out = time.monotonic(), set[str]()
        while run and time.monotonic() - last < self.patience:
            quads = self.knowledge.run(run)
            entities = [one for one in rdf.entities(quads) if isinstance(one, e.Step)]
            yield from self._texts(run, [one for one in entities if one.iri not in read_out])
            for one in entities:
                if one.iri not in told and not isinstance(one, e.Thought):  # which is a part of the step below it
                    last = time.monotonic()
                    triples = [to_wire(quad) for quad in _with_parts(one.iri, quads)]
                    yield {"response": {"message_type": "explain", "explain_id": one.iri, "explain_triples": triples}}
            for known in (told, read_out):
                known.update(one.iri for one in entities)
            if any((named := recognise(one.iri)) and iri(named.kind, session_of(run)) == one.iri
                   and named.kind in _ANSWERS for one in entities):  # fmt: skip
                self.notes.append(_FETCHED)
                spent = summed([Usage(one.in_token, one.out_token, one.model) for one in entities if one.model])
                used = {"in_token": spent.in_token, "out_token": spent.out_token, "model": spent.model}
                yield {"response": {"message_type": "end", "end_of_session": True, **used}, "complete": True}
                return
            time.sleep(min(_PAUSE, self.patience / 4))
        raise cut

    def _texts(self, run: str, steps: Iterable[e.Entity]) -> Iterator[Message]:
        """Yield what was not said yet of the texts of steps; those of searches within are looked up with them."""
        own = {one.document: one for one in steps if isinstance(one, e.Answer | e.Reflection) and one.document
               and session_of(one.iri) == session_of(run)}  # fmt: skip
        for document, data in self._look_up(self.knowledge.texts, [*own]).items():
            one = own[document]
            kind = "answer" if isinstance(one, e.Answer) else "thought" if isinstance(one, e.Thought) else "observation"
            text, said = data.decode(errors="replace"), self._dag.texts.get((one.iri, kind), "")
            if text.startswith(said) and text != said:
                yield {"response": {"message_type": kind, "content": text[len(said) :], "message_id": one.iri}}

    def _explained(self, messages: Iterator[Message]) -> Iterator[Message]:
        """Yield the messages, after a Question of our own where the gateway does not explain."""
        for first in messages:
            if not read(first).nodes:
                kind, of = _QUESTIONS[self.engine]
                session = session_of(read(first).about or "") or self.session
                asked = of(iri=iri(kind, session), query=self.question, started_at=timestamp(self.clock()))
                told = [to_wire(quad) for quad in rdf.triples(asked)]
                yield {"response": {"message_type": "explain", "explain_id": asked.iri, "explain_triples": told}}
                self.notes += [_UNEXPLAINED] if read(first).error is None else []
            yield from chain([first], messages)

    def _took(self, event: Event) -> Iterator[Event]:
        """Yield an event with the names of what it is about, and the texts that were streamed for it."""
        self._dag.apply(event)
        if isinstance(event, Explain):
            for text in self._unsaid(event):
                self._dag.apply(text)
                yield text
            texts = [content for one in event.entities if (content := self._content(one)) is not None]
            names = self._look_up(self.labels, about(event.entities))
            event = replace(event, contents=tuple(texts), labels=names)
        self._taken.append(event)
        yield event

    def _unsaid(self, event: Explain) -> Iterator[Text]:
        """Yield the answer of a search within an agent's run, of which only its IRI is sent."""
        top = {session_of(root.iri) for root in self._dag.roots}
        inner = {one.document: one.iri for one in event.entities
                 if isinstance(one, e.Synthesis) and one.document and session_of(one.iri) not in top}  # fmt: skip
        for document, data in self._look_up(self.knowledge.texts, [*inner]).items():
            yield Text(inner[document], "answer", data.decode(errors="replace"))

    def _step(self, node: str) -> list[Quad]:
        return self._look_up(lambda asked: {one: self.knowledge.step(one) for one in asked}, [node]).get(node, [])

    def _look_up(self, find: LookUp[T], asked: list[str]) -> Mapping[str, T]:
        """Return what is found; where nothing can be asked, that is noted, and the run goes on."""
        try:
            return find(asked) if asked else {}
        except WorkspaceError as error:
            self.notes += [str(error)] if str(error) not in self.notes else []
            return {}

    def _content(self, entity: e.Entity) -> Content | None:
        if not isinstance(entity, e.Answer | e.Reflection) or not entity.document:
            return None
        text = self._dag.text(entity.iri)
        kind = type(entity).__name__
        return Content(entity.document, kind, "text/plain", text.encode(errors="replace")) if text else None

    def _end(self) -> None:
        stored = {one.iri: one for event in self._taken if isinstance(event, Explain) for one in event.contents}
        found = filter(None, (self._content(node.entity) for node in self._dag.nodes() if node.entity is not None))
        self.late += (one for one in found if stored.get(one.iri) != one)
        if self._refused:
            parts = count(len(self._refused), "part")
            self.notes.append(f"{parts} of the messages could not be read, the first: {self._refused[0]}")


def _with_parts(node: str, quads: Iterable[Quad]) -> list[Quad]:
    about = defaultdict[object, list[Quad]](list)
    for quad in quads:
        about[quad.subject].append(quad)
    own = about[NamedNode(node)]
    return [*own, *(quad for one in own if part_of(one) for quad in about[one.object])]


def _is_question(step: Explain) -> bool:
    return any(isinstance(one, e.Question) for one in step.entities)


def about(entities: Iterable[e.Entity]) -> list[str]:
    """Return the IRIs in the facts that were selected, and of the entities that a search began at."""
    selected = (one.edge for one in entities if isinstance(one, e.EdgeSelection) and one.edge)
    ends = [end.value for fact in selected for end in (fact.subject, fact.predicate, fact.object)
            if isinstance(end, NamedNode)]  # fmt: skip
    return ends + [key for one in entities if isinstance(one, e.Exploration) for key in one.entities]


def _once(messages: Iterator[Message]) -> Iterator[Message]:
    """Yield messages without those that come again: an explained step at any time, a text at once."""
    before: Message = {}
    steps: list[Message] = []
    for message in messages:
        told = read(message)
        is_long = any(len(text.strip()) >= _NO_WORD_TWICE for _, text in told.texts)
        again = message in steps if told.nodes else message == before and is_long
        steps += [message] if told.nodes else []
        before = message
        if not again:
            yield message
