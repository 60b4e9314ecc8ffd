"""Entities ⇄ triples by the table of fields in `entities`, and the record in its file formats."""

from __future__ import annotations

from explorer.rdf.foreign.parsing import LINE_FORMATS, Loaded, load
from explorer.rdf.foreign.refused_statements import RefusedStatement
from explorer.rdf.foreign.streams import STREAMED, Block, Readable, blocks
from explorer.rdf.formats import FORMATS, VERSIONS, WRITTEN, dump, guess
from explorer.rdf.reading import class_of, entities, entity
from explorer.rdf.validation import ValidationResult, validate, validate_each
from explorer.rdf.writing import Term, triples

__all__ = [
    "FORMATS", "LINE_FORMATS", "STREAMED", "VERSIONS", "WRITTEN", "Block", "Loaded", "Readable", "RefusedStatement",
    "Term", "ValidationResult", "blocks", "class_of", "dump", "entities", "entity", "guess", "load", "triples",
    "validate", "validate_each",
]  # fmt: skip
