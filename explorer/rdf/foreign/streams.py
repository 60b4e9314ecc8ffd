"""Files of triples of any size, some statements at a time: what is held of them does not grow with the file.

JSON-LD is not among them: what its terms mean may stand at its end.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import BinaryIO, NamedTuple, Protocol, cast

from pyoxigraph import BlankNode, Quad, Triple, parse

from explorer.rdf.foreign.checked_syntax import check_xml, fault_of, in_double_quotes, terms
from explorer.rdf.foreign.line_numbers import Place, spoken
from explorer.rdf.foreign.parsing import LINE_FORMATS, LONGEST_LINE, read_lines
from explorer.rdf.foreign.quoted_triples import DEPTH, folded
from explorer.rdf.foreign.refused_statements import TOO_DEEP, TOO_LONG, RefusedStatement, reason, shown, unreadable
from explorer.rdf.formats import FORMATS
from explorer.rdf.writing import Term

STREAMED = (*LINE_FORMATS, "trig", "turtle", "rdfxml")
"""The formats that can be read so."""

_BLOCK = 4_000_000  # bytes of lines
_MANY = 20_000  # statements of other formats
_MOST = 10  # times as many, where they hang together
_PIECE = 64_000  # bytes of a line
_SOUND = 100_000  # terms that are known to be valid
_TOKEN = re.compile(rb"""<<|>>|\"{3}|'{3}|["']|<[^<>"{}|^`\s]*+>|#[^\n\r]*+|\\.""")
_CLOSED = {  # what ends a text that began so
    b'"': re.compile(rb'(?:[^"\\]|\\.)*+"', re.DOTALL),
    b"'": re.compile(rb"(?:[^'\\]|\\.)*+'", re.DOTALL),
    b'"' * 3: re.compile(rb'(?:[^"\\]|\\.|"(?!""))*+"{3}', re.DOTALL),
    b"'" * 3: re.compile(rb"(?:[^'\\]|\\.|'(?!''))*+'{3}", re.DOTALL),
}
_MARKS = re.compile(rb"""<<|>>|"{3}|'{3}""")
_MARK = b"\xef\xbb\xbf"
_ANONYMOUS = re.compile(r"[0-9a-f]{20,}")  # as the parser names nodes that have no label in the file


class Lines(Protocol):
    """What is asked of a file that is read line by line."""

    def readline(self, size: int = -1, /) -> bytes:
        """Read to the end of a line."""


class Readable(Lines, Protocol):
    """What is asked of a file."""

    def read(self, size: int = -1, /) -> bytes:
        """Read on."""

    def seek(self, place: int, /) -> int:
        """Go to a place."""


class Block(NamedTuple):
    """Some statements, and the line that each triple among them first stands in, where that was asked for."""

    found: list[Quad | RefusedStatement]
    lines: dict[Triple, int]


def blocks(
    file: Readable, form: str, base: str | None = None, *, with_lines: bool = False, size: int = 0,
    many: int = 0,
) -> Iterator[Block]:  # fmt: skip
    """Yield the statements of a file in a format of `STREAMED`, of lines `size` bytes at a time, else `many`,
    as many as is fast by default.

    Raises RecordError, which names line and column, for a syntax error in a format that has no lines of its own: what
    was yielded before is not to be kept then.
    """
    if form in LINE_FORMATS:
        yield from _line_blocks(file, form, size or _BLOCK, with_lines=with_lines)
        return
    lines: Lines = file
    if form == "rdfxml":
        check_xml(iter(lambda: file.read(_PIECE), b""))
        file.seek(0)
        lines = _Begun(io.BytesIO(in_double_quotes(file.read(_PIECE) + file.readline(LONGEST_LINE))), file)
    watched = _Watched(lines, form, quotes=form != "rdfxml")
    for block in _document_blocks(watched, form, base, many or _MANY):
        yield Block(folded_in(block.found), block.lines) if form != "rdfxml" else block


@dataclass(frozen=True, slots=True)
class _Begun:
    """A file of which whole lines at the begin were read."""

    begin: BinaryIO
    rest: Lines

    def readline(self, size: int = -1) -> bytes:
        """Read to the end of a line."""
        return self.begin.readline(size) or self.rest.readline(size)


def _line_blocks(file: Readable, form: str, size: int, *, with_lines: bool) -> Iterator[Block]:
    before = 0
    while data := file.read(size):
        data = (data if before else data.removeprefix(_MARK)) + file.readline(LONGEST_LINE)
        long, rest = b"", b"" if data.endswith(b"\n") else file.readline(LONGEST_LINE)
        if rest:
            start = data.rfind(b"\n") + 1
            data, long = data[:start] + b"\n", data[start:]
            while rest and not rest.endswith(b"\n"):
                rest = file.readline(LONGEST_LINE)
        where: dict[Triple, int] = {}
        found = list(read_lines(data, form, where if with_lines else None))
        yield Block(
            [replace(one, line=one.line + before) if isinstance(one, RefusedStatement) and one.line else one
             for one in found],
            {triple: line + before for triple, line in where.items()},
        )  # fmt: skip
        before += len(data.splitlines())
        if long:
            yield Block([RefusedStatement(before, 1, shown(long), TOO_LONG)], {})


def _document_blocks(watched: _Watched, form: str, base: str | None, many: int) -> Iterator[Block]:
    sound, block = set[Term](), Block([], {})
    try:
        for quad in map(spoken, parse(cast("BinaryIO", watched), format=FORMATS[form], base_iri=base, lenient=True)):
            # what `<< s p o >>` becomes is two statements, which hang together by a blank node
            hangs = isinstance(quad.subject, BlankNode) or isinstance(quad.object, BlankNode)
            if len(block.found) >= many and (not hangs or len(block.found) >= _MOST * many):
                yield block
                block = Block([], {})
                if len(sound) > _SOUND:
                    sound.clear()
            fault = next((fault for term in terms(quad) if (fault := fault_of(term, sound))), None)
            line = watched.place.stands()
            if fault is None:
                block.found.append(quad)
                block.lines.setdefault(quad.triple, line)
            else:
                block.found.append(RefusedStatement(watched.place.line, None, shown(str(quad).encode()), fault[1]))
    except SyntaxError as error:
        watched.check()
        raise unreadable(form, reason(error), error.lineno, error.offset) from None
    except MemoryError:
        raise unreadable(form, TOO_LONG, watched.place.line, 1) from None
    watched.check()
    yield block


def folded_in(found: Iterable[Quad | RefusedStatement]) -> list[Quad | RefusedStatement]:
    """Put triple terms in place of what quotes them, as `folded` does, of nodes that nothing else can mention."""
    given = list(found)
    quads = folded([one for one in given if isinstance(one, Quad)], lambda node: bool(_ANONYMOUS.fullmatch(node.value)))
    return [*quads, *(one for one in given if isinstance(one, RefusedStatement))]


@dataclass(slots=True)
class _Watched:
    """A file that the parser reads line by line, checked for what would crash or deceive it."""

    file: Lines
    form: str
    quotes: bool
    place: Place = field(default_factory=Place)
    _bytes: int = 0
    _column: int = 0  # characters of the last line
    _fault: Exception | None = None
    _depth: int = 0  # of triples in each other
    _within: bytes = b""  # what the text began with that goes on in the next line
    _decoder: codecs.IncrementalDecoder = field(default_factory=codecs.getincrementaldecoder("utf-8"))

    def read(self, size: int = -1) -> bytes:
        """Return the next line, or the next piece of a long one; nothing more once it is at fault."""
        if self._fault is not None:
            return b""
        data = self.file.readline(size if 0 < size < _PIECE else _PIECE)
        if not self._bytes and data.startswith(_MARK):
            data = data.removeprefix(_MARK) or self.file.readline(_PIECE)
        if self.place.note(data):
            self._column = 0
        is_sound = self._is_sound(data)
        self._bytes += len(data)
        return data if is_sound else b""

    def _is_sound(self, data: bytes) -> bool:
        held, _ = self._decoder.getstate()
        try:
            self._column += len(self._decoder.decode(data, final=not data))
        except UnicodeDecodeError as error:
            whole, at = held + data, error.start
            byte = self._bytes - len(held) + at
            column = self._column + len(whole[:at].decode(errors="replace")) + 1
            no_text = f"byte {byte} is 0x{whole[at]:02x}, which is not UTF-8"
            self._fault = unreadable(self.form, no_text, self.place.line, column)
        if self.quotes and (self._within or self._depth or _MARKS.search(data)):
            self._count(data)
            if self._depth > DEPTH:
                self._fault = unreadable(self.form, TOO_DEEP, self.place.line, 1)
        return self._fault is None

    def _count(self, data: bytes) -> None:
        """Count how deeply triples stand in each other at the end of a piece, at the most."""
        at = 0
        while at < len(data) and self._depth <= DEPTH:
            within = self._within
            token = _CLOSED[within].match(data, at) if within else _TOKEN.search(data, at)
            if token is None:
                return
            at = token.end()
            if within:
                self._within = b""
            elif token[0] in _CLOSED:
                self._within = token[0]
            elif token[0] in (b"<<", b">>"):
                self._depth = max(0, self._depth + (1 if token[0] == b"<<" else -1))

    def check(self) -> None:
        """Raise what was found at fault."""
        if self._fault is not None:
            raise self._fault
