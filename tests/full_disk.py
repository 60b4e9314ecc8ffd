"""A process that works on a disk that becomes full: `python -m tests.full_disk FOLDER`, the folder of a small disk.

For each amount of room that is left to an open workspace it reads a document and asks; prints what it was told, and
checks that nothing is lost or there by half, and that all goes on once there is room.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import contextmanager
from pathlib import Path

import explorer
from explorer.errors import ExplorerError
from tests.test_workspace import stored

ROOMS = (0, 40_000, 150_000, 500_000, 1_500_000, 3_000_000)  # bytes
QUESTION = "Who tested the valve?"


@contextmanager
def full(folder, room):
    """Within it the disk is full but for so many bytes; fewer, where a store writes at the same moment."""
    file = folder / "filler"
    with file.open("wb", buffering=0) as out:  # writes what there is room for, and raises nothing
        left = os.statvfs(folder)
        out.write(bytes(max(0, left.f_bavail * left.f_frsize - room)))
    try:
        yield
    finally:
        file.unlink()


def told(place, room, step):
    """What a step in an open workspace is told on a disk that is full, in words; None where it is done."""
    said = None
    with explorer.open(place) as ws, full(place.parent, room):
        try:
            step(ws)
        except ExplorerError as error:
            said = str(error)
    return said


def words(number):
    return "\n\n".join(f"Pump no. {number}-{n} was tested in Boulder." for n in range(3_000))


def there(ws, number):
    return [one for one in ws.stores.library.documents() if one.source.endswith(f"/{number}.txt")]


def read_a_document(place, room, number):
    """It is there as a whole or not at all, and goes in once there is room."""
    file = place.parent / f"{number}.txt"
    file.write_text(words(number))
    with explorer.open(place) as ws:
        before = stored(ws)
    said = told(place, room, lambda ws: ws.ingest(file, extractors=(), progress=False))
    with explorer.open(place) as ws:
        assert ws.stores.library.unfinished() == []
        assert (stored(ws) == before) == (not there(ws, number)) == (said is not None)
        ws.ingest(file, extractors=(), progress=False)
        [new] = there(ws, number)
        assert ws.text(new.iri) == words(number)
        ws.forget(new.iri)
    return said


def ask(place, room):
    """What was on record stays, and what was asked says how it ended."""
    with explorer.open(place) as ws:
        graph, tables = stored(ws)
        runs = {one.iri: ws.traces.load(one.iri).answer for one in ws.traces.list()}
    said = told(place, room, lambda ws: ws.run(QUESTION))
    with explorer.open(place) as ws:
        assert graph <= stored(ws)[0]
        assert all(before <= now for before, now in zip(tables, stored(ws)[1], strict=True))
        assert {iri: ws.traces.load(iri).answer for iri in runs} == runs
        new = [one for one in ws.traces.list() if one.iri not in runs]
        assert [one.reason for one in new] in ([["done"]] if said is None else [[], ["interrupted"], ["done"]])
        assert all(ws.verify(one.iri).is_sound for one in new)
        assert ws.run(QUESTION).reason == "done"
    return said


def main(folder):
    place = folder / "ws"
    (folder / "first.txt").write_text("Miriam Okafor tested the valve in Trondheim.")
    with explorer.open(place) as ws:
        ws.ingest(folder / "first.txt", progress=False)
        ws.run(QUESTION)
    for number, room in enumerate(ROOMS):
        said = [read_a_document(place, room, number), ask(place, room)]
        sys.stdout.write(f"{json.dumps(said)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
