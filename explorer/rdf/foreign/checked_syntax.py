"""TriG, Turtle, RDF/XML and JSON-LD from elsewhere: checked for what crashes or deceives a parser, then read.

A syntax error refuses the whole file, an invalid IRI its statements alone.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from xml.parsers import expat

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, RdfFormat, Triple, parse

from explorer.errors import RecordError
from explorer.rdf.foreign.contexts import inlined
from explorer.rdf.foreign.line_numbers import numbered, spoken
from explorer.rdf.foreign.quoted_triples import DEPTH, folded, too_deep
from explorer.rdf.foreign.refused_statements import (
    TOO_DEEP,
    TOO_LONG,
    RefusedStatement,
    position,
    reason,
    shown,
    unreadable,
)
from explorer.rdf.formats import FORMATS
from explorer.rdf.writing import Term
from explorer.vocab import FACTS

_STRING = re.compile(rb'"((?:[^"\\]|\\.)*+)"', re.DOTALL)
_UTF_16 = frozenset({codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE})
_ENCODING = re.compile(rb"""(\A\s*<\?xml[^>]*?encoding\s*=\s*["'])([\w.:-]+)""")
_JSON_LD = re.compile(  # a keyword or an IRI as a key, or nothing at all
    rb'"@[a-z]+"\s*+:|"[a-z][\w+.-]*+:[^"]*+"\s*+:|\A\s*+(?:\[\s*+\]|\{\s*+\})\s*+\Z'
)
_UNNAMED, _IDS = "@id value must be a string", ("@id", "id", "uri")
_LONG = 1_000_000  # bytes
_ROOT = re.compile(rb"<[A-Za-z_:]")
_SINGLE = re.compile(rb"""(<!ENTITY\s+[^\s'"<>&%]+\s+)'([^'<&%]*)'(?=\s*>)""")
_MULTIPLIES = re.compile("[&%<]")
_NO_ENTITIES = "a DOCTYPE with entities that multiply, or stand elsewhere, is not allowed"
_AMPLIFIED = 43  # as expat counts what entities stand for, which came with its version 2.4
_MOST_EXPANDED = 100_000_000  # characters that entities stand for, each time


def read_document(
    raw: bytes, form: str, base: str | None = None, lines: dict[Triple, int] | None = None
) -> Iterable[Quad | RefusedStatement]:
    """Return the statements, after checking what would crash or deceive the parser.

    IRIs are relative to `base`; into `lines` goes the line that each triple first stands in.
    """
    if form == "rdfxml":
        raw = as_utf8(raw)
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        no_text = f"byte {error.start} is 0x{raw[error.start]:02x}, which is not UTF-8"
        raise unreadable(form, no_text, *position(raw, error.start)) from None
    if form == "rdfxml":
        check_xml([raw])
        raw = in_double_quotes(raw)
    elif (offset := too_deep(raw, "json" if form == "json-ld" else "quoted")) is not None:
        raise unreadable(form, TOO_DEEP, *position(raw, offset))
    if form == "json-ld" and raw.strip() and not _JSON_LD.search(raw):
        raise unreadable(form, "it has no @context, @id or @graph, nor what PROV-JSON has, and so is other JSON")
    quads, refused = _checked(raw, form, base, lines)
    return (*(folded(quads) if form in ("trig", "turtle") else quads), *refused)


def as_utf8(raw: bytes) -> bytes:
    """Return XML in UTF-8, from the encoding that it declares or that its mark tells; as it is where none is known."""
    declared = _ENCODING.match(raw)
    encoding = "utf-16" if raw[:2] in _UTF_16 else declared[2].decode() if declared else "utf-8"
    try:
        if codecs.lookup(encoding).name == "utf-8":
            return raw
        return _ENCODING.sub(rb"\1utf-8", raw.decode(encoding).encode(), count=1)
    except (LookupError, ValueError):
        return raw


def in_double_quotes(raw: bytes) -> bytes:
    """Return XML with what its document type declares in single quotes in double ones: the parser knows no others."""
    root = _ROOT.search(raw)
    end = root.start() if root else 0
    return _SINGLE.sub(lambda one: one[1] + b'"' + one[2].replace(b'"', b"&#34;") + b'"', raw[:end]) + raw[end:]


def _checked(
    raw: bytes, form: str, base: str | None, lines: dict[Triple, int] | None
) -> tuple[list[Quad], list[RefusedStatement]]:
    """Read strictly; and where that fails, or is silent as in JSON-LD, read anything and check each term."""
    sound: set[Term] = set()
    if form != "json-ld":
        try:
            quads = list(numbered(raw, FORMATS[form], base, lines))
            if not any(fault_of(term, sound) for quad in quads for term in terms(quad)):
                return quads, []
        except SyntaxError:
            pass  # read below, term by term
        except MemoryError:
            raise unreadable(form, TOO_LONG) from None
    quads, refused = [], list[RefusedStatement]()
    try:
        read = _json_ld(raw, base) if form == "json-ld" else numbered(raw, FORMATS[form], base, lines, lenient=True)
        for quad in read:
            fault = next((fault for term in terms(quad) if (fault := fault_of(term, sound))), None)
            if fault is None:
                quads.append(quad)
            else:
                line, column = _found(raw, fault[0])
                refused.append(RefusedStatement(line, column, shown(str(quad).encode()), fault[1]))
    except SyntaxError as error:
        if _UNNAMED in error.msg and (named := _without_empty_ids(raw)) != raw:
            return _checked(named, form, base, lines)
        raise unreadable(form, reason(error), error.lineno, error.offset) from None
    except MemoryError:
        raise unreadable(form, TOO_LONG) from None
    return quads, refused


def _without_empty_ids(raw: bytes) -> bytes:
    """Return JSON-LD without identifiers that are null, which say nothing, as many tools write them."""

    def kept(pairs: list[tuple[str, object]]) -> dict[str, object]:
        return {name: value for name, value in pairs if value is not None or name not in _IDS}

    told = json.loads(raw, object_pairs_hook=kept)
    return raw if told == json.loads(raw) else json.dumps(told).encode()


def _json_ld(raw: bytes, base: str | None) -> Iterator[Quad]:
    """Parse leniently, with contexts in their places, and very long texts put aside: in JSON the parser takes only
    8 MB at once, elsewhere 16.
    """
    raw, texts = inlined(raw), dict[str, str]()

    def aside(found: re.Match[bytes]) -> bytes:
        if len(found[1]) < _LONG:
            return found[0]
        name = f"long text {hashlib.sha256(found[1]).hexdigest()}"  # with spaces, so that it can't pass for an IRI
        try:
            texts[name] = json.loads(found[0])
        except ValueError:
            return found[0]
        return f'"{name}"'.encode()

    text = _STRING.sub(aside, raw) if len(raw) > _LONG else raw
    for quad in map(spoken, parse(text, format=RdfFormat.JSON_LD, base_iri=base, lenient=True)):
        literal = quad.object
        if isinstance(literal, Literal) and literal.value in texts:
            whole = texts[literal.value]
            if literal.language is not None:
                literal = Literal(whole, language=literal.language, direction=literal.direction)
            else:
                literal = Literal(whole, datatype=literal.datatype)
        yield Quad(quad.subject, quad.predicate, literal, quad.graph_name)


def terms(item: Quad | Triple) -> Iterator[NamedNode | BlankNode | Literal]:
    """Yield the terms of a statement, also those of triples in it."""
    graph = item.graph_name if isinstance(item, Quad) else FACTS
    parts = (item.subject, item.predicate, item.object, graph)
    for part in parts:
        if isinstance(part, Triple):
            yield from terms(part)
        elif isinstance(part, NamedNode | BlankNode | Literal):
            yield part


def fault_of(term: NamedNode | BlankNode | Literal, sound: set[Term]) -> tuple[str, str] | None:
    """Return the text at fault and why, if RDF has no such term."""
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


def check_xml(pieces: Iterable[bytes]) -> None:
    """Refuse what is not well-formed, nested deeply, or declares more than short names for texts: entities that stand
    in others multiply without end.
    """
    reader = expat.ParserCreate("utf-8")
    depth = 0
    lengths: dict[bytes, int] = {}

    def refuse(reason: str) -> RecordError:
        return unreadable("rdfxml", reason, reader.CurrentLineNumber, reader.CurrentColumnNumber + 1)

    def doctype(_: str, system: str | None, public: str | None, __: int) -> None:
        if system or public:
            raise refuse("a DOCTYPE that stands elsewhere is not allowed")

    def entity(name: str, is_parameter: int, value: str | None, *_: object) -> None:
        if is_parameter or value is None or _MULTIPLIES.search(value):
            raise refuse(_NO_ENTITIES)
        lengths[b"&" + name.encode() + b";"] = len(value)

    def start(*_: object) -> None:
        nonlocal depth
        depth += 1
        if depth > DEPTH:
            raise refuse(TOO_DEEP)

    def end(_: str) -> None:
        nonlocal depth
        depth -= 1

    reader.StartDoctypeDeclHandler, reader.EntityDeclHandler = doctype, entity
    reader.StartElementHandler, reader.EndElementHandler = start, end
    try:
        if _expanded(reader, pieces, lengths) > _MOST_EXPANDED:
            raise refuse(_NO_ENTITIES)
    except expat.ExpatError as error:
        if error.code == _AMPLIFIED:
            raise refuse(_NO_ENTITIES) from None
        raise unreadable("rdfxml", expat.errors.messages[error.code], error.lineno, error.offset + 1) from None


def _expanded(reader: expat.XMLParserType, pieces: Iterable[bytes], lengths: Mapping[bytes, int]) -> int:
    """Have pieces parsed; returns how many characters their entities stand for, and stops where these are too many."""
    expanded = 0
    for piece in pieces:
        reader.Parse(piece, False)  # noqa: FBT003 - expat takes it by place only
        expanded += sum(length * piece.count(name) for name, length in lengths.items())
        if expanded > _MOST_EXPANDED:
            return expanded
    reader.Parse(b"", True)  # noqa: FBT003
    return expanded


def _found(raw: bytes, text: str) -> tuple[int, int] | tuple[None, None]:
    """Return line and column where a text first is a term of the file; (None, None) where it is written otherwise."""
    marks = ((b"<", b">"), (b'"', b'"'), (b"@", b""))
    places = (raw.find(before + text.encode() + after) for before, after in marks)
    return next((position(raw, place) for place in places if place >= 0), (None, None))
