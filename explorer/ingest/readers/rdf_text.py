"""The text of a file of RDF: each statement a line in plain words, and the facts among them ready-made.

Turtle and its kin are no text to read or to search. What stands here is made from the names that the file gives to
things; its own bytes are kept beside it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from urllib.parse import quote

from pyoxigraph import Literal

from explorer import rdf
from explorer.errors import DocumentError, RecordError
from explorer.ingest.readers.document_text import DocumentPart, ReadyFact, title_from
from explorer.ingest.readers.rdf_said import Naming
from explorer.ingest.readers.rdf_stated import NoFacts, Statement
from explorer.stores.attached import MARK, attachment_of
from explorer.text import count
from explorer.vocab import RDF, RDFS, STORE

MIMES = {
    "nq": "application/n-quads", "trig": "application/trig", "nt": "application/n-triples", "turtle": "text/turtle",
    "rdfxml": "application/rdf+xml", "json-ld": "application/ld+json",
}  # fmt: skip
_MARKUP = re.compile(rb"\s*<(?:[?!]|[\w.:-]+[\s>])")  # and not an IRI
_CAUSE = re.compile(r"This \S+ can't be read(.*)\. Nothing of it was stored; correct it first\.", re.DOTALL)
_PIECE = 950  # code points: a passage of 1,000 holds it whole
_SHOWN = 500  # code points of a value in the words of a fact
REFUSED = 100  # that are named
_VERB = re.compile(
    r"(?:is|are|was|has|have|had|can|does|did)\b.*|\w+ed\b.*|\w+s (?:in|at|to|for|from|with|on|by|of)\b.*"
)
_SMALL = re.compile(r"[a-z]{2,}\b")
_AN = re.compile(r"[aeiou]", re.IGNORECASE)
_SUBCLASS = RDFS.base + "subClassOf"


def form_of(data: bytes, name: str) -> str:
    """Return the format of a file of RDF, by its first bytes and its name."""
    if data.startswith(MARK):
        return "nq"
    form = rdf.guess(name, data)
    return rdf.guess(None, data) if form not in MIMES or (form == "rdfxml" and not _MARKUP.match(data)) else form


def about_file(data: bytes, name: str, form: str) -> tuple[str, str, Naming]:
    """Return what a file of RDF is called, its media type, and how it names things, by its first bytes: what was read
    of a triple store tells that itself.
    """
    if (told := attachment_of(data)) is not None:
        return told.title, STORE, Naming(told.labels, told.languages)
    return title_from(name), MIMES[form], Naming()


def base_of(place: str, name: str) -> str:
    """Return what a file calls itself, which stands at a place."""
    key = hashlib.sha256(place.encode(errors="replace")).hexdigest()[:8]
    return f"file:///{key}/{quote(PurePath(name).name)}"


def unreadable(name: str, error: RecordError) -> DocumentError:
    """Return why a file is no RDF, as the parser says it."""
    found = _CAUSE.fullmatch(str(error))
    return DocumentError(f"{name!r} can't be read{found[1] if found else f': {error}'}; correct it and try again.")


def of_runs(name: str) -> DocumentError:
    """Return that a file has recorded runs in it."""
    return DocumentError(f"{name!r} has recorded runs in it, and is no document; use `explorer import` for it.")


def without_facts(name: str, refused: Sequence[str], beside: int) -> DocumentError:
    """Return that a file states nothing, what of it was not read, and how much is provenance, or of a record."""
    first = f" ({refused[0]})" if refused else ""
    if beside and not refused:
        told = f"states no fact but {count(beside, 'statement')} of provenance or a record"
        return DocumentError(f"{name!r} {told}; use `explorer import` for it.")
    return DocumentError(f"{name!r} states no fact{first}; check that it is the right file.")


def refusals(refused: Sequence[rdf.RefusedStatement], many: int) -> Iterator[str]:
    """Yield why statements were not read, of `many` the first."""
    for one in refused[:REFUSED]:
        places = (("line", one.line), ("column", one.column))
        where = ", ".join(f"{word} {number:,}" for word, number in places if number is not None)
        yield f"{where}: {one.reason}" if where else one.reason
    if (more := many - REFUSED) > 0:
        yield f"{count(more, 'more statement')} can't be read either"


def notes(mime: str, no_facts: NoFacts, quoted: int) -> Iterator[str]:
    """Yield what there is to say of statements that made no fact: left out as provenance, of which the report on a
    store has a line of its own, or only quoted.
    """
    if no_facts.beside and mime != STORE:
        yield f"{count(no_facts.beside, 'statement')} on where facts come from, or of a record, made no fact"
    if quoted:
        yield f"{count(quoted, 'statement')} made no fact, only being quoted and not stated"


def written(
    statements: Sequence[Statement], start: int = 0, number: int = 1, before: int = 0
) -> tuple[str, tuple[DocumentPart, ...], tuple[ReadyFact, ...]]:
    """Write statements as lines of text, in sections that a passage holds whole.

    The text begins at `start` in that of its document, its sections with `number`; `before` are the statements so far.
    """
    pieces, parts, facts = list[str](), list[DocumentPart](), list[ReadyFact]()
    at = begin = start
    first = 0

    def part(last: int) -> DocumentPart:
        return _part(statements[first:last], before + first, number + len(parts), begin, at - 1)

    for place, one in enumerate(statements):
        line = sentence(one)
        if pieces and at + len(line) - begin > _PIECE:
            parts.append(part(place))
            pieces.append("\n")
            at, begin, first = at + 1, at + 1, place
        if one.is_fact:
            words = (*one.words[:2], one.words[2][:_SHOWN])
            facts.append(ReadyFact(at, at + len(line), one.triple, words, one.line, one.sources))
        pieces += (line, "\n")
        at += len(line) + 1
    parts.append(part(len(statements)))
    return "".join(pieces), tuple(parts), tuple(facts)


def _part(statements: Sequence[Statement], before: int, number: int, start: int, end: int) -> DocumentPart:
    lines = [one.line for one in statements if one.line is not None]
    kind, first, last = "line", min(lines, default=0), max(lines, default=0)
    if len(lines) < len(statements):
        kind, first, last = "statement", before + 1, before + len(statements)
    label = f"{kind.title()} {first:,}" if first == last else f"{kind.title()}s {first:,}–{last:,}"
    return DocumentPart("section", number, label, start, end)


def sentence(one: Statement) -> str:
    """Return a statement as a sentence, with what the file says of it in brackets."""
    subject, predicate, obj = one.words
    term = one.triple.predicate
    if term == RDF.type:
        said = f"{subject} is {'an' if _AN.match(obj) else 'a'} {obj}"
    elif term.value == _SUBCLASS:
        said = f"{subject} is a kind of {obj}"
    elif term == RDFS.label:
        said = f"{subject} is also called {obj}"
    elif _VERB.fullmatch(predicate) and not (isinstance(one.triple.object, Literal) and len(obj) > _SHOWN):
        said = f"{subject} {predicate} {obj}"
    else:
        said = f"{subject}: {predicate} {obj}"
    said = said[0].upper() + said[1:] if _SMALL.match(said) else said  # or it would pass for the end of a sentence
    notes = f" ({'; '.join(one.notes)})" if one.notes else ""
    return f"{said}{notes}" if not notes and said.endswith((".", "!", "?", "…")) else f"{said}{notes}."
