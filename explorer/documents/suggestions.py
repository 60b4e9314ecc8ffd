"""Questions to begin with: made from the sentences that facts were taken from, and tried before they are offered."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from pyoxigraph import NamedNode

from explorer.documents.found_facts import Fact, facts_of_chunks
from explorer.language.dates import dates
from explorer.language.named_entities import named_entities
from explorer.language.pipeline import parsed
from explorer.language.questions import NUMBER, PERSON, TIME, kind_of
from explorer.language.sentences import cells as cells_of
from explorer.language.sentences import is_row
from explorer.reasoning.extractive.tables import CELL, number
from explorer.stores.documents import documents
from explorer.text import one_line
from explorer.vocab import is_blank

if TYPE_CHECKING:
    from explorer.record.trace import Trace
    from explorer.stores.collection import Collection

_WORDS = ("Who", "What")
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
_PERSON = re.compile(r"[A-Z][a-z]+(?: [A-Z][a-z'’-]+){1,2}")
_WORDS_ONLY = re.compile(r"(?:(?=[a-z]*[aeiouy])[a-z]+ ?)+", re.IGNORECASE)  # each of which can be spoken
_UNIT = re.compile(r"\s*\([^()]*\)$")  # "Memory (GB)"
_NO_NOUNS = frozenset(
    "outside inside above below since until from to by for at in on with when where who what is was has had".split()
)
_CODES = frozenset("code id no number date".split())  # heads of columns that number the rows, or name no kind
_TRIES = 18  # questions that are asked, so that it takes two or three seconds at most
_LEAD = 200  # code points of a heading or of other cells before what a question asks for
_CELLS = 60  # of a document's tables that are turned into questions
_LONGEST_HEAD = 3  # words
_FEWEST = 3  # rows of which one has the highest number
_DOCUMENTS = 6  # are looked at where none is named

Try = Callable[[str, str | None], "Trace"]
"""Answers a question from one document, given by its IRI, or from all, without recording it."""


def suggested(
    stores: Collection, answer: Try, document: str | None, limit: int, without: Iterable[str] = ()
) -> list[str]:
    """Return questions about a document, or about several, whose strong answer begins with what they ask for.

    Those with a sure answer come first, then questions with different words, and of several documents one of each in
    turn. About several they are tried with all documents. Those `without` which to do are left out.
    """
    left_out = {one_line(one).casefold() for one in without}
    named = [document] if document else [one.iri for one in documents(stores.database)][-_DOCUMENTS:]
    sure: list[str] = []
    strong: list[str] = []
    tries, quoted = 0, set[str]()
    for iri, question, sentence in _in_turn([_offered(stores, iri) for iri in named]):
        if len(sure) == limit or tries == _TRIES:
            break
        if sentence in quoted or question.casefold() in left_out:
            continue
        tries += 1
        trace = answer(question, iri if document else None)
        support, said = trace.support, one_line(trace.answer or "")
        is_first = sentence in said[: len(sentence) + _LEAD]
        final = trace.dag.final
        is_cell = final is not None and str(getattr(final.entity, "rule", "")).startswith(CELL)
        if (
            support is not None
            and support.level == "strong"
            and (is_first or ((support.sure or is_cell) and sentence in said))
        ):
            (sure if support.sure else strong).append(question)
            quoted.add(sentence)
    return [*sure, *strong][:limit]


def _offered(stores: Collection, iri: str) -> list[tuple[str, str, str]]:
    """Return a document's questions with the sentence that answers each: one of each question word in turn."""
    if iri in stores.sources.attached:  # its lines are statements, and no English
        return [(iri, *each) for each in _of_statements(stores, iri)]
    made = [(iri, *each) for each in _of_facts(stores, iri)]
    by_word = [[each for each in made if each[1].startswith(word)] for word in _WORDS]
    return [*_in_turn(by_word), *_of_rows(stores, iri)]


def _of_facts(stores: Collection, iri: str) -> Iterator[tuple[str, str]]:
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


def _of_statements(stores: Collection, iri: str) -> Iterator[tuple[str, str]]:
    """Yield questions for what an attached store says by a noun, such as its mayor, with the statement that answers
    each: one of each noun.
    """
    chunks = stores.library.chunks_of(iri)
    some = chunks[:: max(1, len(chunks) // _CELLS)][:_CELLS]
    tried, asked = Counter[str](), set[str]()
    for fact in (Fact(triple, stores) for triple in facts_of_chunks(stores, some)):
        subject, said, value = fact.words
        node, is_new = fact.triple.subject, tried[said] < _FEWEST and said not in asked
        if not is_new or not _WORDS_ONLY.fullmatch(said) or not isinstance(node, NamedNode) or is_blank(node.value):
            continue
        tried[said] += 1
        question = _of_cell(subject, "", said, value, is_person=False)
        if question and fact.passages:
            asked.add(said)
            yield question, one_line(fact.passages[0].text)


def _of_rows(stores: Collection, iri: str) -> Iterator[tuple[str, str, str]]:
    """Yield questions of a document's tables with the value that answers each: of cells, and of the highest of each.

    A cell is asked for by what its row begins with, unless other rows begin with the same.
    """
    facts = (Fact(triple, stores) for triple in islice(facts_of_chunks(stores, stores.library.chunks_of(iri)), _CELLS))
    rows: dict[str, dict[int, list[tuple[str, str, str]]]] = {}
    keyed: dict[str, str] = {}  # of rows that begin with a number, the head of that
    owned: dict[str, str] = {}  # the head of what else they tell of
    for fact in facts:
        for place in (one for one in fact.passages if is_row(one.text)):
            row, subject = cells_of(place.text), fact.words[0]
            rows.setdefault(subject, {}).setdefault(place.start, []).append(fact.words)
            if row[0] == fact.words[2] and row[0] != subject:
                key = _noun(fact.words[1])
                keyed[subject] = key if kind_of(key) != TIME else ""
            if subject not in owned and subject in row:
                heads = _heads(next((one.text for one in stores.sources.chunk(place.chunk)), ""), place.text)
                owned[subject] = heads[row.index(subject)] if len(heads) == len(row) else ""
    asked = []
    for at, (subject, places) in enumerate(rows.items()):
        key, cells = keyed.get(subject, ""), next(iter(places.values()))
        is_person = _PERSON.fullmatch(subject) is not None or (
            subject.isalpha() and kind_of(_noun(owned.get(subject, ""))) == PERSON
        )
        asks = ((_of_cell(subject, key, head, value, is_person=is_person), value) for _, head, value in cells)
        made = [(question, value) for question, value in asks if question]
        if made and len(places) == 1:
            asked.append((iri, *made[at % len(made)]))
    highest = [(iri, *each) for each in _highest(rows, owned)]
    yield from _in_turn([asked, highest])


def _heads(chunk: str, row: str) -> list[str]:
    """Return the heads above a row in its chunk, as the readers write tables; none where they are in another."""
    found = list[str]()
    for line in reversed(chunk[: max(0, chunk.find(row))].splitlines()):
        if not line.startswith("|"):
            break
        found = cells_of(line)
    return found


def _highest(
    rows: Mapping[str, Mapping[int, list[tuple[str, str, str]]]], owned: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    columns: dict[tuple[str, str], list[tuple[float, str]]] = {}
    for subject, places in rows.items():
        for cells in places.values():
            for _, head, value in cells:
                if _UNIT.search(head) and (value_of := number(value)) is not None:
                    columns.setdefault((_noun(owned.get(subject, "")), head), []).append((value_of, subject))
    for (owner, head), valued in columns.items():
        noun, (most, subject) = _noun(head), max(valued)
        if (
            owner not in {"", *_CODES}
            and noun
            and len(valued) >= _FEWEST
            and [value for value, _ in valued].count(most) == 1
        ):
            asks = f"most {noun}" if noun.endswith("s") and not noun.endswith("ss") else f"highest {noun}"
            yield f"Which {owner} has the {asks}?", subject


def _noun(head: str) -> str:
    """Return the noun of a column's head, without its unit; empty for a head that is none."""
    noun = _UNIT.sub("", head).strip()
    noun = noun if noun.isupper() else noun.lower()
    is_long = len(noun.split()) > _LONGEST_HEAD
    return noun if noun.lower() not in _NO_NOUNS and not is_long and _ends_in_noun(noun) else ""


def _ends_in_noun(words: str) -> bool:
    """Return whether a few words end in a noun: "opens" and "joined" do not."""
    doc = parsed(f"the {words}") if words else None
    alone = parsed(words) if words and " " not in words else None
    return doc is not None and doc[-1].pos_ in {"NOUN", "PROPN"} and not (alone and alone[-1].pos_ == "VERB")


def _of_cell(subject: str, key: str, head: str, value: str, *, is_person: bool) -> str | None:
    """Return the question that a cell answers; none below a head that is no noun, or holds yes, no or a date.

    `key`: what the number is called that a row begins with; what else it tells is told of that.
    """
    noun = _noun(head)
    if not noun or value.lower() in {"yes", "no"} or kind_of(noun) == TIME:
        return None
    if when := _time(subject):
        return _at_a_time(noun, when) if any(map(str.isdigit, value)) else None
    if key and noun == key:
        return f"Which {key} does {subject} have?" if is_person else None
    owner = f"{subject}'s {key}" if key and is_person else subject
    if noun == "value":
        return f"What is the {subject.lower()}?" if " " in subject or subject.istitle() else None
    if kind_of(noun) == PERSON:
        return f"Who is the {noun} of {owner}?"
    if noun.endswith("s") and not noun.endswith("ss"):
        return f"How many {noun} does {owner} have?" if value.isdecimal() else f"What are the {noun} of {owner}?"
    return f"What is {owner}'s {noun}?" if is_person and not key else f"What is the {noun} of {owner}?"


def _time(subject: str) -> str:
    """Return when it was that a row begins with, in words; empty where it begins with anything else."""
    found = dates(subject)
    before = subject[: found[0].start].strip().lower() if len(found) == 1 else ""
    is_whole = len(found) == 1 and found[0].end == len(subject) and (not before or kind_of(before) == TIME)
    return found[0].words if is_whole and found[0].month else ""


def _at_a_time(noun: str, when: str) -> str:
    if kind_of(noun) == NUMBER:
        return f"What was the {noun} {when}?"
    if noun.endswith("s") and not noun.endswith("ss"):
        return f"How many {noun} were there {when}?"
    return f"How much {noun} was there {when}?"


def _in_turn(lists: Iterable[Sequence[tuple[str, str, str]]]) -> Iterator[tuple[str, str, str]]:
    waiting = [iter(one) for one in lists]
    while waiting:
        going = []
        for one in waiting:
            if (each := next(one, None)) is not None:
                yield each
                going.append(one)
        waiting = going
