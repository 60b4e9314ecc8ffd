"""RDF of every form, and entities of every class, as hypothesis draws them."""

from hypothesis import strategies as st
from pyoxigraph import BaseDirection, BlankNode, DefaultGraph, Literal, NamedNode, Quad, Triple

from explorer import rdf
from explorer.entities import CLASSES
from explorer.vocab import PROV, RDF, RDFS, RETRIEVAL, SOURCE, TG, X
from tests.strategies import entities, iris, texts

nodes = st.builds(NamedNode, iris)
blanks = st.sampled_from([BlankNode(f"b{i}") for i in range(3)])
languages = st.sampled_from(["en", "fr", "pl-pl"])
datatypes = st.sampled_from(["integer", "double", "boolean", "dateTime", "date", "anyURI"]).map(
    lambda name: NamedNode(f"http://www.w3.org/2001/XMLSchema#{name}")
)
literals = st.one_of(
    st.builds(Literal, texts),
    st.builds(lambda text, tag: Literal(text, language=tag), texts, languages),
    st.builds(
        lambda text, tag, way: Literal(text, language=tag, direction=way),
        texts,
        languages,
        st.sampled_from([BaseDirection.LTR, BaseDirection.RTL]),
    ),
    st.builds(lambda text, form: Literal(text, datatype=form), texts, datatypes | st.just(RDF.JSON) | nodes),
    st.sampled_from(["007", "1.50", "true", '{"b": 1, "a": [1, 2.0]}']).flatmap(
        lambda text: st.builds(lambda form: Literal(text, datatype=form), datatypes | st.just(RDF.JSON))
    ),
)
predicates = nodes | st.sampled_from(
    [RDF.type, RDFS.label, TG.edge, TG.contains, TG.selectedEdge, X.edge, PROV.wasDerivedFrom, PROV.used]
)
triples = st.recursive(
    st.builds(Triple, nodes | blanks, predicates, nodes | blanks | literals),
    lambda inner: st.builds(Triple, nodes | blanks, predicates, inner),
    max_leaves=4,
)
graphs = st.sampled_from([DefaultGraph(), SOURCE, RETRIEVAL, NamedNode("urn:graph:other"), BlankNode("g")])
quads = st.builds(Quad, nodes | blanks, predicates, nodes | blanks | literals | triples, graphs)
any_entities = st.sampled_from(CLASSES).flatmap(entities)
records = st.lists(any_entities, max_size=3, unique_by=lambda entity: entity.iri).map(
    lambda described: [quad for entity in described for quad in rdf.triples(entity)]
)
