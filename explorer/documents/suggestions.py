"""Questions to begin with: made from the sentences that facts were taken from, and tried before they are offered."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from explorer.documents.facts import Fact, facts_of_chunks
from explorer.language.asking import questions_from
from explorer.stores.documents import documents
from explorer.text import one_line

if TYPE_CHECKING:
    from explorer.record.trace import Trace
    from explorer.stores.collection import Collection

_WORDS = ("Why", "When", "How", "Who", "What")  # those that a reader learns most from come first
_SENTENCES = 120  # of a document are turned into questions
_UNIT = re.compile(r"\s*\([^()]*\)$")  # "Memory (GB)"
_NO_NOUNS = frozenset("since until from to by for at in on with when where who what is was has had".split())
_TRIES = 12  # questions that are asked, so that it takes a second or two at most
_CELLS = 60  # of a document's tables that are turned into questions
_DOCUMENTS = 6  # are looked at where none is named

Try = Callable[[str, str], "Trace"]
"""Answers a question from one document, given by its IRI, without recording it."""


def suggested(stores: Collection, answer: Try, document: str | None, limit: int) -> list[str]:
    """Return questions about a document, or about several: those with a strong answer that quotes what they ask for.

    Questions with different words come first, and of several documents one of each in turn.
    """
    named = [document] if document else [one.iri for one in documents(stores.database)][-_DOCUMENTS:]
    found: list[str] = []
    tries, quoted = 0, set[str]()
    for iri, question, sentence in _in_turn([_offered(stores, iri) for iri in named]):
        if len(found) == limit or tries == _TRIES:
            break
        if sentence in quoted:
            continue
        tries += 1
        trace = answer(question, iri)
        support = trace.support
        if support is not None and support.level == "strong" and sentence in one_line(trace.answer or ""):
            found.append(question)
            quoted.add(sentence)
    return found


def _offered(stores: Collection, iri: str) -> list[tuple[str, str, str]]:
    """Return a document's questions with the sentence that answers each: one of each question word in turn."""
    texts = [text for found in stores.sentences.texts(stores.library.chunks_of(iri)).values() for text in found]
    wanted = [one_line(text) for text in dict.fromkeys(texts) if text.endswith(".")]
    step = max(1, len(wanted) // _SENTENCES)
    made = [(iri, *each) for each in questions_from(wanted[::step][:_SENTENCES])]
    by_word = [[each for each in made if each[1].startswith(word)] for word in _WORDS]
    return [*_in_turn(by_word), *_of_rows(stores, iri)]


def _of_rows(stores: Collection, iri: str) -> Iterator[tuple[str, str, str]]:
    """Yield questions of a document's tables, each of another row and column, with the value that answers it."""
    facts = (Fact(triple, stores) for triple in islice(facts_of_chunks(stores, stores.library.chunks_of(iri)), _CELLS))
    rows: dict[str, list[tuple[str, str, str]]] = {}
    for fact in facts:
        if fact.passages and fact.passages[0].text.lstrip().startswith("|"):
            rows.setdefault(fact.words[0], []).append(fact.words)
    for number, (subject, cells) in enumerate(rows.items()):
        made = [(question, value) for _, head, value in cells if (question := _of_cell(subject, head, value))]
        if made:
            yield iri, *made[number % len(made)]


def _of_cell(subject: str, head: str, value: str) -> str | None:
    """Return the question that a cell answers; none below a head that is no noun, or holds yes or no."""
    noun = _UNIT.sub("", head).strip()
    if not noun or noun.lower() in _NO_NOUNS or value.lower() in {"yes", "no"}:
        return None
    if noun.endswith("s") and not noun.endswith("ss"):
        return f"How many {noun} does {subject} have?" if value.isdecimal() else f"What are the {noun} of {subject}?"
    return f"What is the {noun} of {subject}?"


def _in_turn(
    lists: Iterable[Sequence[tuple[str, str, str]]],
) -> Iterator[tuple[str, str, str]]:
    """Yield the first of each list, then the second of each."""
    waiting = [iter(one) for one in lists]
    while waiting:
        going = []
        for one in waiting:
            if (each := next(one, None)) is not None:
                yield each
                going.append(one)
        waiting = going
