"""A run as one HTML file: the view itself over a stored snapshot, with no kernel, no server and no request.

Nothing in it can run but the script of the view: a policy names that by its hash, and all words of documents, models
and people stand in a block of data in which no markup can begin or end.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from itertools import takewhile
from typing import TYPE_CHECKING, NotRequired, TypedDict

from explorer import __version__
from explorer.drawing.sentences import narrowed, sentences
from explorer.entities import Answer
from explorer.record.notes import notes
from explorer.text import one_line
from explorer.view import nodes as drawing
from explorer.view.assets import css, esm
from explorer.view.detail import not_kept
from explorer.view.source import page as source
from explorer.view.words.names import Names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.dag import ProvenanceDag
    from explorer.events import Passage
    from explorer.stores.collection import Collection
    from explorer.view.messages.run import AnswerState, LogLine, Snapshot
    from explorer.view.messages.source import PageFacts, SourcePage
    from explorer.view.showing import Showing

_START = 'openSaved(document.querySelector(".pe-app"), JSON.parse(document.getElementById("pe-data").textContent));'
_TOLD = (
    "Asked",
    "How",
    "Searched",
    "Reasoned by",
    "Meanings compared by",
    "At most",
)  # rows of the Question that say how
_UNTIL = "Saved while the run went on: what came after this is not in this file."
_ESCAPED = str.maketrans({char: f"\\u{ord(char):04x}" for char in "<>&"})  # JSON escapes U+2028 itself
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}
</style>
</head>
<body class="pe-file">
<noscript>This page draws a graph with JavaScript, which is switched off here: switch it on to see it.</noscript>
<main class="pe-app"></main>
<script type="application/json" id="pe-data">{data}</script>
<script type="module">{script}</script>
</body>
</html>
"""


def page(showing: Showing, stores: Collection, place: str, question: str, svg: Mapping[str, str]) -> str:
    """Return the file for what is on show; `svg` is its drawing, with name, mime and text, for the menu in the file."""
    snapshot = _ended(showing.snapshot(whole=True))
    names = Names(showing.dag, showing.has)
    data = {
        "looks": drawing.looks(),
        "options": drawing.options(),
        "snapshot": snapshot,
        **_sheets(showing.dag, stores, snapshot),
        "left": {node.iri: not_kept.listed(stores, names, node.iri) for node in showing.dag.nodes("NotKept")},
        "records": {node["id"]: {"rows": showing.record(node["id"])} for node in snapshot["nodes"]},
        "svg": dict(svg),
        "about": {"question": question, "rows": _made(showing.dag, stores, place, snapshot)},
    }
    lines = [line for line in esm().split("\n") if not line.startswith("//# sourceMappingURL=")]  # of the library
    script = "\n".join([*lines, _START, ""])
    title = html.escape(one_line(question)[:200])
    return _PAGE.format(policy=_policy(script), title=title, style=css(), data=embedded(data), script=script)


def embedded(data: object) -> str:
    """Return data as JSON that can stand in a script element: no text in it can end the element or begin another."""
    return json.dumps(data, allow_nan=False).translate(_ESCAPED)


def _policy(script: str) -> str:
    """Allow this one script, styles in the page and pictures made in it; nothing may be fetched or sent."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _ended(snapshot: Snapshot) -> Snapshot:
    """Return the snapshot of a run that will not go on in this file."""
    if snapshot["state"] != "running":
        return snapshot
    answer: AnswerState = {**(snapshot["answer"] or {})}
    answer.pop("live", None)
    cut: LogLine = {"kind": "Failure", "text": _UNTIL, "at": ""}
    log = [*snapshot["log"], cut]
    return {**snapshot, "state": "stopped", "answer": answer, "log": log, "waiting": False, "quiz": None}


class _Sheet(TypedDict):
    """A page as the file holds it: its text, and the spans of all passages on it; pictures stay out."""

    title: str
    sub: str
    text: str
    spans: list[tuple[int, int]]
    facts: NotRequired[PageFacts]
    trouble: NotRequired[str]


class _Sheets:
    """The pages of the passages on show, each once, and where on them the words of each passage stand."""

    def __init__(self, stores: Collection, used: list[Passage]) -> None:
        self._stores = stores
        self._used = used
        self._begins: dict[tuple[str, str | None], list[tuple[int, int]]] = {}  # by document and part: sheet, offset
        self.sheets: list[_Sheet] = []

    def spot(self, passage: Passage) -> tuple[int, int, int]:
        """Return the number of the sheet a passage stands on, and its first and last offset there."""
        known = self._begins.setdefault((passage.document, passage.part), [])
        for number, begin in known:
            start, end = passage.start - begin, passage.end - begin
            if start >= 0 and self.sheets[number]["text"][start:end] == passage.text:
                return number, start, end
        opened, _ = source.opened(self._stores, passage)
        start = len("".join(text for text, _ in takewhile(lambda run: run[1] != "mine", opened["runs"])))
        end = start + sum(len(text) for text, kind in opened["runs"] if kind == "mine")
        known.append((len(self.sheets), passage.start - start))
        self.sheets.append(self._sheet(opened, passage.document, passage.start - start))
        return len(self.sheets) - 1, start, end

    def _sheet(self, opened: SourcePage, document: str, begin: int) -> _Sheet:
        text = "".join(text for text, _ in opened["runs"])
        spans = {(one.start - begin, one.end - begin) for one in self._used if one.document == document}
        seen = sorted((max(0, start), end) for start, end in spans if start < len(text) and end > 0)
        sheet: _Sheet = {"title": opened["title"], "sub": opened["sub"], "text": text, "spans": seen}
        if "facts" in opened:
            sheet["facts"] = opened["facts"]
        if "trouble" in opened:
            sheet["trouble"] = opened["trouble"]
        return sheet


def _sheets(dag: ProvenanceDag, stores: Collection, snapshot: Snapshot) -> dict[str, object]:
    """Return the pages of all passages on show, as text, and for each passage its place on one of them."""
    shown = {node["id"] for node in snapshot["nodes"] if "passage" in node}
    nodes = [node for node in dag.nodes("Passage") if node.iri in shown]
    sheets = _Sheets(stores, [passage for node in nodes for passage in node.passages])
    spots = {node.iri: sheets.spot(node.passages[0]) for node in nodes}
    finals = [node.entity for node in dag.nodes() if isinstance(node.entity, Answer)]
    for said in (one.iri for final in finals for one in sentences(dag, final)):
        for node in nodes:
            if (words := narrowed(dag, said, node.passages[0])) != node.passages[0]:
                spots[f"{node.iri} {said}"] = sheets.spot(words)
    return {"sheets": sheets.sheets, "spots": spots}


def _made(dag: ProvenanceDag, stores: Collection, place: str, snapshot: Snapshot) -> list[tuple[str, str]]:
    """Return what people wrote at the run, and when, of what and how it was asked, from the Question's own record."""
    asked = next(iter(dag.roots)).iri
    rows = next(node["detail"]["rows"] for node in snapshot["nodes"] if node["id"] == asked)
    how = {label: row["stamp"] if row["k"] == "time" else row["text"] for row in rows
           if (row["k"] == "time" or row["k"] == "text") and (label := row.get("label")) in _TOLD}  # fmt: skip
    total = snapshot["total"]
    took = {"Took": f"{total['time']} {total['text']}"} if total else {}
    written = notes(stores).get(asked)
    said = {"Name": written.title, "Tags": ", ".join(written.tags), "Note": written.text} if written else {}
    given = {label: words for label, words in said.items() if words}
    made = {**given, "Workspace": place, **how, **took, "Saved by": f"provenance-explorer {__version__}"}
    return list(made.items())
