"""Exporting a run: in a format and a version of RDF, in TrustGraph's form, or closed, with all that it rests on."""

from __future__ import annotations

from explorer import rdf
from explorer.errors import RecordError
from explorer.record.enclosing import enclosed, quads_of
from explorer.record.trace import Trace
from explorer.stores.collection import Collection
from explorer.trustgraph.encoding import readable


def export(
    stores: Collection,
    trace: Trace,
    form: str,
    *,
    compat: str | None = None,
    version: str = "1.2",
    closed: bool = False,
) -> bytes:
    """Return a run's triples as a file; raises RecordError for what does not go together."""
    if compat not in (None, "trustgraph"):
        raise RecordError(f"compat must be None or 'trustgraph', not {compat!r}.")
    if compat and closed:
        raise RecordError("TrustGraph has no place for contents: give either compat or closed, not both.")
    quads = trace.quads() if compat is None else readable(trace.quads())
    return rdf.dump([*quads, *(quads_of(enclosed(stores, trace)) if closed else ())], form, version)
