"""Terms and facts as a person reads them."""

from __future__ import annotations

from collections.abc import Mapping

from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from explorer.text import or_empty
from explorer.vocab import local_name


def term_label(term: NamedNode | BlankNode | Literal | Triple, labels: Mapping[str, str]) -> str:
    """Return a term as a person reads it: its label, else its readable name, else its value."""
    if isinstance(term, NamedNode):
        label = labels.get(term.value, "")
        return label if label.strip() else or_empty(local_name(term.value))
    if isinstance(term, Triple):
        return " ".join(edge_labels(term, labels))
    return or_empty(term.value)


def edge_labels(edge: Triple, labels: Mapping[str, str]) -> tuple[str, str, str]:
    """Return subject, predicate and object of a fact as a person reads them."""
    return (term_label(edge.subject, labels), term_label(edge.predicate, labels), term_label(edge.object, labels))
