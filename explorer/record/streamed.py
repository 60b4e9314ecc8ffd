"""What of a recorded session is in its stream alone, as nodes: texts that no step refers to, and how it failed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from explorer import entities as e
from explorer import rdf
from explorer.dag import ProvenanceDag
from explorer.events import Content, Done, Event, Explain, Text
from explorer.vocab import iri, recognise, session_of

_DOCUMENTS = {"docrag-synthesis": "docrag-answer", "synthesis": "answer", "conclusion": "agent-answer",
              "agent-synthesis": "agent-synthesis-content"}  # fmt: skip


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
    """Return whether a step refers to a text."""
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
