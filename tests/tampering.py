"""What somebody may do to a record by hand."""

from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer.servers.postgres.database import PostgresTransaction


def changed(quad):
    """The same quad with another object."""
    match quad.object:
        case Literal() as text:
            other = Literal(f"{text.value}1")
        case Triple() as fact:
            other = Triple(fact.subject, fact.predicate, Literal("something else"))
        case NamedNode() as node:
            other = NamedNode(f"{node.value}~")  # of no other
    return Quad(quad.subject, quad.predicate, other, quad.graph_name)


def put(ws, gone, come):
    """Take some quads out of a workspace and put others in."""
    ws.graph.replace((), come, gone)
    ws.sources.forget()


def unlock(connection):
    """Let entries of the ledger be changed within a transaction, as who owns the tables can."""
    on_server = isinstance(connection, PostgresTransaction)
    for trigger in ("ledger_stays ON ledger",) if on_server else ("ledger_unchanged", "ledger_whole"):
        connection.execute(f"DROP TRIGGER IF EXISTS {trigger}")
