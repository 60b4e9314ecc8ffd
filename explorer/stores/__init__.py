"""Where a collection is kept: graph, library and vectors."""
