"""How fast documents are ingested: passages with given triples, and documents read by the rules."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter, process_time

from pyoxigraph import NamedNode

import explorer
from benchmarks import musique
from benchmarks.table import Row, seconds
from explorer.ingest.readers.files import Source
from explorer.sample import corpus
from explorer.vocab import RDF, TG
from explorer.workspace import Workspace

GIVEN = "1,890 passages of MuSiQue with given triples, on disk"


def rows(given: Path, read: Path) -> list[Row]:
    """Ingest the MuSiQue passages with their triples and rebuild their vectors; read the sample by rules.

    The workspace in `given` is left for the questions that follow.
    """
    return [*_given(given), _read(read)]


def _given(place: Path) -> list[Row]:
    folder = musique.folder()
    if folder is None:
        return [Row(GIVEN, musique.NOT_THERE)]
    with explorer.open(place) as ws:
        ws.embedder.embed(["warm"])
        begun, worked = perf_counter(), process_time()
        done = musique.ingest(ws, folder)
        took, busy = perf_counter() - begun, process_time() - worked
        rate = f"{done.edges / took:,.0f} facts/s ({done.edges / busy:,.0f} of processor time)"
        begun = perf_counter()
        known = ws.reindex(progress=False)
        rebuilt = perf_counter() - begun
    return [
        Row(GIVEN, rate, "≥ 2,500 facts/s"),
        Row(f"vectors of {known.facts:,} facts, {known.entities:,} things, {known.chunks:,} chunks made anew",
            seconds([rebuilt])),
    ]  # fmt: skip


def _read(place: Path) -> Row:
    documents = sorted((corpus() / "documents").iterdir())
    with explorer.open(place) as ws:
        ws.ingest(Source(documents[0], documents[0].name), progress=False)  # loads the models
        before = _words(ws)
        begun, worked = perf_counter(), process_time()
        ws.ingest(*(Source(file, file.name) for file in documents[1:]), progress=False)
        took, busy = perf_counter() - begun, process_time() - worked
        words = _words(ws) - before
    rate = f"{words / took:,.0f} words/s ({words / busy:,.0f} of processor time)"
    return Row("documents of the sample read by rules, on disk", rate, "≥ 1,500")


def _words(ws: Workspace) -> int:
    documents = (quad.subject for quad in ws.graph.match(None, RDF.type, TG.Document))
    return sum(len(ws.text(node.value).split()) for node in documents if isinstance(node, NamedNode))
