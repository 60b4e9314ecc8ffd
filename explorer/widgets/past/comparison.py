"""Two runs side by side as the page shows them: plain data, the words already chosen, what is only on one side marked.

Facts stand in groups: what only A kept, what only B kept, what both did. An answer has a number for each passage that
it cites, as where it was asked; each names the row of what was cited of it first by `row`, its place among all rows.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Literal

import networkx as nx

from explorer import entities as e
from explorer.dag.outcome import since
from explorer.dag.passage_names import named_from
from explorer.dag.sentences import numbers as answer_numbers
from explorer.drawing.looks import look
from explorer.models.chat import NO_LANGUAGE_MODEL, NO_MODEL
from explorer.rdf.labels import edge_labels
from explorer.record.compare import IDENTICAL
from explorer.stores.passage_order import is_same_source
from explorer.text import count, hyphened, in_quotes, one_line, opening, or_empty, truncate, without_bars
from explorer.view.stored_run import titled
from explorer.vocab import local_name
from explorer.widgets.what_if.left_out import goes_with
from explorer.wording.agent import has_failed
from explorer.wording.answer import answer_author
from explorer.wording.authors import by_measure, by_model
from explorer.wording.endings import ending
from explorer.wording.graph_words import label, lines
from explorer.wording.kept import LIMIT
from explorer.wording.node_words import words
from explorer.wording.outcomes import level, scope, word
from explorer.wording.phrases import beneath, found_in, listed, ordinal
from explorer.wording.question import left_out
from explorer.wording.spent import lasted, tokens_in_all
from explorer.wording.tally import tally

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from pyoxigraph import Triple

    from explorer.dag import ProvenanceDag
    from explorer.dag.nodes import Node
    from explorer.events import Passage
    from explorer.record.compare import Comparison, ComparisonRow, ComparisonSide, Judgement
    from explorer.record.trace import Trace
    from explorer.view.messages import comparison as messages
    from explorer.view.messages.badge import Badge

_Spot = tuple[str, int | None, str | None]  # document, page, and section where there is no page
_GROUPS: dict[messages.Side, str] = {"A": "Only in A", "B": "Only in B", "both": "In both runs"}
_LONGEST_QUOTE = 400
_LONGEST_RESULT = 1_000  # characters of what came back, which has the half of the page
_LONGEST_PASSAGE = 160
_LONGEST_ASKED = 40  # characters of a question in the name of a file


def message(
    comparison: Comparison, written: Mapping[str, e.Note], found: Mapping[str, Badge | None] | None = None
) -> messages.Comparison:
    """Return all that the page shows of a comparison.

    By the IRIs of runs, `written` is what people wrote at them, and `found` what reviewers found of them.
    """
    a, b = comparison.a, comparison.b
    cited = _cited(a), _cited(b)
    rows = [_row(comparison, at, cited) for at in range(len(comparison.rows))]
    asked = [side.trace.dag.entities.get(side.trace.iri) for side in (a, b)]
    searched = {"passage" if isinstance(one, e.DocRagQuestion) else "fact" for one in asked}
    nouns = sorted({row.noun for row in comparison.rows} or searched)
    plural = listed([f"{noun}s" for noun in nouns])
    authors = [verdict["author"] for row in rows for verdict in (row["a"], row["b"])]
    return {
        "t": "compare",
        "file": _file(a, b),
        "heading": f"{plural.capitalize()} kept",
        "column": " or ".join(nouns).capitalize(),
        "summary": f"{_summary(comparison)}{_witness(comparison, rows)}",
        "identical": comparison.is_identical,
        "question": a.trace.question if comparison.same_question else None,
        "a": _side(comparison, "A", written, found or {}),
        "b": _side(comparison, "B", written, found or {}),
        "looked": f"A {tally(a.trace.dag)}{_filled(a, rows, 'a')} · B {tally(b.trace.dag)}{_filled(b, rows, 'b')}",
        "authors": list({author["text"]: author for author in authors if author}.values()),
        "groups": [
            {"side": side, "title": f"{name}: {comparison.counted(side)}", "rows": own}
            for side, name in _GROUPS.items()
            if (own := [row for row in rows if row["side"] == side])
        ],
    }


def _summary(comparison: Comparison) -> str:
    if comparison.is_identical:
        return IDENTICAL
    asked = "Same question" if comparison.same_question else "Different questions"
    said = [part for part in comparison.a.answer if part.shared]
    common = [
        f"{_many(len(said), 'sentence')} in common" if comparison.a.answer and comparison.b.answer else "",
        _alike(comparison) if comparison.rows else "nothing kept",
    ]
    return f"{asked}: {', '.join(filter(None, common))}"


def _alike(comparison: Comparison) -> str:
    """Return how much both runs kept: "the same 6 facts kept", or "6 facts of A match 2 passages of B"."""
    kept = comparison.of("both")
    if not kept:
        return "no fact or passage in common"
    if all(row.kept == "both" for row in kept):
        return f"the same {_called(kept)} kept" if len(kept) > 1 else f"the same {kept[0].noun} kept"
    of_a, of_b = (_called([row for row in kept if row.kept in (side, "both")]) for side in "AB")
    number, _, noun = of_b.partition(" ")
    return f"{of_a} of A match {number if of_a.endswith(f' {noun}') else of_b} of B"


def _called(rows: Sequence[ComparisonRow]) -> str:
    nouns = {row.noun for row in rows}
    return count(len(rows), nouns.pop()) if len(nouns) == 1 else f"{len(rows):,} facts and passages"


def _many(number: int, noun: str) -> str:
    return count(number, noun) if number else f"no {noun}"


def _witness(comparison: Comparison, rows: Sequence[messages.ComparedFact]) -> str:
    """Say that an agent's answer and another one cite the same, so that neither bears out the other; else nothing."""
    asked = [side.trace.dag.entities.get(side.trace.iri) for side in (comparison.a, comparison.b)]
    if sum(isinstance(one, e.AgentQuestion) for one in asked) != 1:
        return ""
    by_a, by_b = ({row["row"] for row in rows if row[side]["cited"] is not None} for side in ("a", "b"))
    return ". Both answers cite the same sources: neither confirms the other" if by_a and by_a == by_b else ""


def _file(a: ComparisonSide, b: ComparisonSide) -> str:
    ways = [", ".join(filter(None, (one.trace.method, one.trace.model))) for one in (a, b)]
    if ways[0] == ways[1]:
        ways = [titled(one.trace)["when"][:19] for one in (a, b)]
    return hyphened(f"{truncate(a.trace.question, _LONGEST_ASKED)} {ways[0]} vs {ways[1]}")


def _filled(side: ComparisonSide, rows: Sequence[messages.ComparedFact], letter: Literal["a", "b"]) -> str:
    """Return what a run was told to leave out, how much of the other it did not keep, and how much else it did.

    Empty for a run that was told nothing.
    """
    asked = side.trace.dag.entities.get(side.trace.iri)
    if not isinstance(asked, e.Question) or not (asked.without or asked.without_facts):
        return ""
    new = sum(row["side"] == letter.upper() for row in rows)
    gone = sum(row["side"] not in (letter.upper(), "both") for row in rows)
    told = [f"{number:,} {word}" for number, word in ((gone, "gone"), (new, "new")) if number]
    return "".join(f", {one}" for one in (f"{left_out(asked)} left out by you", *told))


def _side(
    comparison: Comparison, name: Literal["A", "B"], written: Mapping[str, e.Note], found: Mapping[str, Badge | None]
) -> messages.ComparedSide:
    is_first = name == "A"
    own, other = (comparison.a, comparison.b) if is_first else (comparison.b, comparison.a)
    judgements = [row.a if is_first else row.b for row in comparison.rows]
    trace, how = own.trace, own.trace.method
    if trace.model:
        how = f"{how}, {NO_LANGUAGE_MODEL}" if trace.model == NO_MODEL else f"{how} with {trace.model}"
    how = ", ".join(filter(None, (how, scope(trace.dag))))
    used = tokens_in_all(trace.usage)
    took, read = lasted(trace.duration_ms), "" if used is None else count(used, "token")
    spent = [*filter(None, (took and f"{took} for the whole run", read, str(trace.cost or "")))]
    error = trace.dag.done.error if trace.dag.done and trace.reason == "error" else None
    nodes = [trace.dag.node(iri) for iri in _own_steps(trace)]
    places = {one.number: at for at, one in enumerate(judgements) if one.number is not None}
    cites: dict[int, messages.ComparedCitation] = {}
    for iri, number in answer_numbers(trace.dag).items():
        if iri in own.numbers:
            at = places[own.numbers[iri]]
            tip = truncate(_label(comparison.rows[at], comparison), _LONGEST_PASSAGE)
            cites.setdefault(number, {"n": number, "row": at, "tip": tip})
    return {
        "iri": trace.iri,
        "name": (written[trace.iri].title if trace.iri in written else None) or "",
        "title": how,
        "question": or_empty(trace.question),
        "when": titled(trace)["when"],
        "spent": spent,
        "ended": ending(trace.reason).word,
        "answer": _answer(own, cites),
        "none": None if trace.answer else " ".join(filter(None, (ending(trace.reason).none, error))),
        "says": word(trace.outcome, since(trace.dag, trace.dag.final) if trace.dag.final else ""),
        "level": level(trace.outcome),
        "reviewed": found.get(trace.iri),
        "author": answer_author(trace.dag) if trace.answer else None,
        "left": _left_out(trace, other.trace),
        "ideas": [{"text": idea.text, "only": not idea.shared} for idea in own.ideas],
        "sources": _documents(_kept(trace), _kept(other.trace)),
        "steps": [
            {
                "kind": "Failure" if has_failed(node) else node.kind,
                "name": lines(trace.dag, node)[0],
                "text": ": ".join(_held(trace.dag, node)),
            }
            for node in nodes
        ],
    }


def _held(dag: ProvenanceDag, node: Node) -> Sequence[str]:
    """Return what a step holds, in lines: of an agent's what it called, or what came back."""
    if look(node.kind).column == "came" and (said := words(dag, node.iri, _LONGEST_RESULT)) and not has_failed(node):
        return [said]
    if look(node.kind).column in ("did", "came"):
        return [words for _, words in label(dag, node)[1:]]
    return lines(dag, node)[1:]


def _left_out(trace: Trace, other: Trace) -> list[str]:
    asked = trace.dag.entities.get(trace.iri)
    if not isinstance(asked, e.Question):
        return []
    names = {**other.labels, **trace.labels}
    facts = [
        _with_it("{} — {} → {}".format(*edge_labels(fact, names)), fact, other.dag, asked.without_facts)
        for fact in asked.without_facts
    ]
    known: dict[str, str] = {}
    for passage in (*trace.sources(), *other.sources()):
        words = (
            f"{passage.reference}: “{truncate(one_line(without_bars(passage.text, passage.before)), _LONGEST_PASSAGE)}”"
        )
        known |= {passage.document: passage.title, passage.chunk: words, passage.subgraph: words}
    return [*facts, *(known.get(iri) or names.get(iri) or local_name(iri) for iri in asked.without)]


def _with_it(words: str, fact: Triple, dag: ProvenanceDag, named: Collection[Triple]) -> str:
    """Return a fact that was left out, with those of the other run that went with it and are not named themselves."""
    selections = ((node, node.entity) for node in dag.nodes("EdgeSelection"))
    found = (node for node, one in selections if isinstance(one, e.EdgeSelection) and one.edge == fact)
    went = [one.text for one in goes_with(dag, next(found, None)) if one.fact not in named]
    return f"{words}; and with it, from the same sentence: {'; '.join(went)}" if went else words


def _answer(own: ComparisonSide, cites: Mapping[int, messages.ComparedCitation]) -> list[messages.ComparedSentence]:
    """Cut the answer into sentences, and these after each citation that ends in them; joined they are the whole text.

    A citation that ends in the white space behind a sentence belongs to it.
    """
    text, at = own.trace.answer, 0
    given = answer_numbers(own.trace.dag)
    starts = [sentence.start or 0 for sentence in own.answer]
    parts: list[messages.ComparedSentence] = []
    for sentence, start, later in zip(own.answer, starts, [*starts, sys.maxsize][1:], strict=True):
        end = start + len(sentence.text)
        parts.append({"only": False, "runs": [{"text": text[at:start], "cites": []}]})
        at = start
        runs: list[messages.ComparedRun] = []
        for citation in sorted(own.trace.citations, key=lambda one: one.end or 0):
            if start < (citation.end or 0) <= later:
                stop = max(at, min(citation.end or 0, end))
                numbers = dict.fromkeys(given[iri] for iri in citation.cites if iri in given)
                runs.append({"text": text[at:stop], "cites": [cites[number] for number in numbers if number in cites]})
                at = stop
        parts.append({"only": not sentence.shared, "runs": [*runs, {"text": text[at:end], "cites": []}]})
        at = end
    parts.append({"only": False, "runs": [{"text": text[at:], "cites": []}]})
    for part in parts:
        part["runs"] = [run for run in part["runs"] if run["text"] or run["cites"]]
    return [part for part in parts if part["runs"]]


def _kept(trace: Trace) -> list[Passage]:
    return [passage for one in (*trace.edges, *trace.chunks) for passage in trace.passages.get(one.iri, ())]


def _documents(own: Sequence[Passage], other: Sequence[Passage]) -> list[messages.ComparedDocument]:
    known, theirs = {passage.document for passage in other}, {_spot(passage) for passage in other}
    used: dict[str, list[Passage]] = {}
    for passage in own:
        used.setdefault(passage.document, []).append(passage)
    return [
        {"title": passages[0].title, "only": document not in known, "places": _places(passages, theirs)}
        for document, passages in used.items()
    ]


def _places(passages: list[Passage], theirs: set[_Spot]) -> list[messages.Place]:
    spots = dict.fromkeys(_spot(passage) for passage in passages if passage.locator)
    pages = sorted((spot for spot in spots if spot[1] is not None), key=lambda spot: spot[1] or 0)
    sections = [spot for spot in spots if spot[1] is None]
    return [
        {"lead": "" if at else noun if len(found) == 1 else f"{noun}s", "text": words.format(*spot),
         "only": spot not in theirs}
        for noun, words, found in (("page", "{1}", pages), ("section", "“{2}”", sections))
        for at, spot in enumerate(found)
    ]  # fmt: skip


def _spot(passage: Passage) -> _Spot:
    return passage.document, passage.page, None if passage.page is not None else passage.section


def _row(comparison: Comparison, at: int, cited: tuple[Mapping[int, int], Mapping[int, int]]) -> messages.ComparedFact:
    row = comparison.rows[at]
    return {
        "row": at,
        "kind": "EdgeSelection" if row.parts else "ChunkSelection",
        "side": row.side,
        "kept": row.kept,
        "parts": list(row.parts) or [_label(row, comparison)],
        "label": _label(row, comparison),
        "a": _verdict(row, row.a, comparison.a, cited[0]),
        "b": _verdict(row, row.b, comparison.b, cited[1]),
        "sources": [
            {
                "document": passage.document,
                "title": passage.title,
                "side": _holder(comparison, row, passage),
                "where": passage.reference,
                "found": found_in(passage),
                "text": f"“{truncate(without_bars(passage.text, passage.before), _LONGEST_QUOTE)}”",
            }
            for passage in row.passages
        ],
    }


def _holder(comparison: Comparison, row: ComparisonRow, passage: Passage) -> messages.Side:
    own, theirs = (
        any(
            is_same_source(one, passage)
            for iri, number in side.numbers.items()
            if number == verdict.number
            for one in side.trace.passages.get(iri, ())
        )
        for side, verdict in ((comparison.a, row.a), (comparison.b, row.b))
    )
    return "both" if own and theirs else "A" if own else "B"


def _label(row: ComparisonRow, comparison: Comparison) -> str:
    """Return a fact as a person reads it, of a passage its one name for both runs, of one without text its IRI."""
    if row.parts:
        return row.label
    if not row.passages:
        return row.key
    words = named_from(row.passages[0], comparison.a.trace.dag, comparison.b.trace.dag)
    if not words.strip():
        return f"a passage {found_in(row.passages[0])}, whose words are not on record here"
    return in_quotes(opening(words, _LONGEST_PASSAGE))


def _verdict(
    row: ComparisonRow, verdict: Judgement, side: ComparisonSide, cited: Mapping[int, int]
) -> messages.Verdict:
    """Return what one run made of a fact: `step` is the place of the step that kept it among those of the run.

    The author is who gave the reason, or of a passage who chose it; None where that is not on record.
    """
    number, score, why, author = verdict.number, verdict.score, verdict.reason, None
    if number is None:
        if verdict.within is None and score is not None:
            told = verdict.why_not if verdict.why_not != LIMIT else "but enough others were kept"
            low, why = verdict.lowest, f"{score:.2f}, {told or 'not kept'}"
            why = why if low is None or low < score else beneath(score, low)
        step = None if verdict.within is None else _keeper(side, verdict.within)
        return {"number": None, "within": verdict.within, "cited": cited.get(verdict.within or 0), "score": None,
                "why": why, "author": None, "step": step}  # fmt: skip
    model, of_passage = side.trace.model, row.noun == "passage"
    if verdict.model:
        author = by_model("chosen" if of_passage else "reasoned", verdict.model)
    elif model == NO_MODEL or (model and of_passage):
        author = by_measure()
    if of_passage and side.looked and side.noun == "passage":
        why = f"{'best' if number == 1 else f'{ordinal(number)} best'} of {count(side.looked, 'passage')}"
    elif of_passage and model != NO_MODEL:
        why = author["text"] if author else ""
    step = _keeper(side, number)
    return {"number": number, "within": None, "cited": cited.get(number), "score": score, "why": why,
            "author": author, "step": step}  # fmt: skip


def _cited(side: ComparisonSide) -> dict[int, int]:
    given = answer_numbers(side.trace.dag).items()
    return {side.numbers[iri]: number for iri, number in reversed([*given]) if iri in side.numbers}


def _own_steps(trace: Trace) -> list[str]:
    """Return the IRIs of the steps that are drawn: without thoughts, and without what has no place in the graph."""
    nodes = trace.dag.graph.nodes
    told = (step for step in trace.steps if not isinstance(step, e.Reflection) or isinstance(step, e.Observation))
    return [step.iri for step in told if "node" in nodes.get(step.iri, {})]


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
