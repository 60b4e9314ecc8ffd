"""The record in its file formats: equal sets of quads give equal bytes.

N-Quads, TriG and JSON-LD keep everything; N-Triples, Turtle and RDF/XML lose which graph a triple is in, and no more;
RDF/XML can't hold control characters, and refuses them. Triple terms are written as RDF 1.2 has them, as RDF-star had
them, or for RDF 1.1 as statement nodes (see `reification`), as JSON-LD, PROV-JSON and PROV-N always have them; `load`
puts the terms back. Of PROV-JSON and PROV-N `provformats` says what they lose.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import PurePath

from pyoxigraph import DefaultGraph, Quad, RdfFormat, Triple, serialize

from explorer.errors import RecordError
from explorer.rdf.provformats import PROV_FORMATS, PROV_XML, prov_bytes
from explorer.rdf.reification import reified
from explorer.vocab import PREFIXES, RDF

FORMATS = {
    "nq": RdfFormat.N_QUADS,
    "trig": RdfFormat.TRIG,
    "nt": RdfFormat.N_TRIPLES,
    "turtle": RdfFormat.TURTLE,
    "rdfxml": RdfFormat.RDF_XML,
    "json-ld": RdfFormat.JSON_LD,
}
WRITTEN = (*FORMATS, *PROV_FORMATS)
VERSIONS = ("1.2", "1.1", "star")
"""How triple terms are written: `<<( s p o )>>`, as statement nodes, or `<< s p o >>`."""

_STARRED = ("nq", "trig", "turtle", "nt")

_ENDINGS = {
    **dict.fromkeys((".nq", ".nquads"), "nq"),
    **dict.fromkeys((".nt", ".ntriples"), "nt"),
    **dict.fromkeys((".ttl", ".turtle"), "turtle"),
    **dict.fromkeys((".rdf", ".owl"), "rdfxml"),
    ".trig": "trig",
    ".jsonld": "json-ld",
    ".provn": "prov-n",
    ".provx": PROV_XML,
}
_NODE = rb'(?:<[^<>\s]*+>|_:[^\s<>"]++)'
_STATEMENT = re.compile(
    rb"\s*" + _NODE + rb"\s*<[^<>\s]*>\s*(?:" + _NODE + rb'|"(?:[^"\\]|\\.)*+"(?:@[\w-]+|\^\^<[^<>]*>)?|<<.*>>)\s*'
    rb"(?:" + _NODE + rb")?\s*\.\s*(?:#.*)?"
)
_XML = re.compile(rb"\s*<(?:\?xml|!DOCTYPE|!--|rdf:RDF)")
_JSON = re.compile(rb'\s*(?:\{\s*["}]|\[\s*(?:[{"]|\]\s*\Z))')
_SECTIONS = frozenset(  # of PROV-JSON
    b"prefix entity activity agent bundle wasGeneratedBy used wasInformedBy wasStartedBy wasEndedBy wasInvalidatedBy "
    b"wasDerivedFrom wasAttributedTo wasAssociatedWith actedOnBehalfOf wasInfluencedBy specializationOf alternateOf "
    b"hadMember mentionOf".split()
)
_TOKEN = re.compile(rb'"((?:[^"\\]|\\.)*+)"(\s*+:)?|[{}\[\]]', re.DOTALL)
_PROV_XML = re.compile(rb"<(?:\w+:)?document\s[^>]*http://www\.w3\.org/ns/prov#")
_BEGINNING = 100_000  # bytes that tell a format
_TERM_MARK = re.compile(
    rb'<<\(|\)>>|<[^<>"{}|^`\s]*+>|"{3}(?:"{0,2}(?:[^"\\]|\\.))*+"{3}|"(?:[^"\\]|\\.)*+"', re.DOTALL
)
_STAR_MARKS = {b"<<(": b"<<", b")>>": b">>"}
_PROV_N = re.compile(rb"\s*+(?://[^\n]*+\n\s*+|/\*.*?\*/\s*+)*document\s", re.DOTALL)
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_XMLNS = re.compile(rb'xmlns:\w+="[^"]*"')


def dump(quads: Iterable[Quad], form: str = "trig", version: str = "1.2") -> bytes:
    """Serialise quads as UTF-8, in an order of their own and each once; `version` says how triple terms are written.

    Raises RecordError for a format that is not one of `WRITTEN`, for a version that it does not have, and for text that
    RDF/XML can't hold.
    """
    _check_version(form, version)
    if form in PROV_FORMATS:
        return prov_bytes(reified(quads), form, PREFIXES)
    rdf_format = FORMATS[form]
    if version == "star":
        return _TERM_MARK.sub(lambda mark: _STAR_MARKS.get(mark[0], mark[0]), dump(quads, form))
    if version == "1.1" or form == "json-ld":
        quads = reified(quads)
    if form == "json-ld":
        nodes = json.loads(_bytes(sorted(set(quads), key=_order), rdf_format))
        return json.dumps(nodes, ensure_ascii=False, indent=1).encode() + b"\n"
    if form == "nq":
        return _bytes(sorted(set(quads), key=str), rdf_format)
    if form == "trig":
        return _sorted_prefixes(_bytes(sorted(set(quads), key=_order), rdf_format, PREFIXES))
    triples = [quad.triple for quad in sorted({Quad(*quad.triple) for quad in quads}, key=_order)]
    if form == "rdfxml":
        return _rdf_xml(triples)
    if form == "turtle":
        return _sorted_prefixes(_bytes(triples, rdf_format, PREFIXES))
    return _bytes(triples, rdf_format)


def _check_version(form: str, version: str) -> None:
    """Raise RecordError for a format that is not known, or is not written in this version of RDF."""
    if form not in WRITTEN:
        raise RecordError(f"Unknown format {form!r}; choose one of {', '.join(WRITTEN)}.")
    if version not in VERSIONS:
        raise RecordError(f"RDF has no version {version!r} here; choose one of {', '.join(VERSIONS)}.")
    if version == "star" and form not in _STARRED:
        raise RecordError(f"RDF-star is written as {', '.join(_STARRED)} only, not as {form}; choose one of these.")


def _bytes(what: list[Quad] | list[Triple], rdf_format: RdfFormat, prefixes: dict[str, str] | None = None) -> bytes:
    return serialize(what, format=rdf_format, prefixes=prefixes) or b""


def _order(quad: Quad) -> tuple[str, str, bool, str, str]:
    """Sort by graph, the one without a name first, and by node; its types stand before its other triples."""
    graph = "" if isinstance(quad.graph_name, DefaultGraph) else str(quad.graph_name)
    return graph, str(quad.subject), quad.predicate != RDF.type, str(quad.predicate), str(quad.object)


def _sorted_prefixes(text: bytes) -> bytes:
    """Put the prefix lines in order: the serialiser writes them in a different one each time."""
    lines = text.split(b"\n", len(PREFIXES))
    return b"\n".join((*sorted(lines[:-1]), lines[-1]))


def _rdf_xml(triples: list[Triple]) -> bytes:
    text = _bytes(triples, RdfFormat.RDF_XML, PREFIXES)
    if found := _NO_XML.search(text.decode()):
        raise RecordError(f"RDF/XML can't hold the character U+{ord(found[0]):04X}; choose another format.")
    head, root, rest = text.partition(b"<rdf:RDF ")
    names, end, body = rest.partition(b">")
    return head + root + b" ".join(sorted(_XMLNS.findall(names))) + end + body


def guess(name: str | None, data: bytes | str) -> str:
    """Return the format of a file by the ending of its name, else by how its content begins; TriG if nothing fits."""
    ending = PurePath(name or "").suffix.lower()
    if ending in _ENDINGS:
        return _ENDINGS[ending]
    raw = raw_bytes(data)
    if _JSON.match(raw) or ending == ".json":
        keys = set(_keys(raw))
        return "prov-json" if keys & _SECTIONS and not any(key.startswith(b"@") for key in keys) else "json-ld"
    if _PROV_XML.search(raw, 0, _BEGINNING):
        return PROV_XML
    if _XML.match(raw) or ending == ".xml":
        return "rdfxml"
    if _PROV_N.match(raw):
        return "prov-n"
    lines = [line for line in raw[:100_000].splitlines() if line.strip() and not line.lstrip().startswith(b"#")]
    whole = lines[:-1][:20] or lines  # the last one may be cut off
    return "nq" if whole and all(_STATEMENT.fullmatch(line) for line in whole) else "trig"


def _keys(raw: bytes) -> Iterator[bytes]:
    """The keys of the outermost object of JSON, or of those in the outermost list."""
    depth, outer = 0, 2 if raw.lstrip().startswith(b"[") else 1
    for token in _TOKEN.finditer(raw):
        mark = token[0]
        if token[1] is None:
            depth += 1 if mark in b"{[" else -1
        elif token[2] is not None and depth == outer:
            yield token[1]


def raw_bytes(data: bytes | str) -> bytes:
    """Return the bytes without a byte order mark; half a surrogate pair, which no file can hold, is then no UTF-8."""
    return (data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data).removeprefix(b"\xef\xbb\xbf")
