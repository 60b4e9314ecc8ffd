"""Answers that rest on words of which a fact was corrected by hand: each such sentence is told what is held now.

A fact that was put in other words of its own sentence was misread, and the sentence stands: it answers as before. One
that was retracted, or put in words that its sentence has not, is not what the sentence says: that does not answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from pyoxigraph import Triple

from explorer import entities as e
from explorer.events import Passage
from explorer.language.words import is_content, stem, stem_set, tokens
from explorer.reasoning.lexical_support import denial
from explorer.reasoning.protocol import AnswerPart, Cited, Kept, Piece, ScoredPassage, Sentence, Verdict
from explorer.stores.fact_sources import Correction, Sources, of_passage


def with_corrections(
    parts: Iterable[AnswerPart], kept: Sequence[Kept], sources: Sources, question: str
) -> Iterator[AnswerPart]:
    """Yield an answer, and what was corrected of what it says: after a sentence that quotes such words, and after the
    last one of a model that says them; each once.
    """
    said = set[str]()
    text, waiting = "", list[Correction]()
    for part in parts:
        found = list[Correction]()
        match part:
            case Piece():
                text += part.text
            case Cited():
                waiting += _of(replace(part, source=None), text[part.start : part.end], question, kept, sources)
            case Sentence() if part.source is not None:
                found = _of(part, part.text, question, kept, sources)
            case Verdict() if part.reason == "done":
                yield from _notes(waiting, said)
        yield part
        yield from _notes(found, said)


def withdrawn(
    cited: Iterable[e.Citation],
    of: Callable[[str], Sequence[Passage]],
    text: str,
    question: str,
    sources: Sources,
) -> dict[str, str]:
    """Return what sentences of an answer quote or say that was taken back or corrected by hand, in a sentence each, by
    their citations. `of` gives the passages of what they cite by its IRI, `text` is the answer.
    """
    found: dict[str, str] = {}
    for one in cited if sources.retracted else ():
        places = one.places
        if one.lexical_support is not None:
            places = {}  # a model's sentence says something of its source, which it does not quote
        elif not places:
            continue  # a rule put it, which neither quotes nor says what was taken back
        words = text[one.start or 0 : one.end or 0]
        for key in one.cites:
            for correction in _corrections_in(of(key)[:1], places.get(key), words, question, sources):
                if key not in places or not is_misread(correction):
                    found.setdefault(one.iri, correction.said)
    return found


def outdated(answer: str, text: str, sources: Sources) -> dict[str, str]:
    """Return by the IRI of an answer that it tells of a correction which does not stand any more; nothing of others."""
    return {answer: "undone"} if sources.is_outdated(text) else {}


def is_misread(correction: Correction) -> bool:
    """Return whether a fact was put in other words that its sentence has: the sentence was right, the fact was not."""
    said = [" ".join(terms) for terms in correction.instead]
    new = stem_set(" ".join(said)) - stem_set(correction.fact)
    return bool(said) and new <= stem_set(correction.words) and not any(denial(one, correction.words) for one in said)


def put_down(fact: Triple, terms: tuple[str, str, str], passages: Iterable[Passage], sources: Sources) -> str:
    """Return that a person has put down a fact, in words; nothing of one that its sentence says, and that was read
    from it in place of one that was misread.
    """
    said = sources.added.get(fact, "")
    held = (one for passage in passages for one in of_passage(sources, passage)) if said else ()
    return "" if any(terms in one.instead and is_misread(one) for one in held) else said


def _of(said: Sentence | Cited, text: str, question: str, kept: Sequence[Kept], sources: Sources) -> list[Correction]:
    """Return what was corrected of what a sentence quotes, or says, of what it cites."""
    items = [kept[number] for number in said.cites[: 1 if said.source else None]]
    read = ([one.passage] if isinstance(one, ScoredPassage) else one.edge.passages[:1] for one in items)
    return [one for passages in read for one in _corrections_in(passages, said.source, text, question, sources)]


def _corrections_in(
    passages: Iterable[Passage], span: tuple[int, int] | None, text: str, question: str, sources: Sources
) -> Iterator[Correction]:
    """Yield what was corrected of the words of a chunk that are quoted, or, where none are, of what a text says."""
    for passage in passages:
        if span is None:
            yield from restated(text, question, of_passage(sources, passage))
        else:
            held = sources.corrections.get(passage.chunk, ())
            yield from (one for one in held if one.start < span[1] and span[0] < one.end)


def passages_of(key: str, cited: e.Entity | None, sources: Sources, at: str | None = None) -> Sequence[Passage]:
    """Return the passages of what is cited, now or `at` a time: a fact, or a passage, which some runs cite itself."""
    match cited:
        case e.EdgeSelection(edge=edge) if edge is not None:
            return sources.passages_at(edge, at)
        case e.ChunkSelection(document=str() as chunk):
            return sources.chunk(chunk)
        case _:
            return sources.chunk(key)


def _notes(corrections: Iterable[Correction], said: set[str]) -> Iterator[Sentence]:
    for one in corrections:
        if one.said not in said:
            said.add(one.said)
            yield Sentence(f"({one.said})")


def restated(sentence: str, question: str, corrections: Iterable[Correction]) -> list[Correction]:
    """Return the corrections whose fact a sentence says: it names both ends, but for what the question has of them.

    How they are joined is not compared, since a model may put it in any words.
    """
    said, asked = _stems(sentence), _stems(question)
    found = []
    for one in corrections:
        ends = [_stems(end) for end in one.ends]
        named = frozenset[str]().union(*ends)
        if all(ends) and named & said and named <= said | asked:
            found.append(one)
    return found


def _stems(text: str) -> frozenset[str]:
    words = tokens(text)
    return frozenset(stem(word) for word in words if is_content(word)) or frozenset(map(stem, words))
