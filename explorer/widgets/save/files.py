"""What is on show as a file, and as a copy in a saved notebook, for nbconvert and previews, which needs no kernel."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.drawing import picture
from explorer.entities import Question
from explorer.errors import QuestionError, RecordError
from explorer.record.bundles.checking import fingerprint
from explorer.text import count, file_for
from explorer.view import report
from explorer.wording.graph_words import lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.dag import ProvenanceDag
    from explorer.view.showing import Showing
    from explorer.workspace import Workspace

_NOTHING = "This was the app: run the cell to use it."
_SAVED = "Saved copy of this run: run the cell to use the app."
# Below a living app the copy is not shown; where the app is not, neither is what Jupyter says in its place. Where
# styles are taken out, as in a notebook that is not trusted, Jupyter says nothing.
_STYLE = """<style>
.jp-OutputArea-child:has(.pe-app) + .jp-OutputArea-child:has(.pe-copy),
.jp-OutputArea-child:not(:has(.pe-app)):has(+ .jp-OutputArea-child .pe-copy) { display: none; }
</style>"""


@dataclass(frozen=True, slots=True)
class Saved:
    """A file that is not written yet: its name, its media type and its text; `said` is to be told with it."""

    name: str
    mime: str
    text: str
    data: bytes = b""  # of a file that is no text
    said: str = ""


def saved(showing: Showing, ws: Workspace, form: str) -> Saved:
    """Return what is on show as a file, `form` "svg", "html", "bundle" or "trig".

    The run must not be changed meanwhile. Raises QuestionError when nothing has been asked yet, and RecordError for a
    form that is not known, and where the record can't be read.
    """
    asked = next(iter(showing.dag.roots), None)
    if asked is None:
        message = "Nothing has been asked yet: ask a question or open a past run, then save."
        raise QuestionError(message)
    question = asked.entity.query if isinstance(asked.entity, Question) else lines(showing.dag, asked)[-1]
    drawn = Saved(file_for(question, "svg"), "image/svg+xml", picture.svg(showing.dag))
    match form:
        case "svg":
            return drawn
        case "html":
            return Saved(file_for(question, "html"), "text/html", _report(showing, ws, asked.iri))
        case "bundle":
            return _bundle(ws, question, asked.iri)
        case "trig":
            record = ws.export(ws.traces.load(asked.iri))
            return Saved(file_for(question, "trig"), "application/trig", record.decode())
    message = f"Nothing can be saved as {form!r}; choose svg, html, bundle or trig."
    raise RecordError(message)


def of_runs(ws: Workspace, form: str, runs: Sequence[str]) -> Saved:
    """Return runs as one file: a report ("html") of all, or a bundle; raises RecordError as these do."""
    name = ws.traces.load(runs[0]).question if len(runs) == 1 else count(len(runs), "run")
    if form == "bundle":
        return _bundle(ws, name, *runs)
    return Saved(file_for(name, "html"), "text/html", ws.report(*runs))


def _bundle(ws: Workspace, name: str, *runs: str) -> Saved:
    with tempfile.TemporaryDirectory() as folder:
        made = ws.bundle(*runs, path=Path(folder) / "bundle.zip")
        file = file_for(name, "zip")
        digits = f'--fingerprint "{fingerprint(made)}"'
        said = (
            f"The recipient checks it by explorer verify {file} {digits}. Unpacked, it is checked without this program "
            f"by python verify.py {digits}. Send these digits apart from the file."
        )
        return Saved(file, "application/zip", "", made.read_bytes(), said)


def _report(showing: Showing, ws: Workspace, run: str) -> str:
    """Return the report of a run that is over; of one that goes on, or was deleted since, what is shown.

    Raises RecordError where a run is on record and can't be read.
    """
    if showing.state != "running" and ws.traces.among([run]):
        return ws.report(run)
    return report.page_so_far(ws.stores, showing)


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
