"""Small messages as TrustGraph's services send them, written anew."""

RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
TG = "https://trustgraph.ai/ns/"
PROV = "http://www.w3.org/ns/prov#"
GRAPH = "urn:graph:retrieval"
QUESTION = "urn:trustgraph:question:s1"
SYNTHESIS = "urn:trustgraph:prov:synthesis:s1"
AGENT = "urn:trustgraph:agent:a1"


def iri(value):
    return {"t": "i", "i": value}


def text(value, **more):
    return {"t": "l", "v": value, **more}


def triple(s, p, o, **more):
    return {"s": iri(s), "p": iri(p), "o": o, **more}


def typed(node, *classes, parent=None):
    """The triples of a node of these classes, each in the graph of the records."""
    found = [triple(node, RDF_TYPE, iri(TG + name), g=GRAPH) for name in classes]
    return found + ([triple(node, PROV + "wasDerivedFrom", iri(parent), g=GRAPH)] if parent else [])


def envelope(response, *, complete=False):
    return {"id": "r1", "response": response, "complete": complete}


def explain(node, triples=None, **more):
    told = {} if triples is None else {"explain_triples": triples}
    return envelope({"message_type": "explain", "explain_id": node, "explain_graph": GRAPH, **told, **more})


def chunk(delta, **more):
    return envelope(
        {"message_type": "chunk", "response": delta, "end_of_stream": False, "end_of_session": False, **more}
    )


def say(kind, content, node=None, **more):
    """One message of an agent."""
    about = {"message_id": node} if node else {}
    return envelope(
        {"message_type": kind, "content": content, "end_of_message": True, "end_of_dialog": False, **about, **more}
    )


def final(**more):
    return envelope(
        {"message_type": "chunk", "response": "", "end_of_stream": False, "end_of_session": True, **more}, complete=True
    )


def question(node=QUESTION, name="GraphRagQuestion", parent=None):
    return explain(node, typed(node, "Question", name, parent=parent))
