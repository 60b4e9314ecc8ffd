"""The questions of an evaluation file, one JSON object a line, with what is expected of their answers.

A line has a `question`, and of these what is known: `answerable`, `evidence` ([{document, quote}]), `gold` (the ids or
file names of the documents that answer it), `answers` (texts of which one should be in the answer; `answer` for one).
A line that is no question is left out, a part that can't be used is; both are said.
"""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from explorer.errors import DocumentError, QuestionError
from explorer.ingest.given.corpus import Fault, check_text, json_object, shown
from explorer.ingest.readers.files import Line, Source, data_of, lines
from explorer.stores.document_names import documents as listed
from explorer.stores.library import Library
from explorer.text import folded

_SHOWN = 3  # reasons in the message of a file that has no question at all


@dataclass(frozen=True, slots=True)
class Evidence:
    """A quotation that answers a question, and the document it is from: an id, a file name or an IRI."""

    document: str
    quote: str


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """A question of a file with what is expected of its answer; `answerable` is None where nobody says.

    Of one that can't be answered there is nothing to find, so it has neither gold nor evidence.
    """

    line: int
    text: str
    answerable: bool | None = None
    gold: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    answers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QuestionFile:
    """What was read of a file: its name and bytes, its questions, and what could not be used, by line."""

    name: str
    data: bytes
    questions: tuple[GoldQuestion, ...]
    faults: tuple[Fault, ...]


def read_questions(path: str | Path) -> QuestionFile:
    """Read a file of questions; raises DocumentError when it can't be read or has no question."""
    source = Source(Path(path), str(path))
    data = data_of(source)
    questions, faults = parse_questions(lines(io.BytesIO(data)))
    if not questions:
        reasons = "; ".join(f"line {fault.line}: {fault.reason}" for fault in faults[:_SHOWN])
        tail = f" ({reasons})" if reasons else ""
        raise DocumentError(f'{str(path)!r} has no question{tail}; write lines such as {{"question": "Who …?"}}.')
    return QuestionFile(Path(path).name, data, tuple(questions), tuple(faults))


def parse_questions(given: Iterable[Line]) -> tuple[list[GoldQuestion], list[Fault]]:
    """Read questions line by line; a line that is none, or asks what an earlier one did, is a fault."""
    questions: dict[str, GoldQuestion] = {}
    faults: list[Fault] = []
    for number, data in given:
        try:
            question, missing = _question(number, data)
        except DocumentError as error:
            faults.append(Fault(number, str(error)))
            continue
        faults += [Fault(number, reason) for reason in missing]
        first = questions.setdefault(folded(question.text), question)
        if first is not question:
            faults.append(Fault(number, f"it asks what line {first.line} asks, and was left out"))
    return list(questions.values()), faults


def place_gold(asked: Sequence[GoldQuestion], library: Library) -> tuple[list[GoldQuestion], list[Fault]]:
    """Take out the gold that no document here has; where some of a question's is missing, all of it.

    What was found of it could not be told from what could be found.
    """
    documents = Documents(library)
    placed: list[GoldQuestion] = []
    faults: list[Fault] = []
    for one in asked:
        unknown = [name for name in one.gold if not documents.named(name)]
        absent = [each for each in one.evidence if not documents.hold(each)]
        if unknown:
            names = ", ".join(map(shown, unknown[:_SHOWN]))
            faults.append(Fault(one.line, f"no document here is called {names}; asked without gold passages"))
        for each in absent:
            where = f"{shown(each.document)} does not hold the quotation {shown(each.quote)}"
            reason = where if documents.named(each.document) else f"no document here is called {shown(each.document)}"
            faults.append(Fault(one.line, f"{reason}; asked without evidence"))
        placed.append(replace(one, gold=() if unknown else one.gold, evidence=() if absent else one.evidence))
    return placed, faults


class Documents:
    """The documents of a library by each of their names: IRI, source, and file name."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._iris: dict[str, list[str]] = {}
        self._texts: dict[str, str] = {}
        for one in listed(library.database):
            for name in names_of(one.iri, one.source):
                self._iris.setdefault(name, []).append(one.iri)

    def named(self, name: str) -> list[str]:
        """Return the IRIs of the documents with this name."""
        return self._iris.get(name, [])

    def hold(self, evidence: Evidence) -> bool:
        """Return whether a document of the evidence's name has its quotation, white space aside."""
        return any(words(evidence.quote) in self._text(iri) for iri in self.named(evidence.document))

    def _text(self, iri: str) -> str:
        if iri not in self._texts:
            self._texts[iri] = words(self._library.text(iri))
        return self._texts[iri]


def names_of(iri: str, source: str | None) -> set[str]:
    """Return the names by which a document may be meant."""
    return {iri, source, source.rsplit("/", 1)[-1]} if source else {iri}


def words(text: str) -> str:
    """Return a text with single spaces for all white space, in NFC."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def _question(number: int, data: bytes | None) -> tuple[GoldQuestion, list[str]]:
    """Read a line, and say which parts of it were left out; raises DocumentError for one that is no question."""
    item = json_object(data, "a question")
    text = item.get("question")
    if not isinstance(text, str) or not text.strip():
        raise DocumentError('it has no question; write {"question": "…"}')
    check_text(text)
    missing: list[str] = []
    answerable = item.get("answerable")
    if answerable is not None and not isinstance(answerable, bool):
        missing.append("its answerable is neither true nor false; asked without it")
        answerable = None
    gold = _texts(item, "gold", missing)
    answers = _texts(item, "answers", missing)
    if not answers and isinstance(item.get("answer"), str):
        answers = (str(item["answer"]),)
    evidence = tuple(_evidence(item, missing))
    if answerable is False:
        gold, evidence = (), ()
    return GoldQuestion(number, text.strip(), answerable, gold, evidence, answers), missing


def _texts(item: Mapping[str, object], name: str, missing: list[str]) -> tuple[str, ...]:
    given = item.get(name)
    if given is None:
        return ()
    found = [one for one in given if isinstance(one, str) and one.strip()] if isinstance(given, list) else []
    if not isinstance(given, list) or len(found) < len(given):
        missing.append(f"its {name} is not a list of texts; asked without it")
        return ()
    return tuple(dict.fromkeys(words(one) for one in found))


def _evidence(item: Mapping[str, object], missing: list[str]) -> Iterator[Evidence]:
    given = item.get("evidence")
    if given is None:
        return
    found = []
    for each in given if isinstance(given, list) else [given]:
        document, quote = (each.get("document"), each.get("quote")) if isinstance(each, dict) else (None, None)
        if not (isinstance(document, str) and isinstance(quote, str) and words(quote)):
            missing.append("its evidence is not a list of {document, quote}; asked without it")
            return
        found.append(Evidence(words(document), words(quote)))
    yield from dict.fromkeys(found)


def checked_path(path: object) -> Path:
    """Return a path to read from; raises QuestionError for what is none."""
    if not isinstance(path, str | Path):
        raise QuestionError(f"An evaluation takes the path of a file of questions, not {type(path).__name__}.")
    return Path(path)
