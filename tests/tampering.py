"""What somebody may do to a record by hand."""

from pyoxigraph import Literal, NamedNode, Quad, Triple


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
