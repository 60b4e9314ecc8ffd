"""What a page shows of a run: its messages, the scripts that draw them, and a page that stands alone.

`showing` folds events into messages, `drawn` has the nodes of a drawing, `recalled` cuts a stored run. `messages` has
the type of each message, both ways. `run`, `detail` and `source` fill the panels. `static` is the page, without a
build: `assets` joins its files. `report` writes runs as one page.
"""
