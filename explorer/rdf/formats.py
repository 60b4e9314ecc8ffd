"""The record in its file formats."""

from __future__ import annotations

from collections.abc import Iterable

from pyoxigraph import Quad, RdfFormat, serialize

from explorer.errors import RecordError
from explorer.vocab import X

FORMATS = {
    "nq": RdfFormat.N_QUADS,
    "trig": RdfFormat.TRIG,
    "nt": RdfFormat.N_TRIPLES,
    "turtle": RdfFormat.TURTLE,
    "rdfxml": RdfFormat.RDF_XML,
}
_PREFIXES = {
    "tg": "https://trustgraph.ai/ns/",
    "prov": "http://www.w3.org/ns/prov#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "dc": "http://purl.org/dc/elements/1.1/",
    "e": "http://trustgraph.ai/e/",
    "x": X.base,
}


def dump(quads: Iterable[Quad], form: str = "trig") -> bytes:
    """Serialise quads; formats without named graphs hold the triples alone. Raises RecordError for another format."""
    if form not in FORMATS:
        message = f"Unknown format {form!r}; choose one of {', '.join(FORMATS)}."
        raise RecordError(message)
    rdf_format = FORMATS[form]
    prefixes = _PREFIXES if form in ("trig", "turtle") else None
    if rdf_format.supports_datasets:
        return serialize(quads, format=rdf_format, prefixes=prefixes) or b""
    return serialize([quad.triple for quad in quads], format=rdf_format, prefixes=prefixes) or b""
