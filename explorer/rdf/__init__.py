"""Entities ⇄ triples by the table of fields in `entities`, and the record in its file formats."""

from __future__ import annotations

from explorer.rdf.formats import FORMATS, dump
from explorer.rdf.reading import class_of, entities
from explorer.rdf.writing import Term, triples

__all__ = ["FORMATS", "Term", "class_of", "dump", "entities", "triples"]
