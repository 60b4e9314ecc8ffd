"""What a SPARQL server understands, as it is asked."""

from __future__ import annotations

from uuid import uuid4

from pyoxigraph import Literal, NamedNode, Triple

from explorer.errors import WorkspaceError
from explorer.servers.endpoint.query_rewriting import dataset
from explorer.servers.endpoint.terms import Dialect, Form
from explorer.stores.sparql_client import RefusedError, Rows, Server
from explorer.vocab import RDF

_TERM_12, _TERM_STAR = "<<( <urn:t:s> <urn:t:p> <urn:t:o> )>>", "<< <urn:t:s> <urn:t:p> <urn:t:o> >>"


def found(server: Server, base: str) -> Dialect:
    """Ask a server what it understands: how it takes triple terms, whether it keeps to named graphs, and to letters.

    Two graphs of one triple each are made for it, and dropped. Raises WorkspaceError where it leaves out rows.
    """
    form: Form = "1.1"
    tried: tuple[tuple[Form, str], ...] = (("1.2", _TERM_12), ("star", _TERM_STAR))
    for name, term in tried:
        try:
            rows = server.rows(f"SELECT ?t WHERE {{ BIND({term} AS ?t) }}")
        except WorkspaceError as error:
            if not isinstance(error, RefusedError) and not server.rows("SELECT ?x WHERE { VALUES ?x { 1 } }"):
                raise
            continue
        if rows and isinstance(rows[0]["t"], Triple):
            form = name
            break
    _check_rows(server)
    written = [
        Literal("01", datatype=NamedNode("http://www.w3.org/2001/XMLSchema#integer")),
        Literal("x", language="en-GB"),
    ]
    one, other = (NamedNode(f"{base}probe:{uuid4().hex}") for _ in range(2))
    data = " ".join(f"GRAPH {one} {{ {one} {RDF.value} {value} }}" for value in written)
    server.update(f'INSERT DATA {{ {data} GRAPH {other} {{ {other} {RDF.value} "x" }} }}')
    try:
        rows = server.rows(f"SELECT ?o WHERE {{ GRAPH {one} {{ {one} {RDF.value} ?o }} }}")
        lexical = {row["o"] for row in rows} == {*written}
        seen = []
        for pattern in ("?s ?p ?o", "GRAPH ?g { ?s ?p ?o }"):
            over = dataset([one], [one])
            with server.solutions(
                f"SELECT DISTINCT ?s WHERE {{ {pattern} }} LIMIT 100", over, server.timeout
            ) as rows_of:
                assert isinstance(rows_of, Rows)  # noqa: S101 - SELECT gives rows
                seen.append({row["s"] for row in rows_of})
    finally:
        server.update(f"DROP SILENT GRAPH {one} ; DROP SILENT GRAPH {other}")
    return Dialect(form, seen == [{one}, {one}], lexical)


def _check_rows(server: Server) -> None:
    """Raise WorkspaceError where a server gives only the first of many rows: what it left out would be lost."""
    sides = (101, 100)  # 10,000 is a usual limit
    values = [" ".join(map(str, range(number))) for number in sides]
    rows = len(server.rows(f"SELECT ?a ?b WHERE {{ VALUES ?a {{ {values[0]} }} VALUES ?b {{ {values[1]} }} }}"))
    if rows < sides[0] * sides[1]:
        raise WorkspaceError(
            f"{server.address.query} gives no more than {rows:,} rows of an answer, so that others would be lost. Have "
            "this limit of it raised, or take another endpoint."
        )
