"""From a file to facts: readers, chunks, sentences, edges, each with exact offsets in the document's text."""
