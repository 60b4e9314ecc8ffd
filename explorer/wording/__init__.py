"""What is said of a run and its nodes, in words: read by the record, by what is drawn, by the app and the terminal.

`kinds` has what each kind of node is called, `ways` the words of engines, patterns and tools, `endings` those of how a
run ends, `outcomes` those of how its answer came out, `tally` how much of what was read is used, and `lines` the lines
that a node says.
"""
