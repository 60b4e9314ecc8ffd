"""One SPARQL query answered within bounds, in a process that can be killed: it may be wrong, endless or hostile.

A process is needed even for a graph in memory: a query can neither be interrupted nor kept from using up memory, and
one that is nested deeply brings its process down. This imports nothing else of the package, so that it starts fast.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from pyoxigraph import (
    BlankNode,
    Literal,
    NamedNode,
    QueryBoolean,
    QuerySolution,
    QuerySolutions,
    QueryTriples,
    RdfFormat,
    Store,
    Triple,
    Variable,
    parse,
)

ROWS = 200
LONGEST = 2_000  # characters of one value
MOST = 100_000  # characters of all lines together

OUTSIDE = "SERVICE is refused, as nothing may leave this machine; ask the graph itself"

Term = NamedNode | BlankNode | Literal | Triple
Found = QueryBoolean | QuerySolutions | QueryTriples

_SPACE = r"(?:\s|#[^\n\r]*+[\n\r])*+"  # with comments
_SERVICE = re.compile(
    rf"service{_SPACE}(?:silent{_SPACE})?"
    r"(?:<[^>]*+>|[?$][^\s{#]*+|[^\s:{#]*+:[^\s{#\\]*+(?:\\.[^\s{#\\]*+)*+)"  # an IRI, a variable or a prefixed name
    rf"{_SPACE}\{{",
    re.IGNORECASE,
)
TOKEN = re.compile(
    r"(?P<comment>\#[^\n\r]*)"
    r"|(?P<string>'''(?:(?:'{0,2})(?:[^'\\]|\\.))*+'''|\"\"\"(?:(?:\"{0,2})(?:[^\"\\]|\\.))*+\"\"\""
    r"|'(?:[^'\\\n\r]|\\.)*+'|\"(?:[^\"\\\n\r]|\\.)*+\")"
    r"|(?P<iri><[^<>\"{}|^`\\\x00-\x20]*+>)",
    re.DOTALL,
)
"""What may hold any words in a query: a comment, a text, an IRI."""
_FROM = re.compile(r"(?<![\w?$@:.\\-])from(?![\w:.-])", re.IGNORECASE)
_SPLITS = re.compile(r"[\t\n\r]")
_ESCAPED = re.compile(r"\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})")


@dataclass(frozen=True, slots=True)
class QueryResult:
    """What a query gave: a line for each row or triple, and the IRIs in them. `cut`: there would have been more.

    The `form` is "rows", "triples" or, with the one line yes or no, "truth". With an `error` there is nothing else.
    In a `table` the lines are terms with tabs between them below `names`, and the IRIs are left out.
    """

    form: str = "rows"
    lines: tuple[str, ...] = ()
    iris: tuple[str, ...] = ()
    cut: bool = False
    error: str | None = None
    names: tuple[str, ...] = ()


def calls_out(query: str) -> bool:
    """Return whether a query may hold a SERVICE, which would be asked over the network.

    Only what stands next to the word decides, never what is a string, an IRI or a comment around it: whoever tells
    those apart differently from the parser overlooks one. So a string that holds a whole `SERVICE <…> {` counts too.
    """
    unescaped = _ESCAPED.sub(_character, query)
    return any(_SERVICE.search(text) is not None for text in {query, unescaped})


def is_of_all(query: str) -> bool:
    """Return whether a query is over all graphs together: whether no FROM of it says which."""
    return _FROM.search(TOKEN.sub(" ", query)) is None


class Answers(Protocol):
    """What a query is put to, as to pyoxigraph's store."""

    def query(
        self, query: str, *, prefixes: dict[str, str] | None = None, use_default_graph_as_union: bool = False
    ) -> Any:  # noqa: ANN401 - what is found, by the query's form
        """Answer a query."""


def ask(store: Answers, query: str) -> QueryResult:
    """Run a query over a store; facts are its default graph, the others are reached by GRAPH or FROM."""
    return _answered(query, lambda: store.query(query), _told)


def table(store: Answers, query: str, prefixes: dict[str, str], rows: int, most: int) -> QueryResult:
    """Run a query over all graphs of a store together, or those of its FROM; each line has a row's terms in N-Triples.

    At most so many rows, and characters in all of them together.
    """
    found = partial(store.query, query, prefixes=prefixes, use_default_graph_as_union=is_of_all(query))
    return _answered(query, found, lambda found: _whole(found, rows, most))


def _answered(query: str, run: Callable[[], Found], tell: Callable[[Found], QueryResult]) -> QueryResult:
    if calls_out(query):
        return QueryResult(error=OUTSIDE)
    try:
        return tell(run())
    except SyntaxError as error:
        return QueryResult(error=f"the SPARQL query can't be read: {error}")
    except (ValueError, OSError, RuntimeError) as error:
        return QueryResult(error=f"the SPARQL query can't be answered: {error}")


def _told(found: Found) -> QueryResult:
    if isinstance(found, QueryBoolean):
        return _truth(found)
    if isinstance(found, QuerySolutions):
        return _bounded("rows", ((_row(found.variables, row), row) for row in found))
    return _bounded("triples", ((f"{_cut(str(triple))} .", triple) for triple in found))


def _whole(found: Found, rows: int, most: int) -> QueryResult:
    if isinstance(found, QueryBoolean):
        return _truth(found)
    names: tuple[str, ...] = ("subject", "predicate", "object")
    if isinstance(found, QuerySolutions):
        names = tuple(one.value for one in found.variables)
    lines, size = list[str](), 0
    for row in found:
        line = _line(row)
        size += len(line)
        if len(lines) == rows or size > most:
            return QueryResult("rows", tuple(lines), cut=True, names=names)
        lines.append(line)
    return QueryResult("rows", tuple(lines), names=names)


def _line(row: Iterable[Term | None]) -> str:
    """Write the terms of a row in a line, with tabs between them: in texts these are escaped, in some IRIs not yet."""
    terms = ["" if term is None else _term(term) for term in row]
    line = "\t".join(terms)
    if "\n" not in line and "\r" not in line and line.count("\t") < max(len(terms), 1):
        return line
    return "\t".join(_SPLITS.sub(lambda found: f"\\u{ord(found[0]):04X}", term) for term in terms)


def _term(term: Term) -> str:
    if isinstance(term, Triple):
        return f"<<( {term.subject} {term.predicate} {_term(term.object)} )>>"
    return str(term)


def _truth(found: QueryBoolean) -> QueryResult:
    return QueryResult("truth", ("yes" if found else "no",))


def _bounded(form: str, found: Iterable[tuple[str, Iterable[Term | None]]]) -> QueryResult:
    lines, iris, size, cut = list[str](), dict[str, None](), 0, False
    for line, terms in islice(found, ROWS + 1):
        size += len(line) + 1
        if len(lines) == ROWS or size > MOST:
            cut = True
            break
        lines.append(line)
        iris.update(dict.fromkeys(_iris(terms)))
    return QueryResult(form, tuple(lines), tuple(iris), cut)


def _row(variables: Sequence[Variable], row: QuerySolution) -> str:
    shown = {}
    for variable, term in zip(variables, row, strict=True):
        if term is not None:
            text = term.value if isinstance(term, NamedNode | Literal) else str(term)
            shown[variable.value] = _cut(f"<<( {text} )>>" if isinstance(term, Triple) else text)
    return json.dumps(shown, ensure_ascii=False)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… [{len(text):,} characters in all]"


def _iris(terms: Iterable[Term | None]) -> Iterator[str]:
    for term in terms:
        if isinstance(term, NamedNode):
            yield term.value
        elif isinstance(term, Triple):
            yield from _iris(term)


def _character(escape: re.Match[str]) -> str:
    code = int(escape[1] or escape[2], 16)
    return chr(code) if code < sys.maxunicode else ""


def answer(graph: Path | bytes, asked: str | dict[str, Any]) -> QueryResult:
    """Answer a query, or the arguments of `table`, of a snapshot of the store in a folder, or of quads in N-Quads."""
    try:
        if isinstance(graph, Path):
            store = snapshot(str(graph))
        else:
            store = Store()
            store.bulk_extend(parse(graph, RdfFormat.N_QUADS, lenient=True))  # keeps the names of blank nodes
    except (OSError, RuntimeError) as error:
        return QueryResult(error=f"the graph can't be read: {error}")
    return ask(store, asked) if isinstance(asked, str) else table(store, **asked)


def snapshot(path: str) -> Store:
    """Open a store for reading; tries again for a second, since its writer may just be replacing files."""
    for pause in (0.02, 0.05, 0.1, 0.3, 0.5):
        try:
            return Store.read_only(path)
        except (OSError, RuntimeError):
            time.sleep(pause)
    return Store.read_only(path)
