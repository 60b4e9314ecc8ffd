"""What is on show as a file: the drawing as SVG, the whole view as a page that works by itself, or the record."""

from __future__ import annotations

import re
import tempfile
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.drawing import labels, picture
from explorer.entities import Question
from explorer.errors import QuestionError, RecordError
from explorer.view import standalone

if TYPE_CHECKING:
    from explorer.view.showing import Showing
    from explorer.workspace import Workspace

LONGEST = 60  # characters of a file name, with its ending


@dataclass(frozen=True, slots=True)
class Saved:
    """A file that is not written yet: its name, its media type and its text."""

    name: str
    mime: str
    text: str
    data: bytes = b""  # of a file that is no text


def saved(showing: Showing, ws: Workspace, form: str) -> Saved:
    """Return what is on show as a file, `form` "svg", "html", "report", "bundle" or "trig".

    The run must not be changed meanwhile. Raises QuestionError when nothing has been asked yet, and RecordError for a
    form that is not known.
    """
    asked = next(iter(showing.dag.roots), None)
    if asked is None:
        message = "Nothing has been asked yet: ask a question or open a past run, then save."
        raise QuestionError(message)
    question = asked.entity.query if isinstance(asked.entity, Question) else labels.lines(showing.dag, asked)[-1]
    drawn = Saved(file_name(question, "svg"), "image/svg+xml", picture.svg(showing.dag))
    match form:
        case "svg":
            return drawn
        case "html":
            return Saved(
                file_name(question, "html"),
                "text/html",
                standalone.page(
                    showing, ws.stores, ws.name, question, {"name": drawn.name, "mime": drawn.mime, "text": drawn.text}
                ),
            )
        case "report":
            return Saved(file_name(question, "html"), "text/html", ws.report(asked.iri))
        case "bundle":
            with tempfile.TemporaryDirectory() as folder:
                made = ws.bundle(asked.iri, path=Path(folder) / "bundle.zip")
                return Saved(file_name(question, "zip"), "application/zip", "", made.read_bytes())
        case "trig":
            record = ws.export(ws.traces.load(asked.iri))
            return Saved(file_name(question, "trig"), "application/trig", record.decode())
    message = f"Nothing can be saved as {form!r}; choose svg, html, report, bundle or trig."
    raise RecordError(message)


def file_name(question: str, ending: str) -> str:
    """Make a name from a question: its letters and digits in any script, with hyphens for all else between them."""
    words = hyphened(question)
    room = LONGEST - len(ending) - 1
    if len(words) > room:
        words = words[: room + 1].rpartition("-")[0] or words[:room]
    return f"{words or 'answer'}.{ending}"


def hyphened(text: str) -> str:
    """Return the letters and digits of a text, in any script, with hyphens for all else between them."""
    return re.sub(r"[\W_]+", "-", unicodedata.normalize("NFC", text)).strip("-")
