"""Files of RDF. Each is gone through twice: first what it says goes into a store, which then answers what things are
called and what is said of a statement, wherever in the file that stands; then each statement is put into words.

A long one is read some statements at a time, and that store is in a temporary folder: no more is held, however long the
file is. A short one is held whole, and so is one of JSON-LD, which may tell at its end what its terms mean.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from io import BytesIO
from typing import BinaryIO, NamedTuple

from pyoxigraph import Quad, Triple

from explorer import rdf
from explorer.errors import DocumentError, RecordError
from explorer.ingest.limits import Limits
from explorer.ingest.readers import rdf_facts
from explorer.ingest.readers.document_text import NoFacts, Reading
from explorer.ingest.readers.files import Source, opened
from explorer.ingest.readers.formats import format_of, is_archive
from explorer.ingest.readers.rdf_facts import Statement, Telling, holds_runs
from explorer.ingest.readers.rdf_lookup import Said

LONG = 2_000_000
"""Bytes of a file of RDF beyond which it is read and stored a stretch at a time."""
_HEAD = 1_000_000  # bytes that tell the format
_FIRST = 100_000  # bytes that tell what it is
_BYTES, _MANY = 200_000, 1_500  # of a stretch: of a format of lines, and statements of another


class Stretch(NamedTuple):
    """Some statements as a reading of their own, whose places count in the whole text; the bytes that they are of, and
    which share of the file is done with them.
    """

    start: int
    reading: Reading
    data: bytes
    share: float


@dataclass(frozen=True, slots=True)
class RdfFile:
    """A file of RDF, by the hash of its bytes; `data` are these where it is held whole, and `opened` opens it."""

    name: str
    place: str
    form: str
    sha256: str
    size: int
    head: bytes = field(repr=False)
    opened: Callable[[], AbstractContextManager[BinaryIO]] = field(repr=False)
    data: bytes | None = field(default=None, repr=False)

    @classmethod
    def held(cls, data: bytes, name: str, place: str) -> RdfFile:
        """Return one that is held whole."""
        sha256, form = hashlib.sha256(data).hexdigest(), rdf_facts.form_of(data, name)
        return cls(name, place, form, sha256, len(data), data[:_FIRST], partial(BytesIO, data), data)

    @contextmanager
    def surveyed(self) -> Iterator[Survey]:
        """Give a survey of it; that of a long one takes room on disk as long as it lasts."""
        room = tempfile.TemporaryDirectory(prefix="explorer-", ignore_cleanup_errors=True)
        with nullcontext() if self.data is not None else room as folder:
            survey = Survey(self, folder)
            try:
                yield survey
            finally:
                survey.said.close()

    @property
    def reading(self) -> Reading:
        """A reading of it before anything of it is read."""
        title, mime, _ = rdf_facts.about_file(self.head, self.name, self.form)
        return Reading(title, mime, "")

    @property
    def base(self) -> str:
        """What the file calls itself."""
        return rdf_facts.base_of(self.place, self.name)


def read_facts(data: bytes, name: str, place: str) -> Reading:
    """Read a file of RDF; `place` is where it stands, to which IRIs in it are relative.

    Raises DocumentError for what is none, for a file with recorded runs in it, and where it states nothing.
    """
    with RdfFile.held(data, name, place).surveyed() as survey:
        for _ in survey.look():
            pass
        [whole] = survey.stretches()
        return replace(whole.reading, refused=survey.refused, notes=survey.notes, no_facts=survey.no_facts)


def long_rdf_file(source: Source, place: str, limits: Limits) -> RdfFile | None:
    """Look at a file that stands at a place; None for one that is no RDF of more than LONG bytes.

    Raises DocumentError where it can't be read, or has more bytes than are allowed, also in a format of which the whole
    is to be held.
    """
    name = source.name
    with opened(source) as file:
        size = file.seek(0, 2)
        if size <= LONG:
            return None
        limits.check_size(name, size)
        file.seek(0)
        head = file.read(_HEAD)
        if is_archive(head) or not format_of(head, name).is_rdf:
            return None
        form = rdf_facts.form_of(head, name)
        if form not in rdf.STREAMED:
            limits.check_size(name, size, limits.most_held)
            return None
        file.seek(0)
        seen = hashlib.sha256()
        while data := file.read(_HEAD):
            seen.update(data)
        return RdfFile(name, place, form, seen.hexdigest(), size, head[:_FIRST], partial(opened, source))


class Survey:
    """What is known of a file once it was looked through, and its statements in words."""

    def __init__(self, file: RdfFile, folder: str | None) -> None:
        self.file = file
        self.said = Said(file.sha256[:32], rdf_facts.about_file(file.head, file.name, file.form)[2], folder)
        self.reading = file.reading
        self.refused: tuple[str, ...] = ()
        self.notes: tuple[str, ...] = ()
        self.no_facts = NoFacts()
        self._folder = folder
        self._whole: rdf.Block | None = None  # of a file that is held

    def look(self) -> Iterator[float]:
        """Go through the file for the first time; yields which share of it is done.

        Raises DocumentError for what is no RDF, with line and column, and for a file of recorded runs.
        """
        try:
            yield from self._look()
        except RecordError as error:
            raise rdf_facts.unreadable(self.file.name, error) from error
        except OSError as error:
            raise DocumentError(
                f"{self.file.name} can't be looked through, as {self._folder} can't be written ({error}); make room "
                "there, or name another folder in TMPDIR."
            ) from error

    def _look(self) -> Iterator[float]:
        refused, many = list[rdf.RefusedStatement](), 0
        with self.file.opened() as file:
            for block in self._blocks(file):
                quads = [one for one in block.found if isinstance(one, Quad)]
                if holds_runs(quads):
                    raise rdf_facts.of_runs(self.file.name)
                faults = [one for one in block.found if isinstance(one, rdf.RefusedStatement)]
                refused += faults[: max(0, rdf_facts.REFUSED - len(refused))]
                many += len(faults)
                self.said.add(quads)
                yield file.tell() / self.file.size
        self.said.look()
        self.refused = tuple(rdf_facts.refusals(refused, many))
        title, author, date = Telling(self.said, self.file.base).itself()
        self.reading = replace(self.reading, title=title or self.reading.title, author=author, date=date)

    def _blocks(self, file: rdf.Readable, *, with_lines: bool = False) -> Iterator[rdf.Block]:
        form, base, data = self.file.form, self.file.base, self.file.data
        if data is None:
            yield from rdf.blocks(file, form, base, with_lines=with_lines, size=_BYTES, many=_MANY)
            return
        if self._whole is None:
            loaded = rdf.load(data, form, base=base, with_lines=True)
            self._whole = rdf.Block([*loaded.quads, *loaded.refused], dict(loaded.lines))
        yield self._whole

    def stretches(self) -> Iterator[Stretch]:
        """Go through the file for the second time, and put it into words, of which each stretch has some.

        Raises DocumentError where it is no longer the file that was looked through, and where it states no fact.
        """
        held: Stretch | None = None
        for one in self._stretches():
            if held is None:
                held = one
            elif not one.reading.text:
                held = held._replace(data=held.data + one.data, share=one.share)
            elif not held.reading.text:
                held = one._replace(data=held.data + one.data)
            else:
                yield held
                held = one
        if held is None or not held.reading.text:
            raise rdf_facts.without_facts(self.file.name, self.refused, self.no_facts.beside)
        yield held

    def _stretches(self) -> Iterator[Stretch]:
        """Yield stretches, each with some bytes; some may have no text."""
        name = self.file.name
        changed = DocumentError(f"{name} was changed while it was read; try again when nobody writes to it.")
        telling = Telling(self.said, self.file.base)
        self.said.begin_again()
        at, part, number = 0, 1, 0
        found: dict[Triple, Statement] = {}

        def stretch(data: bytes) -> Stretch:
            nonlocal at, part, number, found
            start, share = at, copied.tell() / self.file.size
            text, parts, facts = rdf_facts.written([*found.values()], at, part, number) if found else ("", (), ())
            at, part, number, found = at + len(text), part + len(parts), number + len(found), {}
            return Stretch(start, replace(self.reading, text=text, parts=parts, facts=facts), data, share)

        with self.file.opened() as file:
            copied = _Copied(file)
            try:
                for block in self._blocks(copied, with_lines=True):
                    self._put_into_words(block, telling, found)
                    if data := copied.taken():  # else the parser had them with the stretch before
                        yield stretch(data)
            except RecordError as error:
                raise changed from error
            yield stretch(copied.rest())
        if copied.sha256 != self.file.sha256:
            raise changed
        self.notes = tuple(rdf_facts.notes(self.reading.mime, self.no_facts, self.said.quoted))

    def _put_into_words(self, block: rdf.Block, telling: Telling, found: dict[Triple, Statement]) -> None:
        for given in (one for one in block.found if isinstance(one, Quad)):
            members = list(self.said.members(given))
            self.no_facts.lists += 1 - len(members)
            for quad in members:
                if telling.is_beside(quad):
                    self.no_facts.beside += 1
                elif quad.triple not in found:
                    one = telling.statement(quad, block.lines.get(given.triple))
                    if one is None or (not one.is_fact and quad.predicate.value in self.said.naming.labels):
                        self.no_facts.names += 1
                    elif not one.is_fact:
                        self.no_facts.texts += 1
                    if one is not None:
                        found[quad.triple] = one


class _Copied:
    """A file whose bytes are copied as they are read."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._hash = hashlib.sha256()
        self._taken = bytearray()

    def read(self, size: int = -1) -> bytes:
        """Read on."""
        return self._copied(self._file.read(size))

    def readline(self, size: int = -1) -> bytes:
        """Read a line, or a piece of it."""
        return self._copied(self._file.readline(size))

    def _copied(self, data: bytes) -> bytes:
        self._hash.update(data)
        self._taken += data
        return data

    def seek(self, place: int) -> int:
        """Begin again at the start."""
        self._hash = hashlib.sha256()
        self._taken.clear()
        return self._file.seek(place)

    def tell(self) -> int:
        """Return how far it was read."""
        return self._file.tell()

    def taken(self) -> bytes:
        """Return what was read since the last time, but for the last byte."""
        data = bytes(self._taken[:-1])
        del self._taken[: len(data)]
        return data

    def rest(self) -> bytes:
        """Read to the end; return what was read since the last time."""
        while self.read(_HEAD):
            pass
        return bytes(self._taken)

    @property
    def sha256(self) -> str:
        """The hash of what was read."""
        return self._hash.hexdigest()
