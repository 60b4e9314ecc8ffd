"""A workspace with runs of many facts, for large graphs in the page."""

from __future__ import annotations

from pathlib import Path

import explorer
from benchmarks.instant_model import Instant
from benchmarks.synthetic_facts import knowledge
from explorer.ingest.pipeline import Pipeline

FACTS = 6_000
# The facts to keep at most for about this many nodes; a model is shown no more than its prompt holds, some 160 of them.
KEPT = {24: 4, 30: 7, 200: 135, 300: 2_650}


def limits(nodes: int) -> dict[str, int]:
    """Return the limits of a graph search that ends with about this many nodes."""
    kept = KEPT[nodes]
    looked = {"max_subgraph_size": max(150, 2 * kept), "entity_limit": max(50, kept // 2), "triple_limit": 60}
    return {"edge_limit": kept, "edge_score_limit": kept, **looked}


def fill(folder: Path) -> str:
    """Fill the workspace; returns the question for all of its runs."""
    made = knowledge(FACTS)
    with explorer.open(folder) as ws:
        pipeline = Pipeline(ws.graph, ws.traces.stores.library, ws.embedder, ws.traces.clock)
        pipeline.store_all(list(made.documents()))
        ws.graph.flush()
    return made.questions(1)[0]


def record_many(folder: Path, runs: int) -> None:
    """Record so many short runs of another pipeline."""
    with explorer.open(folder) as ws:
        for n in range(runs):
            with ws.record(f"Who fixed pump {n}?", by="bench") as run:
                run.looked_at([f"Ada Smith fixed pump {n} in April."])
                run.answer(f"Ada Smith fixed pump {n}.")


def store(folder: Path, question: str, nodes: int) -> str:
    """Run the question for a graph of about this many nodes; returns the IRI of the run on record."""
    with explorer.open(folder) as ws:
        ws.chat = Instant()
        return ws.run(question, **limits(nodes)).iri


def record(folder: Path, nodes: int) -> str:
    """Record the run of another pipeline with about this many nodes, three for a passage; returns its IRI."""
    passages = [
        f"Ada Smith fixed pump {n} in April, as page {n} of the log of the ship has it." for n in range(nodes // 3)
    ]
    with explorer.open(folder) as ws, ws.record("Who fixed the pumps?", by="bench") as run:
        run.looked_at(passages)
        run.kept(passages)
        run.answer(" ".join(passages[:3]))
        return run.iri
