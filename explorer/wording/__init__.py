"""What is said of a run and its nodes, in words: read by the record, by what is drawn, by the app and the terminal.

A kind of node is a class of what it says otherwise than `node_words.Said`: its lines, its name, its rows, how it came,
its lesson, why, and what a terminal prints. Each module has the kinds of one thing, such as `kept`; `graph_words` joins
them. `kinds` has what each is called, `panel_rows` the rows of a panel, `names` short names and numbers, `authors` who
stated something, `ways` engines, patterns and tools, `endings` how a run ends, `outcomes` how its answer came out,
`tally` how much of what was read is used, `scores` the parts of a score.
"""
