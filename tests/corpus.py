"""Three small documents that many tests read, and the workspace that is made of them once."""

from __future__ import annotations

import atexit
import io
import itertools
import json
import shutil
import tempfile
import threading
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

import explorer
from tests.opened import ON_SERVERS

VALVES = """# Valves of the tank

## Relief valve

Beech Aircraft built the relief valve in 1966. The relief valve protects the oxygen tank.
Beech Aircraft tested the relief valve in Boulder.

## Fan motors

Two fans stir the oxygen. The fan motors were made by Globe Industries.
"""
NOTES = """Notes of the shift

GUIDANCE: The relief valve opened at 983 psi. Crew members heard a loud bang.
The heater switches failed because the ground supply gave 65 V DC.
Beech Aircraft built the relief valve in 1966.
"""
PAGES = (
    ("The heater switches were rated for 28 V DC.", "The ground supply gave 65 V DC."),
    ("The heater switches welded shut.", "The Teflon insulation burned in the oxygen."),
)
FACTS = (
    ("relief valve", "was built by", "Beech Aircraft", "valves.md", "Beech Aircraft built the relief valve in 1966."),
    ("relief valve", "was built by", "Beech Aircraft", "notes.txt", "Beech Aircraft built the relief valve in 1966."),
    ("relief valve", "opened at", "983 psi", "notes.txt", "The relief valve opened at 983 psi."),
    ("heater switches", "were rated for", "28 V DC", "report.pdf", "The heater switches were rated for 28 V DC."),
    (
        "heater switches",
        "failed because of",
        "ground supply",
        "notes.txt",
        "The heater switches failed because the ground supply gave 65 V DC.",
    ),
)
QUESTIONS = (
    "Who built the relief valve?",
    "Why did the heater switches fail?",
    "At what pressure did the relief valve open?",
    "Who is the mayor of Lisbon?",
)
OPEN = "What is the relief valve?"
"""A question that many facts fit."""


class Clock:
    """Gives a time that goes on by one second at each look, the same in each test; for several threads."""

    def __init__(self, begun=0):
        self._seconds = itertools.count(begun)
        self._lock = threading.Lock()

    def __call__(self):
        return datetime(2026, 1, 15, 10, 30, tzinfo=UTC) + timedelta(seconds=self.second())

    def second(self):
        """How often it was looked at before."""
        with self._lock:
            return next(self._seconds)


def still():
    """A time that stands still."""
    return datetime(2026, 1, 15, 10, 30, tzinfo=UTC)


def ids(prefix="s", begun=1):
    """Session ids that count: s1, s2…"""
    numbers = itertools.count(begun)
    return lambda: f"{prefix}{next(numbers)}"


def pdf(*pages):
    from reportlab.pdfgen.canvas import Canvas

    data = io.BytesIO()
    canvas = Canvas(data, pagesize=(400, 300), invariant=True)
    canvas.setTitle("Report on the switches")
    for lines in pages:
        canvas.setFont("Helvetica", 10)
        for number, line in enumerate(lines):
            canvas.drawString(50, 250 - 30 * number, line)
        canvas.showPage()
    canvas.save()
    return data.getvalue()


def fact_lines(facts=FACTS):
    names = ("subject", "predicate", "object", "document", "quote")
    return "".join(json.dumps(dict(zip(names, fact, strict=True))) + "\n" for fact in facts)


def written(folder):
    """The corpus as files; gives the facts file, which lies outside of the folder with the documents."""
    documents = folder / "documents"
    documents.mkdir()
    (documents / "valves.md").write_text(VALVES, "utf-8")
    (documents / "notes.txt").write_text(NOTES, "utf-8")
    (documents / "report.pdf").write_bytes(pdf(*PAGES))
    facts = folder / "facts.jsonl"
    facts.write_text(fact_lines(), "utf-8")
    return facts


def filled(path=None, **options):
    """A new workspace with the corpus in it: a copy of one that has read it, with no options but a key."""
    if options.keys() - {"key"} or ON_SERVERS or (path and Path(path).exists()):
        return filled_anew(path, **options)
    if path is None:
        return copy_of(read, **options)
    folder, seconds = read_in_a_folder()
    shutil.copytree(folder, path)
    return explorer.open(path, ids=ids(), clock=Clock(seconds), **options)


def with_corpus(scope="function"):
    """A fixture that is a workspace with the corpus in it, of each test's own, or one of its module's."""
    import pytest

    @pytest.fixture(scope=scope)
    def ws():
        with filled() as made:
            yield made

    return ws


def filled_anew(path, **options):
    """A new workspace that reads the corpus: while it is open, no file of a folder goes that was there before."""
    return read(explorer.open(path, ids=ids(), clock=Clock(), **options))


def read(ws):
    with tempfile.TemporaryDirectory() as folder:
        facts = written(Path(folder))
        ws.ingest(facts.parent / "documents", facts=facts, progress=False)
    return ws


@cache
def read_in_a_folder():
    """A folder that nobody opens, and the second at which what is in it was done."""
    folder, clock = Path(tempfile.mkdtemp(prefix="explorer-corpus-")), Clock()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with read(explorer.open(folder / "ws", ids=ids(), clock=clock)):
        pass
    return folder / "ws", clock.second()


def copy_of(fill, **options):
    """A new workspace in memory as `fill` has filled and returned it: once, of which all that it gives are copies."""
    if ON_SERVERS:
        return fill(explorer.open(ids=ids(), clock=Clock()))
    ws, session, second = filled_once(fill)
    copy = explorer.open(ids=ids(begun=session), clock=Clock(second), **options)
    ws.stores.database._connection().backup(copy.stores.database._connection())
    copy.graph.add(ws.graph.match())
    return copy


@cache
def filled_once(fill):
    """A workspace that nobody changes, the number of its next session, and the second at which it was filled."""
    sessions, clock = ids(), Clock()
    ws = fill(explorer.open(ids=sessions, clock=clock))
    return ws, int(sessions()[1:]), clock.second()


@cache
def shared():
    """The workspace in memory that tests share which only ask and read."""
    return filled()
