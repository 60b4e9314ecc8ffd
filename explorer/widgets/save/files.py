"""What is on show as a file: the drawing as SVG, a report as a page that works by itself, or the record."""

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
from explorer.wording.nodes import lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.view.showing import Showing
    from explorer.workspace import Workspace


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
