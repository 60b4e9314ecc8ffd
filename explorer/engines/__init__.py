"""Engines: generators of events that read the stores and write nothing.

`registry` checks a question and starts its engine; `limits` has what each may be given; `steps` makes events of stages.
`facts` answers from the graph: `linking` finds where to start, `graph_walk` what is near, `selection` what is kept;
`hops` is the other way. `passages` answers from whole passages. `agent` works in steps, by a plan or as a team, with
tools. `outcomes` says how an answer came out, `usage` what a model used.
"""
