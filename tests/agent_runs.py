"""One run of an agent with a scripted model, and checks of all that holds of any run, whole or failed."""

from __future__ import annotations

import threading

from explorer import entities as e
from explorer import rdf
from explorer.dag import ProvenanceDag
from explorer.events import Done, Explain, Text, Usage
from explorer.record import importing
from explorer.vocab import recognise
from tests.corpus import QUESTIONS

SEARCHED = {"document-prompt": "Beech Aircraft built the valve [1]."}


def note(text: str) -> str:
    """Note a text."""
    return f"noted {text}"


def meeting():
    """A tool that waits for another call of it, and how many were in it at each call."""
    together, running, counts = threading.Barrier(2, timeout=5), [], []

    def meet(text: str) -> str:
        """Wait for another call."""
        running.append(text)
        counts.append(len(running))
        together.wait()
        running.remove(text)
        return text

    return meet, counts


def drained(generator):
    """What a generator gives on its way, and what it returns."""
    seen = []
    while True:
        try:
            seen.append(next(generator))
        except StopIteration as end:
            return seen, end.value


def run(ws, chat, tools, pattern, **limits):
    """The events of one run, which are checked for all that holds of any run."""
    ws.chat = chat
    events = list(ws.ask(QUESTIONS[0], engine="agent", tools=[*tools], pattern=pattern, **limits))
    check_ends(events)
    check_prefixes(events)
    check_contents(events)
    check_totals(events, chat)
    check_replay(ws, events)
    if limits.get("parallel") != 1:  # the same nodes as side by side; a look at them takes its time
        check_exchange(events)
    return events


def explains(events):
    return [event for event in events if isinstance(event, Explain)]


def described(events, kind=e.Entity):
    found = ProvenanceDag().fold(events).entities.values()
    return [entity for entity in found if isinstance(entity, kind)]


def top(events):
    return recognise(explains(events)[0].iri).key


def own(events, kind):
    """What the top session tells of one kind."""
    return [entity for entity in described(events, kind) if recognise(entity.iri).key == top(events)]


def parents(entity):
    """The kinds and numbers of what something derives from."""
    return [(found.kind, found.index) for found in map(recognise, entity.derived_from)]


def check_ends(events):
    """One Done; one root; each session comes to one end, and nothing goes round in a circle."""
    assert [type(event) for event in events if isinstance(event, Done)] == [Done]
    assert isinstance(events[-1], Done)
    dag = ProvenanceDag().fold(events)
    assert [root.iri for root in dag.roots] == [explains(events)[0].iri]
    assert dag.cycles == []
    ends = [iri for iri in leaves(dag) if recognise(iri).key == top(events)]
    assert len(ends) == 1, ends


def leaves(dag):
    """What nothing derives from, among the steps of the record."""
    above = {parent for entity in dag.entities.values() for parent in entity.derived_from}
    steps = {key for key, entity in dag.entities.items()
             if isinstance(entity, e.Step) and not isinstance(entity, e.End | e.Thought | e.EdgeSelection)}  # fmt: skip
    return sorted(steps - above)


def check_prefixes(events):
    """Whatever was told so far makes a graph; each step is told after all that it derives from, and once."""
    dag, known = ProvenanceDag(), set()
    for event in events:
        dag.apply(event)
        if isinstance(event, Explain):
            assert event.iri not in known
            known.add(event.iri)
            told = dag.entities.get(event.iri)
            assert told is None or {*told.derived_from} <= dag.entities.keys()
            assert len(dag.roots) == 1
    assert dag.cycles == []
    failed = {recognise(entity.iri).key for entity in described(events, e.Failure)}
    assert {recognise(node).key for node in half_said(events)} <= failed


def half_said(events):
    """The nodes of texts that came to no node on record, as their model failed."""
    known = ProvenanceDag().fold(events).entities.keys()
    return {event.node for event in events if isinstance(event, Text)} - known


def check_contents(events):
    """No IRI stands for two contents, and each prompt and reply is named by one step."""
    contents = [content for event in explains(events) for content in event.contents]
    assert len({content.iri for content in contents}) == len(contents)
    told = [key for entity in described(events, e.Step) for key in (*entity.prompt, *entity.reply)]
    assert len({*told}) == len(told)
    assert {*told} <= {content.iri for content in contents}


def check_totals(events, chat):
    """The totals are those of all calls there were, of searches and sub-agents too."""
    used = events[-1].usage
    assert used.calls == len(chat.asked)
    asked = [key for entity in described(events, e.Step) for key in entity.prompt]
    assert len(asked) == len(chat.asked)
    steps = described(events, e.Step)
    if not any(isinstance(one, e.Failure) or one.call_error or getattr(one, "error", None) for one in steps):
        assert used == Usage(11 * len(chat.asked), 7 * len(chat.asked), chat.name, len(chat.asked))


def texts(events):
    return {key: text for key, text in ProvenanceDag().fold(events).texts.items() if text}


def check_replay(ws, events):
    """What is on record gives the same events again."""
    again = list(ws.traces.replay(explains(events)[0].iri))
    assert [event.iri for event in explains(again)] == [event.iri for event in explains(events)]
    for one, other in zip(explains(again), explains(events), strict=True):
        assert {*one.triples} == {*other.triples}, one.iri
        assert {*one.contents} == {*other.contents}, one.iri
        assert one.passages == other.passages
    check_end(again, events)
    half = half_said(events)
    assert texts(again) == {key: text for key, text in texts(events).items() if key[0] not in half}


def check_end(again, events):
    """Both ended alike, with the same sources in the same order."""
    assert again[-1] == events[-1]


def check_exchange(events):
    """Nothing is wrong with the record, and a file of it holds the same."""
    quads = [quad for event in explains(events) for quad in event.triples]
    assert rdf.validate(quads) == []
    assert {*importing.read(rdf.dump(quads, "trig"), "run.trig", None).quads} == {*quads}
