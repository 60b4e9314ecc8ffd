"""GraphRAG: answers from facts."""
