"""The answer as its panel shows it: text in runs with numbered citations, its author, how much has a source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer import entities as e
from explorer.drawing import labels
from explorer.record.trace import citation_numbers
from explorer.text import count
from explorer.widgets.detail.steps import answer_author, citations, is_agent

if TYPE_CHECKING:
    from explorer.widgets.messages import AnswerRun, AnswerState, Citation, Pill
    from explorer.widgets.words.names import Names


def answer(names: Names, *, running: bool) -> AnswerState:
    """Return the answer as far as it is there; its citations once it is on record."""
    dag = names.dag
    shown: AnswerState = {
        "text": dag.answer,
        "live": bool(dag.answer) and dag.final is None and running,
        "author": answer_author(dag),
    }
    if dag.final is None:
        return {**shown, "runs": None, "pill": None}
    cites = citations(dag, dag.final.iri)
    declined = isinstance(dag.final.entity, e.Answer) and dag.final.entity.termination_reason == "declined"
    return {**shown, "runs": _runs(names, cites), "pill": None if declined else _sourced(cites)}


def _runs(names: Names, cites: list[e.Citation]) -> list[AnswerRun]:
    """Cut the answer at its citations; a run is some text and what it rests on."""
    text, at = names.dag.answer, 0
    runs: list[AnswerRun] = []
    numbers = _numbers(names, cites)
    for citation in cites:
        start, end = max(at, citation.start or 0), max(at, citation.end or 0)
        firsts: dict[int, str] = {}
        for iri in citation.cites:
            if iri in numbers:
                firsts.setdefault(numbers[iri], iri)
        shown: list[Citation] = []
        for number, iri in firsts.items():
            node = names.dag.node(iri)
            noun = {"EdgeSelection": "fact", "ChunkSelection": "passage", "Passage": "passage"}.get(node.kind, "")
            tip = f"{noun} {' '.join(labels.lines(names.dag, node))}".strip()
            shown.append({"n": number, "node": iri, "tip": tip})
        runs += [{"text": text[at:start], "cites": []}, {"text": text[start:end], "cites": shown}]
        at = end
    runs.append({"text": text[at:], "cites": []})
    return [run for run in runs if run["text"]]


def _numbers(names: Names, cites: list[e.Citation]) -> dict[str, int]:
    """Number what the answer cites: of one search as it was kept or is shown, of an agent in the answer's order."""
    if is_agent(names.dag):
        known = names.dag.graph.nodes
        numbers = citation_numbers(cites, names.dag.entities)
        return {iri: number for iri, number in numbers.items() if iri in known and "node" in known[iri]}
    return {
        node.iri: shown if node.kind == "Passage" else names.number(node) for shown, node in enumerate(names.cited(), 1)
    }


def _sourced(cites: list[e.Citation]) -> Pill | None:
    cited = [citation for citation in cites if citation.cites]
    if not cited:
        return None
    sentences = len(cites)
    return {
        "text": f"{len(cited)} of {count(sentences, 'sentence')} {'has' if sentences == 1 else 'have'} a source",
        "ok": len(cited) == sentences,
    }
