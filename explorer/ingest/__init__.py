"""From a file to facts: readers, chunks, sentences, edges, each with exact offsets in the document's text.

`readers` make texts of files, in a process apart; `chunker` cuts them; `extraction` finds facts, by rules or a model;
`given` reads what others have found. `batch` goes through many files, `pipeline` stores them, `recovery` finishes what
a kill has left, `removal` takes documents out. `attaching` reads the stores of others.
"""
