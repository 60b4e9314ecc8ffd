"""Document RAG: answers from passages."""
