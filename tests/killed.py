"""A process that works on a workspace until it is killed: `python -m tests.killed WHAT FOLDER SEED`.

`python -m tests.killed STEP FOLDER NUMBER VERSION` does one thing and kills itself before its STEP-th transaction;
with a path in place of the version it reads that file, with a list it corrects what that says.
"""

from __future__ import annotations

import importlib
import itertools
import json
import os
import random
import signal
import sys
import time
from datetime import timedelta
from pathlib import Path

from pyoxigraph import NamedNode, Quad, RdfFormat, serialize

import explorer
import tests.opened  # noqa: F401 - says where it opens workspaces
from explorer.events import Done, Explain, Text
from explorer.ingest.given.curated_facts import CuratedFact, aligned
from explorer.ingest.parsed import ExtractedDocument, Extraction, parse
from explorer.ingest.pipeline import Pipeline
from explorer.ingest.provenance import CURATOR, VERSION
from explorer.ingest.readers.files import read
from explorer.servers.postgres.database import PostgresDatabase
from explorer.stores.graph import OxigraphStore
from explorer.stores.sparql_client import Server as EndpointServer
from explorer.stores.sqlite import SqliteDatabase
from tests.corpus import QUESTIONS, still
from tests.finding import Finder

LONG_TEXT = "Pumps of the river\n\n" + "\n\n".join(
    f"Miriam Okafor built the Osprey pump in Trondheim. Engineer {n} measured pump {n} at noon."
    if n == 50
    else f"Engineer {n} measured pump {n} at noon. The river was high, and pump {n} stood on its bank."
    for n in range(60)
)


def made_short(put):
    """Have texts count as long that are short; `put` sets an attribute by its name."""
    put("explorer.ingest.readers.long_text.LONG", 3_000)
    put("explorer.ingest.readers.long_text.LONGEST_STRETCH", 1_200)
    put("explorer.ingest.readers.long_text._BLOCK", 512)
    for name, value in {"LONG": 3_000, "STRETCH": 1_000, "LONGEST_STRETCH": 1_200}.items():
        put(f"explorer.ingest.chunker.{name}", value)


def facts_made_short(put):
    """Have files of RDF count as long that are short; `put` sets an attribute by its name."""
    for name, value in {"LONG": 1_000, "_BYTES": 1_000, "_MANY": 20}.items():
        put(f"explorer.ingest.readers.rdf_files.{name}", value)


def put(name, value):
    module, _, attribute = name.rpartition(".")
    setattr(importlib.import_module(module), attribute, value)


def told(what):
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def run(ws, chance):
    """Ask on and on; what is shown is told the moment it is shown, and looked at for a while."""
    while True:
        for event in ws.ask(chance.choice(QUESTIONS)):
            if isinstance(event, Explain):
                told({"step": event.iri, "triples": [str(quad) for quad in event.triples]})
                time.sleep(chance.random() / 50)
            elif isinstance(event, Done):
                told({"done": event.reason})
            elif isinstance(event, Text):
                told({"text": event.delta})


def sealing(ws, chance, others):
    """Ask, purge, delete, forget words and import on and on; what is on the ledger is told the moment it is there.

    `others` are records to import, by the name of a file; each brings back what was purged of it.
    """
    while True:
        done = chance.randrange(7)
        if done == 0 and len(ws.traces.list()) > 3:
            gone = ws.purge(timedelta(0), keep_reviewed=bool(chance.randrange(2)), progress=False).runs
            told({"purged": [one.iri for one in gone]})
        elif done == 1 and (runs := ws.traces.list()):
            ws.traces.restore(ws.traces.delete(chance.choice(runs).iri))
        elif done == 2 and len(ws.documents) > 1:
            gone = ws.forget(chance.choice(ws.documents).iri, words=bool(chance.randrange(2)))
            ws.restore(gone)
        elif done == 3:
            told({"imported": ws.import_record(chance.choice(others)).traces})
        else:
            trace = ws.run(chance.choice(QUESTIONS))
            told({"ended": trace.iri, "seal": ws.ledger.entry(trace.iri).seal})
        told({"head": ws.ledger.head})


def document(number, version=0):
    """A document of its own, with facts that others share, as text and as quads of a pipeline; versions share some."""
    sentences = [f"Valve {number} feeds tank {n + 12 * version * (n % 2)} of station {number % 7}." for n in range(12)]
    text = f"Station {number}\n\n" + "\n".join(sentences) + "\n"
    name = f"station-{number}.txt"
    parsed = parse(text.encode(), name, read(text.encode(), name))
    facts = [CuratedFact(f"valve {number}", "feeds", line.split(" feeds ")[1].split(" of ")[0], name, line)
             for line in sentences]  # fmt: skip
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


def change(ws, number, version):
    """Store a version of a document in place of the one that is there, or forget it; told when begun and when done."""
    pipeline = Pipeline(ws.stores.graph, ws.stores.library, ws.embedder, ws.traces.clock)
    told({"begun": [number, version]})
    if version is None:
        ws.forget(f"station-{number}.txt")
    else:
        parsed, extraction = document(number, version)
        pipeline.store_all([ExtractedDocument(parsed, (extraction,))])
    told({"changed": [number, version]})


def life(ws, chance):
    """Store, replace and forget documents on and on."""
    here = {one.source: one.iri for one in ws.documents}
    while True:
        number = chance.randrange(1, 5)
        forget = f"station-{number}.txt" in here and chance.random() < 0.4
        change(ws, number, None if forget else chance.randrange(4))
        here = {one.source: one.iri for one in ws.documents}


CLUB = "Ada Byron leads the club. Bob Smith plays chess. Carl Jung wrote the rules."
COUNCIL = "Robert Smith leads the council. Robert Smith founded the town."
FINDERS = Finder(("Ada", "Bob")), Finder(("Bob", "Carl"), version="2")
NOTHING_DONE = dict.fromkeys(("merged", "retracted", "added", "anew"), False)


def club(ws, folder):
    """Read two documents about people of whom two are one."""
    for name, text in (("club.txt", CLUB), ("council.txt", COUNCIL)):
        (folder / name).write_text(text)
        ws.ingest(folder / name, extractors=[FINDERS[0] if text == CLUB else Finder(("Robert",))], progress=False)


def correct(ws, what, done):
    """Do or undo one thing by hand, or find the facts of a document anew."""
    if what == "anew":
        ws.reextract("club.txt", extractors=[FINDERS[done]], progress=False)
    elif not done:
        ws.undo(next(one for one in ws.curations if one.act == what and not one.undone))
    elif what == "merged":
        ws.merge("Robert Smith", "Bob Smith")
    elif what == "retracted":
        ws.retract("Robert Smith founded the town")
    else:
        ws.add_fact("Dora Maar", "paints", "the club", ws.document("club.txt").passage("Bob Smith plays chess."))


def corrections(ws, chance):
    """Correct on and on; each act is told when begun and when done."""
    state = {what: any(one.act == what and not one.undone for one in ws.curations) for what in NOTHING_DONE}
    state["anew"] = bool(ws.facts("Carl"))
    while True:
        what = chance.choice([*state])
        state[what] = not state[what]
        told({"begun": [what, state[what]]})
        correct(ws, what, state[what])
        told({"changed": [what, state[what]]})


def statements(folder, number):
    """Write a file of RDF of its own, of lines, of another kind, or to be held whole."""
    suffix = ("nt", "ttl", "jsonld")[number % 3]
    quads = [
        Quad(NamedNode(f"http://example.org/pump-{number}-{n}"), NamedNode("http://example.org/feeds"),
             NamedNode(f"http://example.org/tank-{n}")) for n in range(60)
    ]  # fmt: skip
    file = folder / f"pumps-{number}.{suffix}"
    file.write_bytes(serialize(quads, format=RdfFormat.from_extension(suffix)))
    return file


def reading(ws, folder, first):
    """Read files of RDF on and on; each is told when begun and when done."""
    facts_made_short(put)
    put("explorer.ingest.batch._READY", 20)
    for number in itertools.count(first):
        told({"begun": number})
        ws.ingest(statements(Path(folder).parent, number), progress=False)
        told({"read": number})


def die_before(step):
    """Have this process killed before its transaction of this number, in the library or in the graph, from now on."""
    numbers = itertools.count()

    def counted(original):
        def begun(self, *given):
            if next(numbers) == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return original(self, *given)

        return begun

    for kind, names in {
        SqliteDatabase: ["writing"], OxigraphStore: ["_written"],
        PostgresDatabase: ["writing"], EndpointServer: ["update", "fill"],
    }.items():  # fmt: skip
        for name in names:
            setattr(kind, name, counted(getattr(kind, name)))


def reindex(ws):
    """Make all vectors anew on and on; each time is told."""
    while True:
        told({"reindexed": repr(ws.reindex())})


BY_CHANCE = {"life": life, "corrections": corrections}


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
        elif what == "reading":
            reading(ws, folder, seed * 1000)
        elif what == "sealing":
            sealing(ws, chance, sorted(Path(folder).parent.glob(f"{Path(folder).name}-*.nq")))
        elif what in BY_CHANCE:
            BY_CHANCE[what](ws, chance)
        elif what.isdecimal():
            given = json.loads(sys.argv[4])
            die_before(int(what))
            if isinstance(given, list):
                correct(ws, *given)
            elif isinstance(given, str):
                made_short(put)
                facts_made_short(put)
                ws.ingest(given, progress=False)
            else:
                change(ws, seed, given)
        else:
            told({"held": ws.holder})
            sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
