"""What a page shows of a run: its messages, the scripts that draw them, and a page that stands alone.

`showing` folds events into messages, `page_nodes` has the nodes of a drawing, `replay_frames` cuts a stored run.
`messages` has the type of each message, both ways. `run`, `detail` and `source` fill the panels. `static` is the page,
without a build: `assets` joins its files. `report` writes runs as one page.
"""
