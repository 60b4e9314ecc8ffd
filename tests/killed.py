"""A process that works on a workspace until it is killed: `python -m tests.killed WHAT FOLDER SEED`."""

from __future__ import annotations

import json
import random
import sys
import time

import explorer
from explorer.events import Done, Explain, Text
from explorer.ingest.given.facts import CuratedFact, aligned
from explorer.ingest.parsed import Extraction, parse
from explorer.ingest.pipeline import ExtractedDocument, Pipeline
from explorer.ingest.provenance import CURATOR, VERSION
from explorer.ingest.readers.files import read
from tests.corpus import QUESTIONS, still


def told(what):
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def run(ws, chance):
    """Ask on and on; what is shown is told the moment it is shown, and looked at for a while."""
    number = 0
    while True:
        question = chance.choice(QUESTIONS)
        for event in ws.ask(f"{question} ({number})"):
            if isinstance(event, Explain):
                told({"step": event.iri, "triples": [str(quad) for quad in event.triples]})
                time.sleep(chance.random() / 50)
            elif isinstance(event, Done):
                told({"done": event.reason})
            elif isinstance(event, Text):
                told({"text": event.delta})
        number += 1


def document(number):
    """A document of its own, with facts that others share, as text and as quads of a pipeline."""
    sentences = [f"Valve {number} feeds tank {n} of station {number % 7}." for n in range(12)]
    text = f"Station {number}\n\n" + "\n".join(sentences) + "\n"
    name = f"station-{number}.txt"
    parsed = parse(text.encode(), name, read(text.encode(), name))
    facts = [CuratedFact(f"valve {number}", "feeds", f"tank {n}", name, line) for n, line in enumerate(sentences)]
    edges, missing = aligned(facts, parsed.reading.text, list(parsed.chunks))
    assert not missing
    return parsed, Extraction(CURATOR, VERSION, tuple(edges))


def ingest(ws, first):
    """Store documents on and on; one that is stored is told."""
    stores = ws.stores
    pipeline = Pipeline(stores.graph, stores.library, ws.embedder, still)
    while True:
        parsed, extraction = document(first)
        pipeline.store_all([ExtractedDocument(parsed, (extraction,))])
        told({"document": first})
        first += 1


def batches(ws, first):
    """Store documents on and on, some at once; those that are stored are told."""
    stores = ws.stores
    pipeline = Pipeline(stores.graph, stores.library, ws.embedder, still)
    while True:
        numbers = range(first, first + 4)
        pipeline.store_all([ExtractedDocument(parsed, (extraction,)) for parsed, extraction in map(document, numbers)])
        for number in numbers:
            told({"document": number})
        first += 4


def reindex(ws):
    """Make all vectors anew on and on; each time is told."""
    while True:
        told({"reindexed": repr(ws.reindex())})


def main(what, folder, seed):
    chance = random.Random(seed)
    with explorer.open(folder) as ws:
        told({"open": ws.read_only})
        if what == "run":
            run(ws, chance)
        elif what == "ingest":
            ingest(ws, seed * 1000)
        elif what == "batches":
            batches(ws, seed * 1000)
        elif what == "reindex":
            reindex(ws)
        else:
            told({"held": ws.holder})
            sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
