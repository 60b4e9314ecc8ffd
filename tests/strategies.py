"""Entities and event streams as hypothesis draws them."""

from __future__ import annotations

import string

from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer import entities as e
from explorer import rdf
from explorer.entities import Kind, columns
from explorer.events import Content, Done, Explain, Passage, Progress, Text
from explorer.vocab import RETRIEVAL, X, iri

names = st.text(string.ascii_letters + string.digits + "-._~", min_size=1, max_size=8)
iris = st.builds("{}{}".format, st.sampled_from(["urn:t:", "http://trustgraph.ai/e/", "https://example.org/#"]), names)
texts = st.text(max_size=20)
literals = st.one_of(
    st.builds(Literal, texts),
    st.builds(lambda text, tag: Literal(text, language=tag), texts, st.sampled_from(["en", "fr", "pl-pl"])),
    st.builds(lambda text, form: Literal(text, datatype=NamedNode(form)), texts, iris),
)
triples = st.builds(
    Triple, st.builds(NamedNode, iris), st.builds(NamedNode, iris), st.one_of(st.builds(NamedNode, iris), literals)
)
VALUES = {
    Kind.TEXT: texts,
    Kind.INTEGER: st.integers(),
    Kind.NUMBER: st.floats(allow_nan=False, allow_infinity=False),
    Kind.IRI: iris,
    Kind.TRIPLE: triples,
}
JSON = {
    "ordered": st.lists(texts),
    "refused": st.lists(texts),
    "read": st.lists(texts),
    "scores": st.dictionaries(iris, VALUES[Kind.NUMBER]),
    "left": st.dictionaries(iris, texts),
    "quotes": st.dictionaries(iris, st.lists(st.integers(0, 9), max_size=3)),
    "parameters": st.dictionaries(texts, st.integers() | texts),
    "score_parts": st.dictionaries(texts, VALUES[Kind.NUMBER]),
    "support": st.dictionaries(texts, VALUES[Kind.NUMBER] | texts),
    "support_cut": st.dictionaries(texts, VALUES[Kind.NUMBER]),
}


@st.composite
def entities(draw, cls):
    """Any value of an entity class, with up to two triples that no field of it stands for."""
    node = draw(iris)
    fields = {}
    for column in columns(cls):
        values = JSON[column.name] if column.kind in (Kind.JSON, Kind.LIST) else VALUES[column.kind]
        if column.many:
            fields[column.name] = tuple(draw(st.lists(values, max_size=3)))
        elif column.name == "query":
            fields[column.name] = draw(values)  # what was asked is never absent
        else:
            fields[column.name] = draw(st.none() | values)
    unknown = st.builds(
        lambda name, value: Triple(NamedNode(node), NamedNode(f"urn:unknown:{name}"), value), names, literals
    )
    return cls(iri=node, other=tuple(draw(st.lists(unknown, max_size=2))), **fields)


def step(entity, number, *, parts=(), more=(), **what):
    """A provenance step as `Traces.record` passes it on."""
    sequence = Quad(NamedNode(entity.iri), X.sequence, Literal(str(number)), RETRIEVAL)
    return Explain(entity.iri, (*rdf.triples(entity, parts=parts), *more, sequence), **what)


def passage(document, page, start, length, agent="rules"):
    return Passage(
        document=f"https://trustgraph.ai/doc/{document}",
        title=f"Title {document}",
        source=None,
        page=page,
        section=None if page else "Heading",
        part=f"urn:page:{document}-{page}" if page is not None else f"urn:section:{document}",
        chunk=f"urn:chunk:{document}-{page}-{start // 10}",
        chunk_index=1,
        start=start,
        end=start + length,
        page_start=start,
        text="w" * length,
        subgraph=f"https://trustgraph.ai/subgraph/{document}-{page}-{start}-{length}-{agent}",
        extracted_by=agent,
    )


passages = st.builds(
    passage,
    st.sampled_from("abc"),
    st.sampled_from([None, 1, 2]),
    st.integers(0, 5),
    st.integers(1, 3),
    st.sampled_from(["rules", "curator"]),
)


@st.composite
def streams(draw):
    """The events of a run of any shape: few or many concepts, facts and sources; or a failure on the way."""
    session = "s"
    concepts = draw(st.lists(st.text(string.ascii_lowercase + " ", min_size=1, max_size=30), max_size=30))
    edges = draw(st.lists(st.tuples(triples, st.floats(0, 1), st.lists(passages, max_size=4)), max_size=8))
    left = draw(st.lists(triples, max_size=3))
    selections = [
        e.EdgeSelection(iri=iri("edge", session, i), edge=edge, score=round(score, 4), concept="c", reasoning="r")
        for i, (edge, score, _) in enumerate(edges)
    ]
    candidates = [
        e.Candidate(iri=iri("candidate", session, i), edge=edge, rank=len(edges) + i + 1) for i, edge in enumerate(left)
    ]
    node = {kind: iri(kind, session) for kind in ("question", "grounding", "exploration", "focus", "synthesis")}
    answer = draw(texts)
    events = [
        step(e.GraphRagQuestion(iri=node["question"], query=draw(texts), started_at="2026-01-15T10:30:00Z"), 0),
        step(
            e.Grounding(
                iri=node["grounding"],
                derived_from=(node["question"],),
                concepts=tuple(dict.fromkeys(concepts)),
                ordered=concepts,
            ),
            1,
        ),
        Progress("exploration", 0, 150),
        step(e.Exploration(iri=node["exploration"], derived_from=(node["grounding"],), edge_count=len(edges) + 9), 2),
        Progress("focus", 0, 9),
        step(
            e.Focus(
                iri=node["focus"],
                derived_from=(node["exploration"],),
                selected_edges=tuple(s.iri for s in selections),
                candidates=tuple(c.iri for c in candidates),
            ),
            3,
            parts=[*selections, *candidates],
            passages={s.iri: tuple(found) for s, (_, _, found) in zip(selections, edges, strict=True)},
        ),
        Text(node["synthesis"], "answer", answer),
        step(
            e.Synthesis(iri=node["synthesis"], derived_from=(node["focus"],), document=iri("answer", session)),
            4,
            contents=(Content(iri("answer", session), "Answer", "text/plain", answer.encode()),),
        ),
        step(e.End(iri=iri("end", session), reason="done", ended_at="2026-01-15T10:30:09Z"), 5),
        Done("done"),
    ]
    broken = draw(st.none() | st.integers(1, 5))
    if broken is None:
        return events
    begun = [event for event in events[:broken] if not isinstance(event, Progress)]
    last = begun[-1].iri
    failure = e.Failure(iri=iri("failure", session), derived_from=(last,), error=draw(texts))
    ended = e.End(iri=iri("end", session), reason="error", ended_at="2026-01-15T10:30:09Z")
    return [*begun, step(failure, len(begun)), step(ended, len(begun) + 1), Done("error", error=failure.error)]


def described(events):
    """The entities of all steps, in order."""
    return [entity for event in events if isinstance(event, Explain) for entity in rdf.entities(event.triples)]


def of(cls, events):
    """The entities of a class, in order."""
    return [entity for entity in described(events) if isinstance(entity, cls)]
