"""The stores of a collection: graph, library and vectors."""
