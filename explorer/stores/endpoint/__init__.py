"""A graph on a server that speaks SPARQL 1.1, over HTTP: named graphs of its own for each collection.

`server.py` sends requests and says what went wrong, `terms.py` writes terms as the server can hold them, `asked.py`
makes ready what users and agents ask, `store.py` is the graph store over these.
"""
