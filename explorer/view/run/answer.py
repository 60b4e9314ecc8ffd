"""The answer as its panel shows it: text in runs with numbered citations, its author, and what can be said of it."""

from __future__ import annotations

from collections import deque
from itertools import chain
from typing import TYPE_CHECKING

from explorer import entities as e
from explorer.dag.outcome import is_declined, is_removed, outcome_at, since, support_of, taken_back
from explorer.dag.sentences import TELLS, citations, is_quoted, quoted, sentences
from explorer.dag.sentences import numbers as citation_numbers
from explorer.events import CHANGED, NOT_FOUND, UNSURE
from explorer.text import count, truncate, without_bars
from explorer.wording.agent import chosen_by
from explorer.wording.answer import answer_author
from explorer.wording.graph_words import lines
from explorer.wording.outcomes import WORDS, level, line, mark, means, scope, word
from explorer.wording.question import NOTHING, left_out, left_out_items
from explorer.wording.ways import engine_of, method

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from explorer.dag import ProvenanceDag
    from explorer.dag.nodes import Node
    from explorer.view.messages.badge import Badge
    from explorer.view.messages.run import AnswerRun, AnswerState, Citation, Quote
    from explorer.wording.names import Names

_LONGEST_QUOTE = 400
_LONGEST_LEFT = 80  # letters of what was left out
_COUNTED = "This program counted it by comparing the words; nobody judged whether they answer the question."
_JUDGED = "Rules of this program judged it, not a person and not a language model"


def answer(names: Names, *, running: bool) -> AnswerState:
    """Return the answer as far as it is there; its citations once it is on record."""
    dag = names.dag
    asked = next((root.entity for root in dag.roots if isinstance(root.entity, e.Question)), None)
    chosen = (node.entity for node in dag.nodes("PatternDecision"))
    decided = next((one for one in chosen if isinstance(one, e.PatternDecision)), None)
    how, limited = _how(names, asked, decided)
    shown: AnswerState = {
        "question": (asked and asked.query) or "",
        "how": how,
        "limited": limited,
        "notes": [
            *([] if decided is None else [f"Strategy{chosen_by(decided)}"]),
            *([] if asked is None else (f"Without: {item['text']}" for item in left_out_items(names, asked))),
        ],
        "text": dag.answer,
        "live": bool(dag.answer) and dag.final is None and running,
        "author": answer_author(dag),
    }
    if dag.final is None:
        return {**shown, "runs": None, "outcome": "", "badges": [], "corrected": False}
    cites = citations(dag, dag.final.iri)
    declined = is_declined(dag, dag.final)
    told = sentences(dag, dag.final.entity) if isinstance(dag.final.entity, e.Answer) else []
    silent = [one for one in cites if one.outcome == NOT_FOUND]  # that a part was not found needs no source
    said = [one for one in cites if one not in silent]
    sourced = None if declined else _sourced(names, said, len(told) - len(silent))
    return {
        **shown,
        "runs": _runs(names, cites),
        "outcome": line(dag),
        "badges": [badge for badge in (_changed(names), sourced, _came_out(dag, dag.final)) if badge],
        "corrected": bool(TELLS.search(dag.answer) or any(dag.curated.get(iri) for iri in _rests(dag.final, cites))),
    }


def _rests(final: Node, cites: Iterable[e.Citation]) -> Iterator[str]:
    """Yield the answer, its citations, and what those cite, by their IRIs."""
    yield final.iri
    for one in cites:
        yield from (one.iri, *one.cites)


def _how(names: Names, asked: e.Question | None, decided: e.PatternDecision | None) -> tuple[str, str]:
    """Return by which method an answer was made; and what was left out for it, and where alone was searched."""
    if asked is None:
        return "", ""
    known = (names.sentence(one) for one in asked.without_facts)
    first = next(chain(known, (name for one in asked.without if (name := names.dag.labels.get(one)))), "")
    others = len(asked.without_facts) + len(asked.without) - 1
    left = (
        f"“{truncate(first, _LONGEST_LEFT)}”{f' and {others:,} more' if others else ''}" if first else left_out(asked)
    )
    without = "" if left == NOTHING else f"without {left}"
    limited = ", ".join(filter(None, (without, scope(names.dag))))
    return method(engine_of(asked), decided.pattern if decided else None), limited


def _runs(names: Names, cites: list[e.Citation]) -> list[AnswerRun]:
    """Cut the answer at its citations; a run is some text and what it rests on."""
    dag, at = names.dag, 0
    text = dag.answer
    runs: list[AnswerRun] = []
    numbers = citation_numbers(dag)
    final = dag.final.entity if dag.final else None
    told = [one for one in sentences(dag, final) if names.drawn(one.iri)] if isinstance(final, e.Answer) else []
    drawn = {node.entity.iri: node.iri for node in told if isinstance(node.entity, e.Citation)}
    remarks = deque(node for node in told if not isinstance(node.entity, e.Citation))
    for citation in cites:
        start, end = max(at, citation.start or 0), max(at, citation.end or 0)
        shown = _cited(names, citation, numbers)
        marked: AnswerRun = {"text": text[start:end], "cites": shown}
        if (sentence := drawn.get(citation.iri, shown[0]["of"][0] if shown else None)) is not None:
            marked["node"] = sentence
        if said := taken_back(dag, citation):
            marked["mark"] = {"level": "corrected", "text": said}
        elif is_removed(dag, citation):
            marked["mark"] = {"level": "removed", "text": "Its source was removed since."}
        elif rests := mark(dag, citation):
            marked["mark"] = {"level": rests[0], "text": rests[1]}
        runs += [*_remark(text[at:start], remarks), marked]
        at = end
    runs += _remark(text[at:], remarks)
    return [run for run in runs if run["text"]]


def _remark(text: str, remarks: deque[Node]) -> list[AnswerRun]:
    """Return what stands between citations; where it is the next sentence that cites nothing, it stands for that."""
    words = text.strip()
    if not remarks or remarks[0].text != " ".join(words.split()):
        return [{"text": text, "cites": []}]
    before, _, after = text.partition(words)
    said: AnswerRun = {"text": words, "cites": [], "node": remarks.popleft().iri}
    return [{"text": before, "cites": []}, said, {"text": after, "cites": []}]


def _cited(names: Names, citation: e.Citation, numbers: dict[str, int]) -> list[Citation]:
    """Return a number for each passage that a sentence rests on; it leads to what was cited of the passage first."""
    firsts: dict[int, str] = {}
    for iri, number in numbers.items():
        firsts.setdefault(number, iri)
    found: dict[int, Citation] = {}
    for iri in citation.cites:
        if iri not in numbers:
            continue
        number = numbers[iri]
        if number in found:
            found[number]["of"].append(iri)
            continue
        node = names.dag.node(firsts[number])
        noun = {"EdgeSelection": "fact", "ChunkSelection": "passage", "Passage": "passage"}.get(node.kind, "")
        tip = f"{noun} {' '.join(lines(names.dag, node))}".strip()
        found[number] = {"n": number, "node": node.iri, "tip": tip, "of": [iri], "quote": _quote(names, node, citation)}
    return list(found.values())


def _quote(names: Names, node: Node, citation: e.Citation) -> Quote | None:
    """Return the words that a citation leads to, of a whole chunk those that it quotes, and where they stand."""
    if not node.passages:
        return None
    passage = node.passages[0]
    cited = [one for one in quoted(names.dag, citation, passage) if one.text.strip()] or [passage]
    text = " … ".join(without_bars(one.text, one.before) for one in cited)
    return {"text": truncate(text, _LONGEST_QUOTE), "where": passage.reference}


def _sourced(names: Names, cites: list[e.Citation], told: int) -> Badge | None:
    """Return how many of the sentences are quoted exactly or have a source, where not all have one.

    It says nothing of whether they answer.
    """
    cited = [one for one in cites if one.cites and (one.checked or one.lexical_support) not in ("none", "not")]
    if not cites or names.dag.final is None:
        return None
    removed = sum(is_removed(names.dag, citation) for citation in cited)
    if len(cited) == told and not removed:
        return None
    if not cited:
        nothing = f"No sentence names a source that has its words. {_COUNTED}"
        return {"text": "no sentence has a source", "level": "", "node": names.dag.final.iri, "tip": nothing}
    exact = sum(is_quoted(names.dag, names.dag.final.iri, citation) for citation in cited)
    of = f"of {count(told, 'sentence')}"
    counted = f"{len(cited)} {of} {'has' if told == 1 else 'have'} a source"
    text = f"{exact} {of} quoted exactly" if exact else counted
    tip = f"{counted}; {exact} of them {'stands' if exact == 1 else 'stand'} there word for word."
    tip += f" {_COUNTED}"
    if removed:
        gone = f"{removed} {'' if exact else f'{of} '}from a removed source"
        text = f"{exact} {of} quoted exactly, {gone}" if exact else gone
        tip += f" Of {removed:,} the source was removed since, so that it can't be compared."
    return {"text": text, "level": "", "node": names.dag.final.iri, "tip": tip}


def _changed(names: Names) -> Badge | None:
    """Return that the answer is not the one that was recorded any more; None where it is."""
    final = names.dag.final
    if final is None or not names.dag.is_changed(final.iri):
        return None
    tip = "This text does not have the hash that is on record. `explorer verify` tells more."
    return {"text": CHANGED, "level": "none", "node": final.iri, "tip": tip}


def _came_out(dag: ProvenanceDag, final: Node) -> Badge | None:
    """Return how the answer came out, as one word; None where that is not on record."""
    found = outcome_at(dag, final)
    if found not in WORDS:
        return None
    became = since(dag, final)
    meaning = means(dag, final, found, became)
    support = support_of(final.entity)
    by = f"{meaning[:1].upper()}{meaning[1:]}."
    if support is not None:
        by = f"{_JUDGED}: {meaning}. Support {support.value:.2f} of 1: click for it."
    badge: Badge = {"text": word(found, became), "level": level(found), "node": final.iri, "tip": by}
    if found == UNSURE:
        badge["beside"] = f"{meaning[:1].upper()}{meaning[1:]}."
    return badge
