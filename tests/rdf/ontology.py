"""The ontology of the package, as rdflib reads it."""

from functools import cache
from importlib.resources import files

import rdflib


@cache
def ontology(name):
    """A file of `explorer/ontology`: explorer.ttl, the terms of our extension, or shapes.ttl."""
    text = files("explorer").joinpath("ontology", name).read_text("utf-8")
    return rdflib.Graph().parse(data=text, format="turtle")
