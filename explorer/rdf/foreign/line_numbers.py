"""The lines that the statements of a file stand in.

The parser tells no places. It is given one line at a time, and what it then yields was complete with that line.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass

from pyoxigraph import Literal, Quad, RdfFormat, Triple, parse

GOES_ON = re.compile(rb"\s*[;,.\])}]")  # what ends a statement that stands in the line before
SAYS_NOTHING = re.compile(rb"\s*(?:#|$)")


@dataclass(slots=True)
class Place:
    """Where in a file the parser is: `line` is the number of the last line that it was given."""

    line: int = 0
    _before: int = 0  # the line above with words
    _goes_on: bool = False  # the last one ends a statement that stands there
    _is_begun: bool = False
    _told: int = 0  # the line at which the statement before was complete

    def note(self, data: bytes) -> bool:
        """Take in the next line, or the next piece of a long one; return whether a line begins."""
        begins = not self._is_begun
        if begins:
            self.line += bool(data)
            self._goes_on = bool(GOES_ON.match(data))
        if not (self._goes_on or SAYS_NOTHING.match(data)):
            self._before = self.line
        self._is_begun = not data.endswith(b"\n")
        return begins

    def stands(self) -> int:
        """Return the line in which the statement that is complete now stands."""
        found = self._before if self._goes_on and self.line != self._told else self.line
        self._told = self.line
        return found


class _Lines(io.BytesIO):
    """A file that is read line by line, at a place."""

    def __init__(self, raw: bytes) -> None:
        super().__init__(raw)
        self.place = Place()

    def read(self, size: int | None = -1) -> bytes:
        """Return the next line, or the next piece of a long one."""
        data = self.readline(size)
        self.place.note(data)
        return data


def spoken(quad: Quad) -> Quad:
    """Return a statement without a language that is empty, as in XML, where that stands for none: RDF has no such."""
    said = quad.object
    if not isinstance(said, Literal) or said.language != "":
        return quad
    return Quad(quad.subject, quad.predicate, Literal(said.value), quad.graph_name)


def numbered(
    raw: bytes, form: RdfFormat, base: str | None = None, lines: dict[Triple, int] | None = None, *,
    lenient: bool = False,
) -> Iterator[Quad]:  # fmt: skip
    """Parse a file, and write into `lines` where each triple first stands; raises as the parser does.

    A statement of several lines counts as in the last of them.
    """
    if lines is None:
        yield from map(spoken, parse(raw, format=form, base_iri=base, lenient=lenient))
        return
    file = _Lines(raw)
    for quad in map(spoken, parse(file, format=form, base_iri=base, lenient=lenient)):
        lines.setdefault(quad.triple, file.place.stands())
        yield quad
