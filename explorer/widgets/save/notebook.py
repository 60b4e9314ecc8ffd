"""A copy of what the app shows that needs no kernel: for a saved notebook, nbconvert and previews."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.drawing import picture

if TYPE_CHECKING:
    from explorer.dag import ProvenanceDag

_NOTHING = "This was the app: run the cell to use it."
_SAVED = "Saved copy of this run: run the cell to use the app."
# Below a living app the copy is not shown; where the app is not, neither is what Jupyter says in its place. Where
# styles are taken out, as in a notebook that is not trusted, Jupyter says nothing.
_STYLE = """<style>
.jp-OutputArea-child:has(.pe-app) + .jp-OutputArea-child:has(.pe-copy),
.jp-OutputArea-child:not(:has(.pe-app)):has(+ .jp-OutputArea-child .pe-copy) { display: none; }
</style>"""


class SavedCopy:
    """A place below the app for a copy of the run on show, which is seen where there is no app."""

    def __init__(self, dag: ProvenanceDag) -> None:
        """Take the place, with what is on show."""
        from IPython.display import display

        self._handle = display(bundle(dag), raw=True, display_id=True)  # type: ignore[no-untyped-call]

    def write(self, dag: ProvenanceDag) -> None:
        """Replace the copy."""
        if self._handle is not None:
            self._handle.update(bundle(dag), raw=True)


def bundle(dag: ProvenanceDag) -> dict[str, str]:
    """Return the copy as a notebook takes it: plain text, and a picture with its list, open."""
    if not dag.nodes():
        return {"text/plain": "", "text/html": f'{_STYLE}<p class="pe-copy">{_NOTHING}</p>'}
    shown = f'<details open class="pe-copy"><summary>{_SAVED}</summary>{picture.html(dag)}</details>'
    return {"text/plain": picture.text(dag), "text/html": f"{_STYLE}{shown}"}
