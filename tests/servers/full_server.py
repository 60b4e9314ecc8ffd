"""Servers whose disk becomes full: `python -m tests.servers.full_server FOLDER`, a small disk that they are on.

For each amount of room that is left to them somebody reads a document and asks; prints what they were told, and checks
that nothing is lost or there by half once there is room and the servers run again.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import explorer
from explorer.errors import ExplorerError
from explorer.servers.local_servers import LocalServers
from explorer.stores.ledger import unsealed
from tests.full_disk import QUESTION, full, words

ROOMS = (0, 400_000, 1_200_000, 2_500_000, 24_000_000)  # bytes
ENDS = {"done", "declined", "error", "interrupted"}


def opened(servers):
    return explorer.open(servers.database, endpoint=servers.endpoint, timeout=10)


def tried(step):
    """What a step is told, in words; None where it is done."""
    try:
        step()
    except ExplorerError as error:
        return str(error)
    return None


def told(folder, room, file):
    """What somebody is told who reads a document and asks while the disk of the servers is full."""
    with LocalServers(folder / "servers", 0) as servers:
        ws = opened(servers)
        with full(folder, room):
            said = [tried(lambda: ws.ingest(file, extractors=(), progress=False)),
                    tried(lambda: ws.run(QUESTION))]  # fmt: skip
        tried(ws.close)  # the database may have ended
    return said


def run_out(ws):
    """Have the leases of those who could not give theirs back run out now, by the server's clock."""
    with ws.stores.database.writing() as connection:
        connection.execute(
            "UPDATE writers SET until = clock_timestamp() - interval '1 second', since = clock_timestamp() "
            "WHERE NOT taken AND token <> ?",
            (ws.stores.database.lease.token,),
        )


def check(ws, runs, file, text):
    """What was on record is as it was, the document is there as a whole or not at all, and all goes on."""
    run_out(ws)
    ws._upkeep.look()
    listed = {one.iri: one for one in ws.traces.list(limit=1_000)}
    assert {iri: ws.traces.load(iri).answer for iri in runs} == runs
    assert {one.reason for one in listed.values()} <= ENDS
    assert {one.about for one in ws.ledger if one.is_seal} == listed.keys()
    assert unsealed(ws.stores.database) == []
    assert ws.verify().is_sound
    assert ws.stores.library.unfinished() == []
    known = [one for one in ws.stores.library.documents() if one.source == str(file)]
    assert all(ws.text(one.iri) == text for one in known)
    ws.ingest(file, extractors=(), progress=False)
    [new] = [one for one in ws.stores.library.documents() if one.source.endswith(file.name)]
    assert ws.text(new.iri) == text
    ws.forget(new.iri)
    assert ws.run(QUESTION).reason == "done"


def main(folder):
    (folder / "first.txt").write_text("Miriam Okafor tested the valve in Trondheim.")
    with LocalServers(folder / "servers", 0) as servers, opened(servers) as ws:
        ws.ingest(folder / "first.txt", progress=False)
        assert ws.run(QUESTION).reason == "done"
        runs = {one.iri: ws.traces.load(one.iri).answer for one in ws.traces.list()}
    for number, room in enumerate(ROOMS):
        file = folder / f"{number}.txt"
        file.write_text(text := words(number))
        said = told(folder, room, file)
        with LocalServers(folder / "servers", 0) as servers, opened(servers) as ws:
            check(ws, runs, file, text)
            runs = {one.iri: ws.traces.load(one.iri).answer for one in ws.traces.list(limit=1_000)}
        sys.stdout.write(f"{json.dumps(said)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
