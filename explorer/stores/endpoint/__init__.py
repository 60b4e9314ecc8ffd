"""A server that speaks SPARQL 1.1, over HTTP: `server.py` sends requests and says what went wrong, `foreign.py` reads
stores that others fill.
"""
