"""A SPARQL store that others fill: it is asked, and never sent an update.

Only SELECT goes there. Rows are fetched by the names of their subjects and not by OFFSET, so that a server which caps
its replies in silence loses nothing, and reading can go on where it stopped.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self
from urllib.parse import unquote, urlsplit

from pyoxigraph import (
    BlankNode,
    CanonicalizationAlgorithm,
    Dataset,
    Literal,
    NamedNode,
    Quad,
    QueryResultsFormat,
    QuerySolutions,
    Triple,
    parse_query_results,
)

from explorer.errors import RecordError, WorkspaceError
from explorer.stores.attached import Attachment
from explorer.stores.default_graph import nested
from explorer.stores.endpoint.server import Address, RefusedError, Server, plain
from explorer.stores.graph import Object
from explorer.stores.sparql import checked
from explorer.text import one_line, truncate
from explorer.vocab import FACTS, recognise

HOST, USER, PASSWORD, TOKEN = (f"EXPLORER_ATTACHED_{name}" for name in ("HOST", "USER", "PASSWORD", "TOKEN"))
_MOST_BYTES = 200_000_000  # of one reply
_BUNDLE = 1_000  # facts that are asked for in one request
_PROLOGUE = re.compile(r"\s*(?:(?:PREFIX\s+[^\s:<]*:\s*<[^<>\"{}|^`\\\s]*>|#[^\n]*\n)\s*)*", re.IGNORECASE)
_PLAIN = "isIRI(?s) && !isBlank(?o)"


class Row(NamedTuple):
    """One row of a reply: the subject as the server names it, and the statement as a line of N-Quads; None where that
    is no RDF, and then why.
    """

    subject: str
    line: str | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Counts:
    """How much a store holds: its predicates, in order, with how many statements of IRIs and texts each has; predicates
    that are no IRIs; and how many statements have blank nodes.
    """

    predicates: tuple[tuple[str, int], ...]
    refused: tuple[tuple[str, int], ...]
    others: int

    @property
    def plain(self) -> int:
        """How many statements can be read one after the other."""
        return sum(number for _, number in self.predicates)

    @property
    def every(self) -> int:
        """How many statements there are."""
        return self.plain + sum(number for _, number in self.refused) + self.others


class _Refused(NamedTuple):
    """What stands in a reply where a term should, and why it is none."""

    value: str
    why: str


_Cells = dict[str, Object | _Refused]
"""A row of a reply by the names of its columns."""


class ForeignStore:
    """A store by its address; `timeout` is how many seconds a request may take."""

    def __init__(self, attachment: Attachment, timeout: float, address: Address | None = None) -> None:
        """Keep what of it is asked for; the first request connects. Raises WorkspaceError for a pattern that is none.

        `address` has the credentials, by default those of the environment.
        """
        self.attachment = attachment
        self.server = Server(address or address_of(attachment.address), timeout)
        pattern = attachment.pattern or ""
        self._prologue = (_PROLOGUE.match(pattern) or [""])[0]
        body = f"?s ?p ?o . {pattern.removeprefix(self._prologue)}\n"
        graph = attachment.named_graph
        self._scope = body if graph is None else f"GRAPH {_node(graph)} {{ {body} }}"
        self._each = f"SELECT {'DISTINCT' if pattern else ''} ?s ?p ?o"
        try:
            checked(f"{self._prologue} {self._each} WHERE {{ {self._scope} }}")
        except RecordError as error:
            raise WorkspaceError(
                f"pattern= can't be used: {error} Write a graph pattern over ?s, ?p and ?o, such as "
                "“?s a <https://schema.org/City>”."
            ) from error

    def __enter__(self) -> Self:
        """Begin to ask."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connections."""
        self.server.close()

    def counts(self) -> Counts:
        """Return how much it holds."""
        plain, every = self._numbers(
            f"SELECT (SUM(IF({_PLAIN}, 1, 0)) AS ?n) (COUNT(*) AS ?m) WHERE {{ {self._all()} }}"
        )
        found, refused = dict[str, int](), dict[str, int]()
        while sum(found.values()) + sum(refused.values()) < plain:
            asked = (
                f"SELECT ?p (COUNT(*) AS ?n) WHERE {{ {self._all(_PLAIN)} }} GROUP BY ?p ORDER BY ?p "
                f"OFFSET {len(found) + len(refused)}"
            )
            rows = self._asked(asked, "count what it holds")
            if not rows:
                break
            for row in rows:
                predicate, number = row.get("p"), row.get("n")
                if isinstance(number, Literal):
                    known = found if isinstance(predicate, NamedNode) else refused
                    name = predicate.value if isinstance(predicate, NamedNode | _Refused) else str(predicate)
                    known[name] = _whole(number)
        return Counts(tuple(sorted(found.items())), tuple(sorted(refused.items())), every - plain)

    def distinct(self, predicate: str) -> int:
        """Return how many different statements a predicate has, counted one by one."""
        inner = f"SELECT DISTINCT ?s ?p ?o WHERE {{ {self._of([predicate])} FILTER({_PLAIN}) }}"
        return self._numbers(f"SELECT (COUNT(*) AS ?n) (COUNT(*) AS ?m) WHERE {{ {{ {inner} }} }}")[0]

    def named_graphs(self) -> list[str]:
        """Return the names of some graphs that hold anything."""
        rows = self._asked("SELECT DISTINCT ?g WHERE { GRAPH ?g { ?s ?p ?o } } LIMIT 4", "name its graphs")
        return [row["g"].value for row in rows if isinstance(row.get("g"), NamedNode)]  # type: ignore[union-attr]

    def bundle(self, predicates: Sequence[str], limit: int) -> list[Row]:
        """Return the statements of some predicates, as many as the server gives at once."""
        asked = f"{self._each} WHERE {{ {self._of(predicates)} FILTER({_PLAIN}) }} LIMIT {limit}"
        return self._rows(asked)

    def after(self, predicate: str, subject: str, limit: int) -> list[Row]:
        """Return statements of one predicate in the order of their subjects, after one, as many as are given."""
        later = f" && STR(?s) > {Literal(subject)}" if subject else ""
        where = f"{self._of([predicate])} FILTER({_PLAIN}{later})"
        return self._rows(f"{self._each} WHERE {{ {where} }} ORDER BY STR(?s) LIMIT {limit}")

    def of_subject(self, predicate: str, subject: str, offset: int, limit: int) -> list[Row]:
        """Return statements of one subject and predicate, from a number on."""
        where = f"{self._of([predicate])} FILTER({_PLAIN} && STR(?s) = {Literal(subject)})"
        order = f"ORDER BY STR(?o) LANG(?o) LIMIT {limit} OFFSET {offset}"
        return self._rows(f"{self._each} WHERE {{ {where} }} {order}")

    def with_blanks(self, limit: int) -> list[str]:
        """Return the statements with blank nodes as lines of N-Quads, as many as are given at once, whose nodes have
        the same names whenever they are the same.
        """
        found = self._asked(f"{self._each} WHERE {{ {self._scope} FILTER(!({_PLAIN})) }} LIMIT {limit}", "list them")
        quads = []
        for row in found:
            subject, predicate, obj = (row.get(name) for name in "spo")
            if isinstance(subject, NamedNode | BlankNode) and isinstance(predicate, NamedNode) and _is_term(obj):
                quads.append(Quad(subject, predicate, obj, FACTS))  # type: ignore[arg-type]
        held = Dataset(quads)
        held.canonicalize(CanonicalizationAlgorithm.UNSTABLE)
        return [self._line(quad.subject, quad.predicate, quad.object) for quad in held]

    def lacking(self, facts: Iterable[Triple]) -> list[Triple]:
        """Return those of some facts that the store does not hold now; of one with a blank node whether one fits."""
        lacking, left = list[Triple](), [*facts]
        graph = self.attachment.named_graph
        while batch := left[:_BUNDLE]:
            left = left[_BUNDLE:]
            rows = " ".join(
                f"({number} {' '.join(map(_value, (fact.subject, fact.predicate, fact.object)))})"
                for number, fact in enumerate(batch)
            )
            held = "?s ?p ?o" if graph is None else f"GRAPH {_node(graph)} {{ ?s ?p ?o }}"
            asked = f"SELECT DISTINCT ?n WHERE {{ VALUES (?n ?s ?p ?o) {{ {rows} }} {held} }}"
            found = self._asked(asked, "say what it still holds")
            there = {int(row["n"].value) for row in found if isinstance(row.get("n"), Literal)}  # type: ignore[union-attr]
            lacking += [fact for number, fact in enumerate(batch) if number not in there]
        return lacking

    def _of(self, predicates: Sequence[str]) -> str:
        return f"VALUES ?p {{ {' '.join(map(_node, predicates))} }} {self._scope}"

    def _all(self, condition: str = "true") -> str:
        return f"{{ {self._each} WHERE {{ {self._scope} FILTER({condition}) }} }}"

    def _numbers(self, asked: str) -> tuple[int, int]:
        for row in self._asked(asked, "count what it holds"):
            if isinstance(one := row.get("n"), Literal) and isinstance(other := row.get("m"), Literal):
                return _whole(one), _whole(other)
        raise WorkspaceError(f"{self.attachment.address} gave no number when it was asked to count; see its log.")

    def _rows(self, asked: str) -> list[Row]:
        return [self._row(row) for row in self._asked(asked, "give its statements in order")]

    def _row(self, row: _Cells) -> Row:
        subject, predicate, obj = (row.get(name) for name in "spo")
        name = subject.value if isinstance(subject, NamedNode | _Refused) else str(subject)
        if isinstance(subject, NamedNode) and isinstance(predicate, NamedNode) and _is_term(obj):
            if isinstance(obj, Triple) and "_:" in nested(obj) and _has_blank(obj):
                return Row(name, None, "a statement about one with a blank node")
            return Row(name, self._line(subject, predicate, obj))  # type: ignore[arg-type]
        why = next((one.why for one in (subject, predicate, obj) if isinstance(one, _Refused)), "it is no triple")
        return Row(name, None, why)

    def _line(self, subject: Object, predicate: NamedNode, obj: Object) -> str:
        graph = self.attachment.named_graph
        return f"{subject} {predicate} {nested(obj)} {'' if graph is None else f'{_node(graph)} '}."

    def _asked(self, asked: str, to_do: str) -> list[_Cells]:
        at, seconds = self.attachment.address, self.server.timeout
        try:
            body, kind = self.server.body(f"{self._prologue}{asked}", seconds, _MOST_BYTES)
        except RefusedError as error:
            raise WorkspaceError(f"{at} refuses to {to_do}, which is needed to read all of it: {error}") from error
        with self.server.read(kind):
            if "json" not in kind and "xml" not in kind:
                raise SyntaxError(f"{kind or 'no type'} instead of SPARQL results")
            return _parsed(body, is_json="json" in kind)


def address_of(url: str) -> Address:
    """Return an address with the credentials that it has, else those of the environment that are for its host.

    Raises WorkspaceError for what is no address on the web.
    """
    parts = urlsplit(url)
    shown, host = plain(url), parts.netloc.rpartition("@")[2].lower()
    variables = f"{HOST}={host} with {USER} and {PASSWORD}, or {TOKEN}"
    if parts.username:
        return Address(shown, shown, None, unquote(parts.username), unquote(parts.password or ""), None, variables)
    is_meant = os.environ.get(HOST, "").lower() == host
    user, password, token = (os.environ.get(name) if is_meant else None for name in (USER, PASSWORD, TOKEN))
    return Address(shown, shown, None, user, password, token, variables)


class Holders:
    """Asks attached stores what they still hold, each by a connection of its own that is closed again."""

    def __init__(self, timeout: float = 10) -> None:
        """Keep how many seconds a request may take."""
        self.timeout = timeout

    def lacking(self, attachment: Attachment, facts: Iterable[Triple]) -> list[Triple]:
        """Return those of some facts that a store does not hold any more; raises WorkspaceError where it is away."""
        with ForeignStore(attachment, self.timeout) as store:
            return store.lacking(facts)


def _parsed(body: bytes, *, is_json: bool) -> list[_Cells]:
    """Return the rows of a reply; where one is no RDF, all are read one by one. Raises SyntaxError or ValueError."""
    try:
        found = parse_query_results(body, QueryResultsFormat.JSON if is_json else QueryResultsFormat.XML)
        if isinstance(found, QuerySolutions):
            names = [one.value for one in found.variables]
            return [{name: term for name in names if (term := row[name]) is not None} for row in found]
    except SyntaxError:
        if not is_json:
            raise
    if not is_json:
        raise SyntaxError("a truth value instead of rows")
    told = json.loads(body)
    try:
        rows = told["results"]["bindings"]
        return [{name: _term(value) for name, value in row.items()} for row in rows]
    except (KeyError, TypeError, AttributeError) as error:
        raise SyntaxError("no SPARQL results") from error


def _term(told: dict[str, Any]) -> Object | _Refused:
    """Return a term of a row in JSON; why not, where it is none."""
    try:
        match told:
            case {"type": "uri", "value": str(value)}:
                return NamedNode(value)
            case {"type": "bnode", "value": str(value)}:
                return BlankNode(value)
            case {"type": "literal" | "typed-literal", "value": str(value), "xml:lang": str(language)}:
                return Literal(value, language=language)
            case {"type": "literal" | "typed-literal", "value": str(value), "datatype": str(kind)}:
                return Literal(value, datatype=NamedNode(kind))
            case {"type": "literal", "value": str(value)}:
                return Literal(value)
            case {"type": "triple", "value": {"subject": s, "predicate": p, "object": o}}:
                parts = [_term(one) for one in (s, p, o)]
                if not any(isinstance(one, _Refused) for one in parts):
                    return Triple(*parts)  # type: ignore[arg-type]
    except ValueError as error:
        value = str(told.get("value"))
        return _Refused(value, f"{truncate(one_line(value), 80)}: {one_line(str(error))}")
    return _Refused(str(told), f"{truncate(one_line(str(told)), 80)}: no term of RDF")


def _whole(number: Literal) -> int:
    return int(float(number.value))


def _is_term(term: object) -> bool:
    return isinstance(term, NamedNode | BlankNode | Literal | Triple)


def _has_blank(term: object) -> bool:
    match term:
        case Triple():
            return any(map(_has_blank, (term.subject, term.object)))
        case _:
            return isinstance(term, BlankNode)


def _node(value: str) -> str:
    try:
        return str(NamedNode(value))
    except ValueError as error:
        raise WorkspaceError(f"{truncate(value, 80)!r} is no IRI ({error}); give a whole one.") from error


def _value(term: Object) -> str:
    """Return a term for VALUES; any, for what stands for a blank node here."""
    named = recognise(term.value) if isinstance(term, NamedNode) else None
    return "UNDEF" if isinstance(term, Triple) or (named is not None and named.kind == "blank") else str(term)
