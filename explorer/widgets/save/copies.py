"""A copy of what the app shows that needs no kernel: for a saved notebook, nbconvert and previews."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.drawing import picture

if TYPE_CHECKING:
    from explorer.dag import ProvenanceDag


class SavedCopy:
    """A place below the app for a copy of the run on show, folded until it is opened."""

    def __init__(self) -> None:
        """Take the place, empty as yet."""
        from IPython.display import display

        nothing = {"text/plain": "", "text/html": ""}
        self._handle = display(nothing, raw=True, display_id=True)  # type: ignore[no-untyped-call]

    def write(self, dag: ProvenanceDag) -> None:
        """Replace the copy."""
        if self._handle is None:
            return
        folded = f"<details><summary>Saved copy of this run</summary>{picture.html(dag)}</details>"
        self._handle.update({"text/plain": picture.text(dag), "text/html": folded}, raw=True)
