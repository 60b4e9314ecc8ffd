"""The graph of a workspace on a server that speaks SPARQL 1.1: named graphs of its own for each collection.

`terms.py` writes terms as the server can hold them, `query_rewriting.py` makes ready what users and agents ask,
`store.py` is the graph store over these. Requests are those of `stores.sparql_client`, as for the stores of others.
"""
