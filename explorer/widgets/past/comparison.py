"""Two runs side by side as the page shows them: plain data, the words already chosen, what is only on one side marked.

Facts stand in groups: what only A kept, what only B kept, what both did. The numbers in an answer are those of the
facts its run kept; each names the row of its fact by `row`, its place among all rows.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import networkx as nx

from explorer import entities as e
from explorer.drawing import labels
from explorer.drawing.endings import ending
from explorer.drawing.kinds import term
from explorer.drawing.labels import agent_lines, has_failed
from explorer.models.chat import NO_MODEL
from explorer.text import count, opening, seconds, truncate
from explorer.widgets import messages
from explorer.widgets.detail.steps import answer_author
from explorer.widgets.messages import Author
from explorer.widgets.words.authors import by_measure, by_model
from explorer.widgets.words.phrases import beneath, found_in, listed, ordinal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from explorer.dag.nodes import Node
    from explorer.events import Passage
    from explorer.record.compare import Comparison, ComparisonRow, ComparisonSide, Judgement, MatchedText
    from explorer.record.trace import Trace

_Spot = tuple[str, int | None, str | None]  # document, page, and section where there is no page
_GROUPS: dict[messages.Side, str] = {"A": "Only in A", "B": "Only in B", "both": "In both runs"}
_QUOTED = " Source: “"  # what the built-in reasoner closes its reasons with; the page shows the source itself
_LONGEST_QUOTE = 400
_LONGEST_PASSAGE = 160


def message(comparison: Comparison) -> messages.Comparison:
    """Return all that the page shows of a comparison."""
    a, b = comparison.a, comparison.b
    rows = [_row(comparison, at) for at in range(len(comparison.rows))]
    nouns = _nouns(comparison)
    return {
        "t": "compare",
        "heading": f"{_plural(nouns).capitalize()} kept",
        "column": " or ".join(nouns).capitalize(),
        "summary": _summary(comparison),
        "question": a.trace.question if comparison.same_question else None,
        "a": _side(comparison, a, b),
        "b": _side(comparison, b, a),
        "looked": f"A {_looked(comparison, a)} · B {_looked(comparison, b)}",
        "authors": _authors(rows),
        "groups": [
            {"side": side, "title": f"{name}: {len(own):,}", "rows": own}
            for side, name in _GROUPS.items()
            if (own := [row for row in rows if row["side"] == side])
        ],
    }


def _nouns(comparison: Comparison) -> list[str]:
    """Return what the runs selected, or would have: "fact", "passage"."""
    if comparison.rows:
        return sorted({row.noun for row in comparison.rows})
    asked = (_question(side.trace) for side in (comparison.a, comparison.b))
    return sorted({"passage" if isinstance(one, e.DocRagQuestion) else "fact" for one in asked})


def _plural(nouns: list[str]) -> str:
    return listed([f"{noun}s" for noun in nouns])


def _summary(comparison: Comparison) -> str:
    if comparison.a.trace.iri == comparison.b.trace.iri:
        return "the same run twice"
    asked = "same question" if comparison.same_question else "different questions"
    if not comparison.rows:
        return f"{asked} · neither kept anything"
    only_a, only_b, both = (len(comparison.of(side)) for side in _GROUPS)
    return f"{asked} · {_plural(_nouns(comparison))} kept: {only_a:,} only in A, {only_b:,} only in B, {both:,} in both"


def _side(comparison: Comparison, own: ComparisonSide, other: ComparisonSide) -> messages.ComparedSide:
    trace = own.trace
    done, question = trace.dag.done, _question(trace)
    return {
        "iri": trace.iri,
        "title": _title(trace),
        "question": trace.question,
        "when": (question.started_at if question else None) or "",
        "spent": _spent(trace),
        "ended": ending(trace.reason).word,
        "answer": _answer(comparison, own),
        "none": None if trace.answer else _no_answer(trace.reason, done.error if done else None),
        "author": answer_author(trace.dag) if trace.answer else None,
        "ideas": [_flagged(idea) for idea in own.ideas],
        "sources": _documents(trace.sources(), other.trace.sources()),
        "steps": _steps(trace),
    }


def _question(trace: Trace) -> e.Question | None:
    asked = trace.dag.entities.get(trace.iri)
    return asked if isinstance(asked, e.Question) else None


def _title(trace: Trace) -> str:
    """Return how a run went about it, and with which model: "Graph search with gpt-4o-mini"."""
    if trace.model == NO_MODEL:
        return f"{trace.method}, {NO_MODEL}"
    return f"{trace.method} with {trace.model}" if trace.model else trace.method


def _spent(trace: Trace) -> list[str]:
    """Return the time and the tokens it took, as far as they are known."""
    done, usage = trace.dag.done, trace.usage
    took = [seconds(done.duration_ms / 1000)] if done and done.duration_ms is not None else []
    if usage.in_token is None and usage.out_token is None:
        return [*took, "no tokens"] if trace.model == NO_MODEL else took
    return [*took, count((usage.in_token or 0) + (usage.out_token or 0), "token")]


def _no_answer(reason: str, error: str | None) -> str:
    said = ending(reason).none
    return f"{said} {error}" if reason == "error" and error else said


def _answer(comparison: Comparison, own: ComparisonSide) -> list[messages.ComparedSentence]:
    """Cut the answer into sentences, and these where something is cited; joined they are the whole text."""
    text, at = own.trace.answer, 0
    starts = [sentence.start or 0 for sentence in own.answer]
    parts: list[messages.ComparedSentence] = []
    for sentence, start, later in zip(own.answer, starts, [*starts, sys.maxsize][1:], strict=True):
        end = start + len(sentence.text)
        cited = [one for one in own.trace.citations if start < (one.end or 0) <= later]
        parts += [
            _gap(text[at:start]),
            {"only": not sentence.shared, "runs": _runs(comparison, own, (start, end), cited)},
        ]
        at = end
    return [part for part in [*parts, _gap(text[at:])] if part["runs"]]


def _gap(text: str) -> messages.ComparedSentence:
    return {"only": False, "runs": [{"text": text, "cites": []}] if text else []}


def _runs(
    comparison: Comparison, own: ComparisonSide, span: tuple[int, int], cited: Iterable[e.Citation]
) -> list[messages.ComparedRun]:
    """Cut a sentence after each of the citations that end in it, or in the white space behind it."""
    (at, end), text = span, own.trace.answer
    runs: list[messages.ComparedRun] = []
    for citation in sorted(cited, key=lambda one: one.end or 0):
        stop = max(at, min(citation.end or 0, end))
        runs.append({"text": text[at:stop], "cites": _cites(comparison, own, citation)})
        at = stop
    return [*runs, {"text": text[at:end], "cites": []}] if at < end else runs


def _cites(comparison: Comparison, own: ComparisonSide, citation: e.Citation) -> list[messages.ComparedCitation]:
    """Return the numbers of what a citation rests on, each once, with the row of its fact."""
    numbers = dict.fromkeys(own.numbers[iri] for iri in citation.cites if iri in own.numbers)
    side = "a" if own is comparison.a else "b"
    rows = {_verdict_of(row, side).number: at for at, row in enumerate(comparison.rows)}
    return [{"n": number, "row": rows[number], "tip": _tip(comparison.rows[rows[number]])} for number in numbers]


def _tip(row: ComparisonRow) -> str:
    return truncate(_quote(row) or row.label, _LONGEST_PASSAGE)


def _verdict_of(row: ComparisonRow, side: str) -> Judgement:
    return row.a if side == "a" else row.b


def _flagged(said: MatchedText) -> messages.Idea:
    return {"text": said.text, "only": not said.shared}


def _documents(own: Sequence[Passage], other: Sequence[Passage]) -> list[messages.ComparedDocument]:
    """Return the documents that a run used, each with the places in it; what the other did not use is marked."""
    known = {passage.document for passage in other}
    used: dict[str, list[Passage]] = {}
    for passage in own:
        used.setdefault(passage.document, []).append(passage)
    theirs = {_spot(passage) for passage in other}
    return [
        {"title": passages[0].title, "only": document not in known, "places": _places(passages, theirs)}
        for document, passages in used.items()
    ]


def _places(passages: list[Passage], theirs: set[_Spot]) -> list[messages.Place]:
    """Return pages in order, then sections as they came; the first of each kind says what they are."""
    spots = {_spot(passage): passage for passage in passages if passage.locator}
    pages = sorted((spot for spot in spots if spot[1] is not None), key=lambda spot: spot[1] or 0)
    sections = [spot for spot in spots if spot[1] is None]
    told: list[messages.Place] = []
    for noun, found in (("page", pages), ("section", sections)):
        for number, spot in enumerate(found):
            lead = (noun if len(found) == 1 else f"{noun}s") if number == 0 else ""
            words = str(spot[1]) if noun == "page" else f"“{spot[2]}”"
            told.append({"lead": lead, "text": words, "only": spot not in theirs})
    return told


def _spot(passage: Passage) -> _Spot:
    return passage.document, passage.page, None if passage.page is not None else passage.section


def _looked(comparison: Comparison, side: ComparisonSide) -> str:
    """Return how much a run kept of how much it looked at: "kept 7 of 47 looked at"."""
    letter = "a" if side is comparison.a else "b"
    kept = sum(_verdict_of(row, letter).number is not None for row in comparison.rows)
    if side.searches > 1:
        return f"kept {kept:,} in {side.searches} searches"
    return f"kept {kept:,}" if side.looked is None else f"kept {kept:,} of {side.looked:,} looked at"


def _row(comparison: Comparison, at: int) -> messages.ComparedFact:
    row = comparison.rows[at]
    return {
        "row": at,
        "kind": "EdgeSelection" if row.parts else "ChunkSelection",
        "side": row.side,
        "parts": list(row.parts) or [_quote(row)],
        "label": _quote(row) or row.label,
        "a": _verdict(row, row.a, comparison.a),
        "b": _verdict(row, row.b, comparison.b),
        "sources": [_source(passage) for passage in row.passages],
    }


def _quote(row: ComparisonRow) -> str:
    """Return the words of a whole passage; of a fact nothing, and of a passage without text its IRI."""
    if row.parts:
        return ""
    return f"“{opening(row.passages[0].text, _LONGEST_PASSAGE)}”" if row.passages else row.key


def _source(passage: Passage) -> messages.ComparedSource:
    words = f"“{truncate(passage.text, _LONGEST_QUOTE)}”"
    return {
        "document": passage.document,
        "title": passage.title,
        "where": passage.reference,
        "found": found_in(passage),
        "text": words,
    }


def _verdict(row: ComparisonRow, verdict: Judgement, side: ComparisonSide) -> messages.Verdict:
    """Return what one run made of a fact: `step` is the place of the step that kept it among those of the run."""
    kept = verdict.number is not None
    return {
        "number": verdict.number,
        "score": verdict.score if kept else None,
        "why": _why(row, verdict, side) if kept else _why_not(verdict),
        "author": _author(row, verdict, side.trace) if kept else None,
        "step": _keeper(side, verdict.number) if verdict.number is not None else None,
    }


def _why(row: ComparisonRow, verdict: Judgement, side: ComparisonSide) -> str:
    if row.noun == "passage":
        best = "best" if verdict.number == 1 else f"{ordinal(verdict.number or 0)} best"
        author = _author(row, verdict, side.trace)
        return f"{best} of {count(side.looked, 'passage')}" if side.looked else author["text"] if author else ""
    return _plainest_first(verdict.reason) if side.trace.model == NO_MODEL else verdict.reason


def _plainest_first(reason: str) -> str:
    """Turn round what the built-in reasoner says: the shared words first, then the measures."""
    measures, _, shared = reason.partition(_QUOTED)[0].rstrip(".").partition("; ")
    return f"{shared}; {measures[:1].lower()}{measures[1:]}" if shared else measures


def _why_not(verdict: Judgement) -> str:
    if verdict.score is None:
        return verdict.reason
    if verdict.lowest is None or verdict.lowest < verdict.score:
        return f"{verdict.score:.2f}, not kept"
    return beneath(verdict.score, verdict.lowest)


def _author(row: ComparisonRow, verdict: Judgement, trace: Trace) -> Author | None:
    """Return who gave the reason, or of a passage who chose it; None where that is not on record."""
    if verdict.model:
        return by_model("reasoned" if row.noun == "fact" else "chosen", verdict.model)
    return by_measure() if trace.model == NO_MODEL or (trace.model and row.noun == "passage") else None


def _authors(rows: Iterable[messages.ComparedFact]) -> list[Author]:
    """Return all who gave reasons, each once."""
    given = (verdict["author"] for row in rows for verdict in (row["a"], row["b"]))
    return list({author["text"]: author for author in given if author}.values())


def _own_steps(trace: Trace) -> list[str]:
    """Return the IRIs of the steps that are drawn: without thoughts, and without what has no place in the graph."""
    nodes = trace.dag.graph.nodes
    told = (step for step in trace.steps if not isinstance(step, e.Reflection) or isinstance(step, e.Observation))
    return [step.iri for step in told if "node" in nodes.get(step.iri, {})]


def _steps(trace: Trace) -> list[messages.ComparedStep]:
    return [_step(trace, trace.dag.node(iri)) for iri in _own_steps(trace)]


def _step(trace: Trace, node: Node) -> messages.ComparedStep:
    lines = [words for _, words in agent_lines(trace.dag, node) or []] or [*labels.lines(trace.dag, node)]
    return {"kind": "Failure" if has_failed(node) else node.kind, "name": term(lines[0]), "text": ": ".join(lines[1:])}


def _keeper(side: ComparisonSide, number: int) -> int | None:
    """Return the place of the step which a fact was kept in, or of the one that the search which kept it was for."""
    trace = side.trace
    own = {iri: at for at, iri in enumerate(_own_steps(trace))}
    selection = next((iri for iri, known in side.numbers.items() if known == number), "")
    way = trace.dag.path(selection) if selection in trace.dag.graph else []
    above = next((at for at in reversed(range(len(way))) if way[at] in own), None)
    if above is None:
        return None
    if isinstance(trace.dag.node(way[above]).entity, e.Plan | e.Decomposition) and above + 1 < len(way):
        below = nx.descendants(trace.dag.graph, way[above + 1])  # a part of it: what came of that is its own step
        return next((at for iri, at in own.items() if iri in below), own[way[above]])
    return own[way[above]]
