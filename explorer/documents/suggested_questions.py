"""Questions to begin with: made from the sentences that facts were taken from, and tried before they are offered."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, TypeVar

from pyoxigraph import NamedNode

from explorer.documents.found_facts import Fact, facts_of_chunks
from explorer.language.dates import dates
from explorer.language.named_entities import named_entities
from explorer.language.pipeline import parsed
from explorer.language.questions import PERSON, TIME, kind_of
from explorer.language.sentences import is_row
from explorer.stores.document_names import documents
from explorer.text import one_line
from explorer.vocab import is_blank

if TYPE_CHECKING:
    from explorer.record.trace import Trace
    from explorer.stores.collection import Collection

T = TypeVar("T")

_FACTS = 120  # of a document are turned into questions
_SINGULAR = re.compile(r"(?!(?:were|are|have|do|did|had)\b)[a-z][^()]*")  # predicates that go with "who" and "what"
_ARTICLE = 4  # code points of "The " before the subject that a sentence begins with
_FINITE = frozenset("is was has can could may must should will would".split())
_VAGUE = re.compile(  # what only the document tells which is meant, is said of one of many, or defines another
    r"\b(?:its?|their|this|that|these|those|such|same|others?|another|following|above|below|any|some|many|each)\b|"
    r"\b(?:is|was) an? ",
    re.IGNORECASE,
)
_FEWEST_WORDS = 5  # of a question for what did something
_WORDS_ONLY = re.compile(r"(?:(?=[a-z]*[aeiouy])[a-z]+ ?)+", re.IGNORECASE)  # each of which can be spoken
_UNIT = re.compile(r"\s*\([^()]*\)$")  # "Memory (GB)"
_NO_NOUNS = frozenset("outside inside above below since until from to by for at in on with when where".split())
_TRIES = 18  # questions that are asked, so that it takes two or three seconds at most
_LEAD = 200  # code points of a heading or of other cells before what a question asks for
_CELLS = 60  # facts of a document's tables, or passages of a store, that are turned into questions
_LONGEST_HEAD = 3  # words
_EACH = 3  # statements with one noun that are turned into a question, until one can be
_DOCUMENTS = 6  # are looked at where none is named

Try = Callable[[str, str | None], "Trace"]
"""Answers a question from one document, given by its IRI, or from all, without recording it."""
Asked = tuple[str, str]
"""A question, and the words that answer it."""


def suggested(
    stores: Collection, answer: Try, document: str | None, limit: int, without: Iterable[str] = ()
) -> list[str]:
    """Return questions about a document, or about several, whose strong answer begins with what they ask for.

    Those with a sure answer come first, then questions with different words, and of several documents one of each in
    turn. About several they are tried with all documents. Those `without` which to do are left out.
    """
    left_out = {one_line(one).casefold() for one in without}
    named = [document] if document else [one.iri for one in documents(stores.database)][-_DOCUMENTS:]
    sure, strong = list[str](), list[str]()
    tries, quoted = 0, set[str]()
    for iri, question, words in _in_turn([[(iri, *one) for one in _offered(stores, iri)] for iri in named]):
        if len(sure) == limit or tries == _TRIES:
            break
        if words in quoted or question.casefold() in left_out:
            continue
        tries += 1
        trace = answer(question, iri if document else None)
        support, said = trace.support, one_line(trace.answer or "")
        if support is not None and support.level == "strong" and words in said[: len(words) + _LEAD]:
            (sure if support.sure else strong).append(question)
            quoted.add(words)
    return [*sure, *strong][:limit]


def _offered(stores: Collection, iri: str) -> list[Asked]:
    """Return a document's questions: of its sentences for whom and for what in turn, then of its tables."""
    if iri in stores.sources.attached:  # its lines are statements, and no English
        return [*_of_statements(stores, iri)]
    made = [*_of_facts(stores, iri)]
    people = [one for one in made if one[0].startswith("Who")]
    return [*_in_turn([people, [one for one in made if one not in people]]), *_of_rows(stores, iri)]


def _of_facts(stores: Collection, iri: str) -> Iterator[Asked]:
    """Yield questions for who or what did something, with the sentence that says so: "Who led the repair?"."""
    facts = [Fact(triple, stores) for triple in facts_of_chunks(stores, stores.library.chunks_of(iri))]
    some = [
        (one.words, one_line(one.passages[0].text)) for one in facts[:: max(1, len(facts) // _FACTS)] if one.passages
    ]
    for ((subject, said, value), text), found in zip(some, named_entities(text for _, text in some), strict=True):
        rest = rf"{re.escape(said)} (?:(?:the|an?) )?{re.escape(value)}\b(?! (?:that|which|who|of)\b)"
        told = re.search(rf"\b{re.escape(subject)} (?P<rest>{rest})", text, re.IGNORECASE)
        if told is None or is_row(text) or not _SINGULAR.fullmatch(said) or _VAGUE.search(told[0]):
            continue
        if told.start() <= _ARTICLE or said.split()[0] in _FINITE:  # else it may be said in passing, of one of many
            is_person = any(one.kind == "person" and one.text == subject for one in found)
            question = f"{'Who' if is_person else 'What'} {told['rest']}?"
            if len(question.split()) >= _FEWEST_WORDS:
                yield question, text


def _of_statements(stores: Collection, iri: str) -> Iterator[Asked]:
    """Yield questions for what an attached store says by a noun, such as its mayor, with the statement that answers
    each: one of each noun.
    """
    chunks = stores.library.chunks_of(iri)
    some = chunks[:: max(1, len(chunks) // _CELLS)][:_CELLS]
    tried, asked = Counter[str](), set[str]()
    for fact in (Fact(triple, stores) for triple in facts_of_chunks(stores, some)):
        subject, said, value = fact.words
        node, is_new = fact.triple.subject, tried[said] < _EACH and said not in asked
        if not is_new or not _WORDS_ONLY.fullmatch(said) or not isinstance(node, NamedNode) or is_blank(node.value):
            continue
        tried[said] += 1
        if fact.passages and (question := _of_cell(subject, said, value)):
            asked.add(said)
            yield question, one_line(fact.passages[0].text)


def _of_rows(stores: Collection, iri: str) -> Iterator[Asked]:
    """Yield a question for a cell of each row, with its value; none of rows that begin with the same as another."""
    rows: dict[str, dict[int, list[Asked]]] = {}
    for triple in islice(facts_of_chunks(stores, stores.library.chunks_of(iri)), _CELLS):
        fact = Fact(triple, stores)
        subject, *cell = fact.words
        for place in (one for one in fact.passages if is_row(one.text)):
            rows.setdefault(subject, {}).setdefault(place.start, []).append((cell[0], cell[1]))
    for at, (subject, places) in enumerate(rows.items()):
        cells, *others = places.values()
        made = [(question, value) for head, value in cells if (question := _of_cell(subject, head, value))]
        if made and not others:
            yield made[at % len(made)]


def _of_cell(subject: str, head: str, value: str) -> str | None:
    """Return the question that a cell answers; none below a head that is no noun, or holds yes, no or a date."""
    noun, when = _noun(head), dates(subject)
    if not noun or value.lower() in {"yes", "no"} or kind_of(noun) == TIME:
        return None
    if when:
        return f"What was the {noun} {when[0].words}?" if any(map(str.isdigit, value)) else None
    if kind_of(noun) == PERSON:
        return f"Who is the {noun} of {subject}?"
    if noun.endswith("s") and not noun.endswith("ss"):
        return f"How many {noun} does {subject} have?" if value.isdecimal() else f"What are the {noun} of {subject}?"
    return f"What is the {noun} of {subject}?"


def _noun(head: str) -> str:
    """Return the noun of a column's head, without its unit; empty for a head that is none: "opens", "joined"."""
    noun = _UNIT.sub("", head).strip()
    noun = noun if noun.isupper() else noun.lower()
    if not noun or noun.lower() in _NO_NOUNS or len(noun.split()) > _LONGEST_HEAD:
        return ""
    is_noun = parsed(f"the {noun}")[-1].pos_ in {"NOUN", "PROPN"}
    return noun if is_noun and (" " in noun or parsed(noun)[-1].pos_ != "VERB") else ""


def _in_turn(lists: Iterable[Sequence[T]]) -> Iterator[T]:
    return (one for turn in zip_longest(*lists) for one in turn if one is not None)
