"""Files of others, read with nothing taken on trust: what can't be read is said, with its line and column.

In N-Quads and N-Triples each statement stands for itself: a bad one is refused, the rest is read. In TriG, Turtle,
RDF/XML and JSON-LD a syntax error refuses the whole file, and an invalid IRI its statements alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PurePath
from xml.parsers import expat

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, RdfFormat, Triple, parse

from explorer.errors import RecordError
from explorer.rdf.formats import FORMATS, WRITTEN
from explorer.rdf.quoting import DEPTH, folded, has_quoted, quoted_line, too_deep
from explorer.rdf.reification import unreified
from explorer.rdf.writing import Term
from explorer.vocab import FACTS, Graph

_ENDINGS = {
    **dict.fromkeys((".nq", ".nquads"), "nq"),
    **dict.fromkeys((".nt", ".ntriples"), "nt"),
    **dict.fromkeys((".ttl", ".turtle"), "turtle"),
    **dict.fromkeys((".rdf", ".owl", ".xml"), "rdfxml"),
    ".trig": "trig",
    ".jsonld": "json-ld",
    ".provn": "prov-n",
}
_LINE_FORMATS = ("nq", "nt")
_NODE = rb"(?:<[^<>\s]*>|_:\S+)"
_STATEMENT = re.compile(
    rb"\s*" + _NODE + rb"\s*<[^<>\s]*>\s*(?:" + _NODE + rb'|"(?:[^"\\]|\\.)*+"(?:@[\w-]+|\^\^<[^<>]*>)?|<<.*>>)\s*'
    rb"(?:" + _NODE + rb")?\s*\.\s*(?:#.*)?"
)
_XML = re.compile(rb"\s*<(?:\?xml|!DOCTYPE|!--|rdf:RDF)")
_JSON = re.compile(rb'\s*(?:\{\s*["}]|\[\s*(?:[{"]|\]\s*\Z))')
_PROV_JSON = re.compile(rb'\s*\{\s*"(?:prefix|entity|activity|agent|bundle)"')
_TOO_LONG = "it is longer than the 16 MB that one term may have"
_TOO_DEEP = f"it is nested deeper than {DEPTH}"


@dataclass(frozen=True, slots=True)
class Refused:
    """A statement that was not read: where (from 1, in characters; None where it can't be told), and why."""

    line: int | None
    column: int | None
    statement: str
    reason: str


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a file gave: `given` statements, of which `quads` were read and the others refused."""

    quads: tuple[Quad, ...]
    refused: tuple[Refused, ...]
    given: int


def load(data: bytes | str, form: str | None = None, graph: Graph | None = None) -> Loaded:
    """Read a record in one of the formats `FORMATS`, guessed from the content where none is named.

    `graph` is where statements go that name no graph themselves, so all of Turtle, N-Triples and RDF/XML. Raises
    RecordError, which names line and column, for a syntax error in a format that has no lines of its own.
    """
    raw = _raw(data)
    form = form or guess(None, raw)
    if form not in FORMATS:
        can = "is only written, never read" if form in WRITTEN else "is not known"
        raise RecordError(f"The format {form!r} {can}; choose one of {', '.join(FORMATS)}.")
    found = list((_lines if form in _LINE_FORMATS else _document)(raw, form))
    refused = tuple(item for item in found if isinstance(item, Refused))
    quads = [item for item in found if isinstance(item, Quad)]
    if graph is not None:
        quads = [_moved(quad, graph) if quad.graph_name == FACTS else quad for quad in quads]
    return Loaded(tuple(quads), refused, len(found))


def _moved(quad: Quad, graph: Graph) -> Quad:
    return Quad(quad.subject, quad.predicate, quad.object, graph)


def guess(name: str | None, data: bytes | str) -> str:
    """Tell the format of a file by the ending of its name, else by how its content begins; TriG if nothing fits."""
    ending = PurePath(name or "").suffix.lower()
    if ending in _ENDINGS:
        return _ENDINGS[ending]
    raw = _raw(data)
    if _JSON.match(raw) or ending == ".json":
        return "prov-json" if _PROV_JSON.match(raw) else "json-ld"
    if _XML.match(raw):
        return "rdfxml"
    lines = [line for line in raw[:100_000].splitlines() if line.strip() and not line.lstrip().startswith(b"#")]
    whole = lines[:-1][:20] or lines  # the last one may be cut off
    return "nq" if whole and all(_STATEMENT.fullmatch(line) for line in whole) else "trig"


def _raw(data: bytes | str) -> bytes:
    """Give the bytes without a byte order mark; half a surrogate pair, which no file can hold, is then no UTF-8."""
    return (data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data).removeprefix(b"\xef\xbb\xbf")


def _lines(raw: bytes, form: str) -> Iterator[Quad | Refused]:
    """Read all at once if nothing is wrong, else statement by statement."""
    lines = raw.splitlines()
    quoted = has_quoted(raw)
    if b"<<" not in raw or max(line.count(b"<<") for line in lines) <= DEPTH:
        text = b"\n".join(quoted_line(line)[0] if has_quoted(line) else line for line in lines) if quoted else raw
        with suppress(SyntaxError, MemoryError):
            yield from list(_parsed(text, FORMATS[form]))
            return
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.lstrip().startswith(b"#"):
            yield _statement(line, number, FORMATS[form])


def _parsed(text: bytes, rdf_format: RdfFormat, *, lenient: bool = False) -> Iterator[Quad]:
    return iter(parse(text, format=rdf_format, lenient=lenient))


def _statement(line: bytes, number: int, rdf_format: RdfFormat) -> Quad | Refused:
    if (offset := too_deep(line)) is not None:
        return Refused(number, _position(line, offset)[1], _shown(line), _TOO_DEEP)
    text, added = quoted_line(line) if has_quoted(line) else (line, [])
    try:
        [quad] = _parsed(text, rdf_format)
    except SyntaxError as error:
        before = len(text.decode("utf-8", "replace")[: (error.offset or 1) - 1].encode())
        column = (error.offset or 1) - sum(place < before for place in added)
        return Refused(number, column, _shown(line), _reason(error))
    except MemoryError:
        return Refused(number, 1, _shown(line), _TOO_LONG)
    return quad


def _document(raw: bytes, form: str) -> Iterable[Quad | Refused]:
    """Check what would bring the parser down or deceive it, then read."""
    _check_text(raw, form)
    if form == "rdfxml":
        _check_xml(raw)
    elif (offset := too_deep(raw, "json" if form == "json-ld" else "quoted")) is not None:
        raise _unreadable(form, _TOO_DEEP, *_position(raw, offset))
    quads, refused = _checked(raw, form)
    quads = unreified(quads) if form == "json-ld" else folded(quads) if form in ("trig", "turtle") else quads
    return (*quads, *refused)


def _checked(raw: bytes, form: str) -> tuple[list[Quad], list[Refused]]:
    """Read strictly; and where that fails, or is silent as in JSON-LD, read anything and check each term."""
    rdf_format = FORMATS[form]
    if form != "json-ld":
        with suppress(SyntaxError):
            return list(_parsed_document(raw, form)), []
    quads, refused = list[Quad](), list[Refused]()
    sound: set[Term] = set()
    try:
        for quad in parse(raw, format=rdf_format, lenient=True):
            fault = next((fault for term in _terms(quad) if (fault := _fault(term, sound))), None)
            if fault is None:
                quads.append(quad)
            else:
                line, column = _found(raw, fault[0])
                refused.append(Refused(line, column, _shown(str(quad).encode()), fault[1]))
    except SyntaxError as error:
        raise _unreadable(form, _reason(error), error.lineno, error.offset) from None
    except MemoryError:
        raise _unreadable(form, _TOO_LONG) from None
    return quads, refused


def _parsed_document(raw: bytes, form: str) -> Iterator[Quad]:
    try:
        yield from _parsed(raw, FORMATS[form])
    except MemoryError:
        raise _unreadable(form, _TOO_LONG) from None


def _terms(item: Quad | Triple) -> Iterator[NamedNode | BlankNode | Literal]:
    graph = item.graph_name if isinstance(item, Quad) else FACTS
    parts = (item.subject, item.predicate, item.object, graph)
    for part in parts:
        if isinstance(part, Triple):
            yield from _terms(part)
        elif isinstance(part, NamedNode | BlankNode | Literal):
            yield part


def _fault(term: NamedNode | BlankNode | Literal, sound: set[Term]) -> tuple[str, str] | None:
    """Say which text is at fault and why, if the term is not one that RDF has."""
    if term in sound or isinstance(term, BlankNode):
        return None
    text = term.value if isinstance(term, NamedNode) else term.language or term.datatype.value
    try:
        if isinstance(term, Literal) and term.language:
            Literal("", language=text)
        else:
            NamedNode(text)
    except ValueError as error:
        return text, f"{text!r} is not valid: {error}"
    sound.add(term)
    return None


def _check_text(raw: bytes, form: str) -> None:
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        line, column = _position(raw, error.start)
        reason = f"byte {error.start} is 0x{raw[error.start]:02x}, which is not UTF-8"
        raise _unreadable(form, reason, line, column) from None


def _check_xml(raw: bytes) -> None:
    """Refuse what is not well-formed, nested deeply, or declares a document type: entities multiply without end."""
    reader = expat.ParserCreate("utf-8")
    depth = 0

    def refuse(reason: str) -> RecordError:
        return _unreadable("rdfxml", reason, reader.CurrentLineNumber, reader.CurrentColumnNumber + 1)

    def doctype(*_: object) -> None:
        raise refuse("a DOCTYPE, and the entities it declares, are not allowed")

    def start(*_: object) -> None:
        nonlocal depth
        depth += 1
        if depth > DEPTH:
            raise refuse(_TOO_DEEP)

    def end(_: str) -> None:
        nonlocal depth
        depth -= 1

    reader.StartDoctypeDeclHandler, reader.StartElementHandler, reader.EndElementHandler = doctype, start, end
    try:
        reader.Parse(raw, True)  # noqa: FBT003 - expat takes it by place only
    except expat.ExpatError as error:
        raise _unreadable("rdfxml", expat.errors.messages[error.code], error.lineno, error.offset + 1) from None


def _unreadable(form: str, reason: str, line: int | None = None, column: int | None = None) -> RecordError:
    where = f" at line {line}, column {column}" if line is not None else ""
    return RecordError(f"This {form} can't be read{where}: {reason}. Nothing of it was stored; correct it first.")


def _reason(error: SyntaxError) -> str:
    """Give the parser's reason without the place, which is told beside it."""
    if "LoadDocumentCallback" in error.msg:
        return "its @context is somewhere on the network, and has to stand in the file itself"
    place, _, reason = error.msg.partition(": ")
    return (reason if place.startswith("Parser error") and reason else error.msg).rstrip(".")


def _position(raw: bytes, offset: int) -> tuple[int, int]:
    """Tell line and column, from 1 and in characters, of a byte offset."""
    start = raw.rfind(b"\n", 0, offset) + 1
    return raw.count(b"\n", 0, offset) + 1, len(raw[start:offset].decode("utf-8", "replace")) + 1


def _found(raw: bytes, text: str) -> tuple[int, int] | tuple[None, None]:
    """Tell where a text first stands in the file as a term; (None, None) where it is written in another way."""
    marks = ((b"<", b">"), (b'"', b'"'), (b"@", b""))
    places = (raw.find(before + text.encode() + after) for before, after in marks)
    return next((_position(raw, place) for place in places if place >= 0), (None, None))


def _shown(statement: bytes) -> str:
    """Give a statement as text, the beginning of a long one."""
    text = statement[:1000].decode("utf-8", "replace").strip()
    return text if len(statement) <= 200 else text[:200] + "…"
