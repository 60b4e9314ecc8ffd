"""The lines that the statements of a file stand in.

The parser tells no places. It is given one line at a time, and what it then yields was complete with that line.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

from pyoxigraph import Quad, RdfFormat, Triple, parse

GOES_ON = re.compile(rb"\s*[;,.\])}]")  # what ends a statement that stands in the line before
SAYS_NOTHING = re.compile(rb"\s*(?:#|$)")


class _Lines(io.BytesIO):
    """A file that is read line by line; `line` is the number of the last one, `before` of the one above with words."""

    def __init__(self, raw: bytes) -> None:
        super().__init__(raw)
        self.line = self.before = 0
        self.goes_on = self._is_begun = False

    def read(self, size: int | None = -1) -> bytes:
        """Return the next line, or the next piece of a long one."""
        data = self.readline(size)
        if not self._is_begun:
            self.line += 1
            self.goes_on = bool(GOES_ON.match(data))
        if not (self.goes_on or SAYS_NOTHING.match(data)):
            self.before = self.line
        self._is_begun = not data.endswith(b"\n")
        return data


def numbered(
    raw: bytes, form: RdfFormat, base: str | None = None, lines: dict[Triple, int] | None = None, *,
    lenient: bool = False,
) -> Iterator[Quad]:  # fmt: skip
    """Parse a file, and write into `lines` where each triple first stands; raises as the parser does.

    A statement of several lines counts as in the last of them.
    """
    if lines is None:
        yield from parse(raw, format=form, base_iri=base, lenient=lenient)
        return
    file, last = _Lines(raw), 0
    for quad in parse(file, format=form, base_iri=base, lenient=lenient):
        stands = file.before if file.goes_on and file.line != last else file.line
        last = file.line
        lines.setdefault(quad.triple, stands)
        yield quad
