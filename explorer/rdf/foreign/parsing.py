"""Parsing of files of other systems: nothing in them is trusted, and what can't be read is refused by line and column.

In N-Quads and N-Triples each statement stands for itself: a bad one is refused, the rest is read. How the other formats
are read stands in `documents`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from pyoxigraph import Quad, RdfFormat, Triple, parse

from explorer.errors import RecordError
from explorer.rdf.foreign.line_numbers import numbered
from explorer.rdf.foreign.quoted_triples import DEPTH, has_quoted, quoted_line, too_deep
from explorer.rdf.foreign.refused_statements import TOO_DEEP, TOO_LONG, RefusedStatement, position, reason, shown
from explorer.rdf.formats import FORMATS, WRITTEN, guess, raw_bytes
from explorer.rdf.provformats import PROV_FORMATS, PROV_XML
from explorer.rdf.reification import unreified
from explorer.vocab import FACTS, Graph

LINE_FORMATS = ("nq", "nt")
LONGEST_LINE = 16_000_000  # bytes


@dataclass(frozen=True, slots=True)
class Loaded:
    """The `given` statements of a file, of which `quads` were read and the others refused.

    `lines`: the line that each triple first stands in, counted from 1, where that was asked for and is known.
    """

    quads: tuple[Quad, ...]
    refused: tuple[RefusedStatement, ...]
    given: int
    lines: Mapping[Triple, int] = field(default_factory=dict)


def load(
    data: bytes | str, form: str | None = None, graph: Graph | None = None, *, base: str | None = None,
    with_lines: bool = False,
) -> Loaded:  # fmt: skip
    """Return what a file holds, in one of the formats `WRITTEN`, guessed from the content where none is named.

    `graph` is where statements go that name no graph themselves, so all of Turtle, N-Triples and RDF/XML. IRIs are
    relative to `base`. `with_lines` finds where each triple stands, but for JSON-LD. Raises RecordError, which names
    line and column, for a syntax error in a format that has no lines of its own.
    """
    raw = raw_bytes(data)
    form = form or guess(None, raw)
    if form not in (*WRITTEN, PROV_XML):
        raise RecordError(f"The format {form!r} is not known; choose one of {', '.join(WRITTEN)}.")
    lines: dict[Triple, int] | None = {} if with_lines and form not in ("json-ld", PROV_XML, *PROV_FORMATS) else None
    found = list(_read(raw, form, base, lines))
    refused = tuple(item for item in found if isinstance(item, RefusedStatement))
    quads = unreified([item for item in found if isinstance(item, Quad)])
    if graph is not None:
        quads = [
            Quad(quad.subject, quad.predicate, quad.object, graph) if quad.graph_name == FACTS else quad
            for quad in quads
        ]
    return Loaded(tuple(quads), refused, len(quads) + len(refused), lines or {})


def _read(
    raw: bytes, form: str, base: str | None, lines: dict[Triple, int] | None
) -> Iterable[Quad | RefusedStatement]:
    from explorer.rdf.foreign.checked_syntax import read_document
    from explorer.rdf.foreign.prov import read_prov

    if form in (*PROV_FORMATS, PROV_XML):
        return read_prov(raw, form)
    return read_lines(raw, form, lines) if form in LINE_FORMATS else read_document(raw, form, base, lines)


def read_lines(raw: bytes, form: str, where: dict[Triple, int] | None) -> Iterator[Quad | RefusedStatement]:
    """Read N-Quads or N-Triples, all at once if nothing is wrong, else statement by statement."""
    lines = raw.splitlines()
    quoted = has_quoted(raw)
    if b"<<" not in raw or max(line.count(b"<<") for line in lines) <= DEPTH:
        text = b"\n".join(quoted_line(line)[0] if has_quoted(line) else line for line in lines) if quoted else raw
        with suppress(SyntaxError, MemoryError):
            yield from list(numbered(text, FORMATS[form], lines=where))
            return
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.lstrip().startswith(b"#"):
            read = _statement(line, number, FORMATS[form])
            if where is not None and isinstance(read, Quad):
                where.setdefault(read.triple, number)
            yield read


def _statement(line: bytes, number: int, rdf_format: RdfFormat) -> Quad | RefusedStatement:
    if (offset := too_deep(line)) is not None:
        return RefusedStatement(number, position(line, offset)[1], shown(line), TOO_DEEP)
    text, added = quoted_line(line) if has_quoted(line) else (line, [])
    quad: Quad
    try:
        [quad] = parse(text, format=rdf_format)
    except SyntaxError as error:
        before = len(text.decode("utf-8", "replace")[: (error.offset or 1) - 1].encode())
        column = (error.offset or 1) - sum(place < before for place in added)
        return RefusedStatement(number, column, shown(line), reason(error))
    except MemoryError:
        return RefusedStatement(number, 1, shown(line), TOO_LONG)
    return quad
