"""What is asked of a SPARQL store that others fill: how much it holds, and its statements page by page.

Pages follow the names of subjects, so that a server which caps its replies in silence loses nothing, and reading can go
on where it stopped.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast
from urllib.parse import unquote, urlsplit

from pyoxigraph import (
    BlankNode,
    CanonicalizationAlgorithm,
    Dataset,
    DefaultGraph,
    Literal,
    NamedNode,
    Quad,
    QueryResultsFormat,
    QuerySolutions,
    Store,
    Triple,
    parse_query_results,
)

from explorer.errors import WorkspaceError
from explorer.stores.attached import Attachment
from explorer.stores.graph import Object
from explorer.stores.places import plain
from explorer.stores.sparql import OUTSIDE, calls_out
from explorer.stores.sparql_client import Address, RefusedError, Server
from explorer.text import one_line, truncate

MOST_BYTES = 200_000_000
"""Bytes of one reply."""
HOST, USER, PASSWORD, TOKEN = (f"EXPLORER_ATTACHED_{name}" for name in ("HOST", "USER", "PASSWORD", "TOKEN"))

_PROLOGUE = re.compile(r"\s*(?:(?:PREFIX\s+[^\s:<]*:\s*<[^<>\"{}|^`\\\s]*>|#[^\n]*\n)\s*)*", re.IGNORECASE)
_PLAIN = "isIRI(?s) && !isBlank(?o)"
_ORDER = 'STR(?s) STR(?p) STR(?o) COALESCE(LANG(?o), "") COALESCE(STR(DATATYPE(?o)), "")'
_COUNT, _LIST = "count what it holds", "give its statements in order"


class NoTerm(NamedTuple):
    """What stands in a reply where a term should, and why it is none."""

    value: str
    why: str


Cells = dict[str, "Object | NoTerm"]
"""A row of a reply by the names of its columns."""


class Row(NamedTuple):
    """One statement: its subject as the server names it, and a line of N-Quads; None where it is no RDF, and why."""

    subject: str
    line: str | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Counts:
    """How much a store holds: its predicates, in order, with how many statements of IRIs and texts each has; predicates
    that are no IRIs; and how many statements there are.
    """

    predicates: tuple[tuple[str, int], ...]
    refused: tuple[tuple[str, int], ...]
    every: int

    @property
    def plain(self) -> int:
        """How many statements can be read one after the other."""
        return sum(number for _, number in self.predicates)

    @property
    def with_blanks(self) -> int:
        """How many statements have blank nodes."""
        return self.every - self.plain - sum(number for _, number in self.refused)


def address_of(url: str) -> Address:
    """Return where a store of others is asked: with the user and password that stand in its address, else with those
    of the environment that are for its host. Raises WorkspaceError for what is no address on the web.
    """
    address, parts = plain(url), urlsplit(url)
    host = urlsplit(address).netloc.lower()
    is_meant = os.environ.get(HOST, "").lower() == host
    user, password, token = (os.environ.get(name) if is_meant else None for name in (USER, PASSWORD, TOKEN))
    if parts.username:
        user, password, token = unquote(parts.username), unquote(parts.password or ""), None
    return Address(
        address, address, None, user, password, token,
        variables=f"{HOST}={host} with {USER} and {PASSWORD}, or {TOKEN}",
        unreached="see whether it runs and the address is right.",
    )  # fmt: skip


class StoreQueries:
    """What is taken of a store, as queries to its endpoint; it is never sent an update."""

    def __init__(self, attachment: Attachment, server: Server) -> None:
        """Raises WorkspaceError for a pattern that is none, before anything is asked."""
        self.attachment = attachment
        self._server = server
        pattern, graph = attachment.pattern or "", attachment.named_graph
        self._prologue = (_PROLOGUE.match(pattern) or [""])[0]
        body = f"?s ?p ?o . {pattern.removeprefix(self._prologue)}\n"
        self._graph = DefaultGraph() if graph is None else _node(graph)
        self._scope = body if graph is None else f"GRAPH {self._graph} {{ {body} }}"
        self._each = f"SELECT {'DISTINCT' if pattern else ''} ?s ?p ?o"
        self._all = f"{{ {self._each} WHERE {{ {self._scope} }} }}"
        _check(f"{self._prologue} {self._each} WHERE {{ {self._scope} }}")

    def size(self) -> int:
        """Return how many statements there are."""
        return self._number(self._all)

    def distinct(self, predicates: Sequence[str]) -> int:
        """Return how many different statements some predicates have, counted one by one."""
        return self._number(f"{{ SELECT DISTINCT ?s ?p ?o WHERE {{ {self._of(predicates)} FILTER({_PLAIN}) }} }}")

    def counts(self, size: int) -> Counts:
        """Return how much each predicate has, of so many statements."""
        found = dict[str, tuple[int, int, bool]]()
        asked = f"SELECT ?p (COUNT(*) AS ?n) (SUM(IF({_PLAIN}, 1, 0)) AS ?m) WHERE {{ {self._all} }} GROUP BY ?p"
        while sum(every for every, *_ in found.values()) < size:
            known = len(found)
            for row in self._rows(f"{asked} ORDER BY ?p OFFSET {known}", _COUNT):
                predicate, every, plain = (row.get(name) for name in "pnm")
                if isinstance(every, Literal) and isinstance(plain, Literal):
                    is_iri = isinstance(predicate, NamedNode)
                    found[_name(predicate)] = int(float(every.value)), int(float(plain.value)), is_iri
            if len(found) == known:
                break
        numbers = [sorted((name, plain) for name, (_, plain, is_iri) in found.items() if plain and is_iri is one)
                   for one in (True, False)]  # fmt: skip
        return Counts(tuple(numbers[0]), tuple(numbers[1]), size)

    def page(self, predicates: Sequence[str], subject: str, offset: int, limit: int) -> list[Row]:
        """Return statements of some predicates in order, from one of a subject on, as many as the server gives."""
        where = f"{self._of(predicates)} FILTER({_PLAIN} && STR(?s) >= {Literal(subject)})"
        asked = f"{self._each} WHERE {{ {where} }} ORDER BY {_ORDER} LIMIT {limit} OFFSET {offset}"
        return [self._row(row) for row in self._rows(asked, _LIST)]

    def with_blanks(self, limit: int) -> list[str]:
        """Return the statements with blank nodes as lines of N-Quads, as many as are given at once, whose nodes have
        the same names whenever they are the same.
        """
        held = Dataset()
        for row in self._rows(f"{self._each} WHERE {{ {self._scope} FILTER(!({_PLAIN})) }} LIMIT {limit}", "list them"):
            if (quad := self._quad(row)) is not None:
                held.add(quad)
        held.canonicalize(CanonicalizationAlgorithm.UNSTABLE)
        return [f"{quad} ." for quad in held]

    def named_graphs(self) -> list[str]:
        """Return the names of some graphs that hold anything."""
        rows = self._rows("SELECT DISTINCT ?g WHERE { GRAPH ?g { ?s ?p ?o } } LIMIT 4", "name its graphs")
        return [graph.value for row in rows if isinstance(graph := row.get("g"), NamedNode)]

    def _rows(self, asked: str, to_do: str) -> list[Cells]:
        """Return all rows of a reply; `to_do` says what for it is asked.

        Raises WorkspaceError, in one sentence, where the store is away, refuses, or gives what can't be read.
        """
        try:
            body, kind = self._server.body(f"{self._prologue}{asked}", self._server.timeout, MOST_BYTES)
        except RefusedError as error:
            at, needed = self.attachment.address, "which is needed to read all of it"
            raise WorkspaceError(f"{at} refuses to {to_do}, {needed} ({error.replied}); see its log.") from None
        with self._server.read(kind):
            return _parsed(body, kind)

    def _of(self, predicates: Sequence[str]) -> str:
        return f"VALUES ?p {{ {' '.join(str(_node(one)) for one in predicates)} }} {self._scope}"

    def _number(self, counted: str) -> int:
        for row in self._rows(f"SELECT (COUNT(*) AS ?n) WHERE {{ {counted} }}", _COUNT):
            if isinstance(number := row.get("n"), Literal):
                return int(float(number.value))
        raise WorkspaceError(f"{self.attachment.address} gave no number when it was asked to count; see its log.")

    def _row(self, row: Cells) -> Row:
        name = _name(row.get("s"))
        if (quad := self._quad(row)) is None:
            why = next((one.why for one in row.values() if isinstance(one, NoTerm)), "it is no triple")
            return Row(name, None, why)
        if _has_blank(quad.object):
            return Row(name, None, "a statement about one with a blank node")
        return Row(name, f"{quad} .")

    def _quad(self, row: Cells) -> Quad | None:
        subject, predicate, obj = (row.get(name) for name in "spo")
        if not isinstance(subject, NamedNode | BlankNode) or not isinstance(predicate, NamedNode):
            return None
        return None if obj is None or isinstance(obj, NoTerm) else Quad(subject, predicate, obj, self._graph)


def _check(sparql: str) -> None:
    """Raise WorkspaceError for what is no query, and for one that would ask others."""
    advice = "Write a graph pattern over ?s, ?p and ?o, such as “?s a <https://schema.org/City>”."
    if calls_out(sparql):
        raise WorkspaceError(f"pattern= can't be used: {OUTSIDE}. {advice}")
    try:
        Store().query(sparql)
    except (SyntaxError, ValueError) as error:
        raise WorkspaceError(f"pattern= can't be used: {error}. {advice}") from error


def _name(term: object) -> str:
    return term.value if isinstance(term, NamedNode | NoTerm) else str(term)


def _has_blank(term: object) -> bool:
    if isinstance(term, Triple):
        return _has_blank(term.subject) or _has_blank(term.object)
    return isinstance(term, BlankNode)


def _node(value: str) -> NamedNode:
    try:
        return NamedNode(value)
    except ValueError as error:
        raise WorkspaceError(f"{truncate(value, 80)!r} is no IRI ({error}); give a whole one.") from error


def _parsed(body: bytes, kind: str) -> list[Cells]:
    """Return the rows of a reply; where a term is none, it is read term by term. Raises SyntaxError or ValueError."""
    is_json = "json" in kind
    if not is_json and "xml" not in kind:
        raise SyntaxError(f"{kind or 'no type'} instead of SPARQL results")
    try:
        found = parse_query_results(body, QueryResultsFormat.JSON if is_json else QueryResultsFormat.XML)
        if isinstance(found, QuerySolutions):
            names = [one.value for one in found.variables]
            return [{name: term for name in names if (term := row[name]) is not None} for row in found]
    except SyntaxError:
        if not is_json:
            raise
    try:
        rows = json.loads(body)["results"]["bindings"]
        return [{name: _term(cell) for name, cell in row.items()} for row in rows]
    except (KeyError, TypeError, AttributeError) as error:
        raise SyntaxError("no SPARQL results") from error


def _term(cell: Any) -> Object | NoTerm:  # noqa: ANN401 - as it stands in JSON
    """Return a term of a row; why not, where it is none."""
    alone = json.dumps({"head": {"vars": ["x"]}, "results": {"bindings": [{"x": cell}]}})
    try:
        [row] = cast("QuerySolutions", parse_query_results(alone, QueryResultsFormat.JSON))
        return cast("Object", row["x"])
    except SyntaxError as error:
        value = str(cell.get("value") if isinstance(cell, dict) else cell)
        return NoTerm(value, f"{truncate(one_line(value), 80)}: {one_line(str(error))}")
