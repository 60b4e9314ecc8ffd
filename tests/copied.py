"""A workspace with all that one may hold, what is compared of copies of it, and a process that is killed as it copies.

`python -m tests.copied FROM TO ENDPOINT COLLECTION STEP` copies in small batches, and kills itself before its STEP-th
write.
"""

import importlib
import itertools
import os
import signal
import sys

import explorer
from explorer.record.keys import new_key
from explorer.record.sealing import canonical
from explorer.servers.copying.content import TABLES
from explorer.stores.database import OF_PLACE
from tests.corpus import NOTES, QUESTIONS, Clock, ids, written

SMALL = {"_ROWS": 20, "_LENGTH": 5_000, "_QUADS": 150}
PUMPS = """
@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
ex:osprey rdfs:label "Osprey pump"@en, "Fischadlerpumpe"@de ; ex:part [ rdfs:label "impeller" ; ex:madeBy ex:halden ] .
ex:halden rdfs:label "Halden works" ; ex:place [ ex:street "Quay 1" ; ex:town ex:trondheim ] .
ex:trondheim rdfs:label "Trondheim" .
"""
FOREIGN = """
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix ex: <http://example.org/> .
ex:run a prov:Activity ;
    prov:qualifiedAssociation [ a prov:Association ; prov:agent ex:ana ; prov:hadPlan [ a prov:Plan ] ] .
"""
WRITES = (
    "explorer.stores.sqlite.SqliteDatabase.writing",
    "explorer.stores.graph.OxigraphStore._written",
    "explorer.servers.postgres.database.PostgresDatabase.writing",
    "explorer.stores.sparql_client.Server.update",
    "pathlib.Path.replace",
    "pathlib.Path.unlink",
)


def small(folder, place, collection):
    """Make a workspace with a document, facts of blank nodes, and a run."""
    (folder / "notes.txt").write_text(NOTES, "utf-8")
    (folder / "pumps.ttl").write_text(PUMPS, "utf-8")
    (folder / "foreign.ttl").write_text(FOREIGN, "utf-8")
    with explorer.open(place, collection=collection) as ws:
        ws.ingest(folder / "notes.txt", folder / "pumps.ttl", progress=False)
        ws.import_record(folder / "foreign.ttl")
        ws.run(QUESTIONS[0])


def full(folder, place, collection, store):
    """Make a workspace with documents, facts of blank nodes, an attached store (the address of one, and a graph of it),
    runs of each engine, and what people did; signed.
    """
    key = folder / "key.pem"
    new_key(key)
    facts = written(folder)
    (folder / "pumps.ttl").write_text(PUMPS, "utf-8")
    (folder / "foreign.ttl").write_text(FOREIGN, "utf-8")
    with explorer.open(place, collection=collection, key=key, ids=ids(), clock=Clock()) as ws:
        ws.ingest(folder / "documents", folder / "pumps.ttl", facts=facts, progress=False)
        ws.import_record(folder / "foreign.ttl")
        ws.attach(store[0], named_graph=store[1], progress=False)
        runs = [ws.run(QUESTIONS[0], engine) for engine in ("graph-rag", "document-rag", "agent")]
        ws.traces.judge(runs[0], "supported", sentence=1, by="Ana")
        ws.traces.delete(runs[2].iri)
        runs.append(ws.run(QUESTIONS[1]))
        (folder / "gone.txt").write_text("The old valve was made by Acme.", "utf-8")
        ws.ingest(folder / "gone.txt", progress=False)
        ws.run("Who made the old valve?")
        ws.forget("gone.txt", words=True)
        ws.retract("relief valve opened at 983 psi", by="Ben")
        ws.merge("Beech Aircraft", "Globe Industries")
    return runs


def record(ws):
    """The record of a workspace in its canonical form (RDFC-1.0)."""
    return canonical(ws.graph.match())


def rows(ws):
    """All rows of a workspace that are copied, by table."""
    database = ws.stores.database
    found = {}
    for table in TABLES:
        columns, key = ", ".join(table.columns), ", ".join(table.key)
        found[table.name] = [
            tuple(row) for row in database.rows(f"SELECT {columns} FROM {table.name} ORDER BY {key}")
            if table.name != "settings" or row[0] not in OF_PLACE
        ]  # fmt: skip
    return found


def checked(ws, anchor):
    """What checking says of all runs: whether it is sound, and each of its lines."""
    found = ws.verify(anchor=anchor)
    return found.is_sound, sorted(map(str, found)), found.seals


def answers(ws, *questions):
    """What a workspace answers, with the facts that it kept."""
    return [
        (run.answer, run.reason, [(edge.edge, edge.score) for edge in run.edges])
        for run in (ws.run(question, engine) for question in questions for engine in ("graph-rag", "document-rag"))
    ]


def made_small(put):
    """Have a copy be made in small batches; `put` sets an attribute by its name."""
    for name, value in SMALL.items():
        put(f"explorer.servers.copying.content.{name}", value)


def put(name, value):
    owner, _, attribute = name.rpartition(".")
    setattr(found(owner), attribute, value)


def found(name):
    """Return a module, or a class in one, by its name."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        module, _, attribute = name.rpartition(".")
        return getattr(importlib.import_module(module), attribute)


def die_before(step):
    """Have this process killed before its write of this number."""
    numbers = itertools.count()
    for name in WRITES:
        owner, _, attribute = name.rpartition(".")
        original = getattr(found(owner), attribute)

        def counted(self, *given, original=original, **more):
            if next(numbers) == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return original(self, *given, **more)

        setattr(found(owner), attribute, counted)


def main(source, target, endpoint, collection, step):
    made_small(put)
    die_before(step)
    explorer.copy(source, target, endpoint=endpoint or None, collection=collection, progress=False)


if __name__ == "__main__":
    main(*sys.argv[1:5], int(sys.argv[5]))
