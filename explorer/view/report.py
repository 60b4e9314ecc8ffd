"""Runs as one HTML file: the view itself over stored messages, to click through and to play, and what paper can hold.

It needs no kernel, no server and no request. Nothing in it can run but the script of the view: a policy names that by
its hash. What the view is given of documents, models and people stands in a block of data in which no markup can begin
or end; the rest is escaped. Without the script, and on paper, a picture and lists stand in the place of the view.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, NotRequired, TypedDict

from explorer.dag.sentences import cited, quotations, quoted, sentences, within
from explorer.drawing import picture
from explorer.entities import Answer, Citation
from explorer.record.trace import stores_read
from explorer.text import count, file_for, one_line
from explorer.version import __version__
from explorer.view import pyvis_nodes as drawing
from explorer.view import stored_run
from explorer.view.assets import css, esm
from explorer.view.detail import not_kept
from explorer.view.report_content import reported
from explorer.view.report_paper import Reported, paper
from explorer.view.run.mattered import on_record
from explorer.view.run.review import review
from explorer.view.run.stages import teaching
from explorer.view.source import page as source
from explorer.vocab import session_of, to_the_second
from explorer.wording.graph_words import NodeWords
from explorer.wording.kept import fitting
from explorer.wording.phrases import span_words

if TYPE_CHECKING:
    from explorer.dag import ProvenanceDag
    from explorer.events import Passage
    from explorer.record.trace import Trace
    from explorer.stores.collection import Collection
    from explorer.view.messages.run import AnswerState, LogLine, Snapshot, Teaching
    from explorer.view.messages.source import PageFacts, SourcePage
    from explorer.view.showing import Showing

_START = 'openReport(JSON.parse(document.getElementById("pe-data").textContent));'
_GREETS = {True: "greetHost(() => {});", False: "greetHost(showResult);"}  # whether it has a run to show
_TOLD = ("Search", "Reasoned by", "Embedder", "Limits")  # rows of the Question that say how
_MOST_STAGES = 60  # of an agent's run
_UNTIL = "Saved while the run went on: what came after this is not in this file."
_UNFINISHED = "not checked: the run was still going on"
_NOT_ON_RECORD = "not checked: the run is not on record here any more"
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
{runs}
<script type="application/json" id="pe-data">{data}</script>
<script type="module">{script}</script>
</body>
</html>
"""
_RUN = """<article class="pe-app" id="run-{at}">
<header class="pe-about"><h1 dir="auto" tabindex="0">{question}</h1>{rows}
<p class="pe-about-note">Click anything in the answer or the graph to see where it comes from.
{lesson}This page works without a network; new questions are asked in the app.</p></header>
<div class="pe-place"></div>
{paper}{told}
</article>"""
_LESSON = "“Teach”, under View, explains each stage and asks a class what it would keep. "
_PEOPLE = ("Name", "Tags", "Note", "Asked", "Outcome", "Reviewed")  # rows that stand above the fold


def page(stores: Collection, traces: Sequence[Trace], *, hosted: bool = False) -> str:
    """Return runs on record as one file; the same record gives the same bytes.

    One that is `hosted` stands in a frame of an agent's host, and speaks with it. Without runs it waits for the result
    of a tool, and reads the `data` of its run.
    """
    with stored_run.uncollected():
        return _page(stores, [_recalled(stores, trace) for trace in traces], hosted=hosted)


def data(stores: Collection, trace: Trace) -> str:
    """Return what a page holds of a run, for one that waits for it."""
    with stored_run.uncollected():
        showing, told = _recalled(stores, trace)
        return embedded(_held([_given(stores, showing, told, picture.svg(showing.dag))[0]], hosted=True))


def page_so_far(stores: Collection, showing: Showing) -> str:
    """Return a run that goes on, or is not on record any more, as a file: as far as it is shown, and unchecked."""
    why = _UNFINISHED if showing.state == "running" else _NOT_ON_RECORD
    return _page(stores, [(showing, Reported(showing.dag, asked=[("Checked", why)]))])


def _recalled(stores: Collection, trace: Trace) -> tuple[Showing, Reported]:
    """Return a run as the page has it: how it was seen, and what else there is to say of it."""
    showing, told = stored_run.shown(
        trace.events, hashlib.sha256(trace.iri.encode()).hexdigest()[:8],
        lambda dag, fact: stores_read(dag, stores).sources.passages(fact),
    )  # fmt: skip
    showing.reviewed = review(stores, showing.dag)
    showing.mattered = on_record(stores, showing.run, told)
    return showing, reported(stores, told)


def _held(runs: Sequence[dict[str, object]], *, hosted: bool) -> dict[str, object]:
    return {"looks": drawing.looks(), "options": drawing.options(), "hosted": hosted, "runs": runs}


def _page(stores: Collection, runs: Sequence[tuple[Showing, Reported]], *, hosted: bool = False) -> str:
    articles, held = list[str](), list[dict[str, object]]()
    for at, (showing, told) in enumerate(runs, 1):
        svg = picture.svg(showing.dag)
        given, rows, is_played = _given(stores, showing, told, svg)
        held.append(given)
        articles.append(_RUN.format(
            at=at, question=html.escape(told.question), rows=rows, lesson=_LESSON if is_played else "",
            told=_told(told.dag), paper=paper(told, at, svg),
        ))  # fmt: skip
    lines = [line for line in esm().split("\n") if not line.startswith("//# sourceMappingURL=")]  # of the library
    script = "\n".join([*lines, *([_GREETS[bool(runs)]] if hosted else []), _START, ""])
    asked = one_line(runs[0][1].question)[:200] if runs else "A run"
    title = asked if len(runs) <= 1 else f"{count(len(runs), 'run')}: {asked}"
    return _PAGE.format(
        policy=_policy(script), title=html.escape(title), style=css(), runs="\n".join(articles),
        data=embedded(_held(held, hosted=hosted)), script=script,
    )  # fmt: skip


def _given(stores: Collection, showing: Showing, told: Reported, svg: str) -> tuple[dict[str, object], str, bool]:
    """Return what the view needs to show a run, how it was asked as the rows of its head, and whether it is played.

    A run so large that an app holds back a part of it is shown whole, and not played.
    """
    dag, played, holds_back = showing.dag, showing.snapshot(), showing.holds_back
    grown = showing.snapshot(whole=True)
    whole = _ended(grown)
    names = NodeWords(dag, showing.has)
    drawn = {"name": file_for(told.question, "svg"), "mime": "image/svg+xml", "text": svg}
    nodes = [node["id"] for part in (*played.get("frames", ()), whole) for node in part.get("nodes", ())]
    is_played = not holds_back and "frames" in played
    given = {
        "snapshot": played if is_played else whole,
        **_sheets(dag, stores, whole),
        "left": {node.iri: not_kept.listed(stores, names, node.iri) for node in dag.nodes("NotKept")},
        "records": {iri: {"rows": showing.record(iri)} for iri in dict.fromkeys(nodes)},
        "svg": drawn,
    }
    return given, _rows([*told.asked, *_how(dag, grown)]), is_played


def _rows(told: Sequence[tuple[str, str]]) -> str:
    """Return what people wrote and when it was asked, and folded below it how it was made and checked."""
    first, folded = ("".join(_row(one) for one in told if (one[0] in _PEOPLE) is above) for above in (True, False))
    return f"<dl>{first}</dl><details><summary>How it was made</summary><dl>{folded}</dl></details>"


def _told(dag: ProvenanceDag) -> str:
    """Return what each stage of the run itself did, and why it came out so, in the words of a lesson."""
    own = {session_of(root.iri) for root in dag.roots}
    stages = [one for node in dag.nodes() if session_of(node.iri) in own and (one := teaching(dag, node))]
    lines = "".join(map(_stage, stages[:_MOST_STAGES]))
    more = f"<p>{count(len(stages) - _MOST_STAGES, 'more step')}.</p>" if len(stages) > _MOST_STAGES else ""
    heading = "<h2>How the answer came about, stage by stage</h2>"
    return f'<section class="pe-paper">{heading}<dl class="pe-told">{lines}</dl>{more}</section>' if stages else ""


def _stage(told: Teaching) -> str:
    word, text, why, figures = (html.escape(told[key]) for key in ("word", "text", "why", "figures"))
    reason = f'<p dir="auto"><b>Why?</b> {why}</p>' if why else ""
    small = f'<p dir="auto"><small>{figures}</small></p>' if figures else ""
    return f'<div><dt>{word}</dt><dd><p dir="auto">{text}</p>{reason}{small}</dd></div>'


def _row(told: tuple[str, str]) -> str:
    label, words = (html.escape(one) for one in told)
    shown = f'<time datetime="{words}">{html.escape(to_the_second(told[1]))}</time>' if label == "Asked" else words
    return f'<div><dt>{label}</dt><dd dir="auto">{shown}</dd></div>'


def embedded(data: object) -> str:
    """Return data as JSON that can stand in a script element: no text in it can end the element or begin another."""
    return json.dumps(data, allow_nan=False, separators=(",", ":")).translate(_ESCAPED)


def _policy(script: str) -> str:
    """Allow this one script, styles in the page and pictures made in it; nothing may be fetched or sent."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _ended(snapshot: Snapshot) -> Snapshot:
    if snapshot["state"] != "running":
        return snapshot
    answer: AnswerState = {**(snapshot["answer"] or {})}
    answer.pop("live", None)
    cut: LogLine = {"kind": "Failure", "text": _UNTIL, "at": ""}
    log = [*snapshot["log"], cut]
    return {**snapshot, "state": "stopped", "answer": answer, "log": log, "waiting": False, "quiz": None}


class _Sheet(TypedDict):
    """A page as the file holds it: its text, and the spans on it of what the answer cites; pictures stay out."""

    title: str
    sub: str
    text: str
    spans: list[tuple[int, int]]
    facts: NotRequired[PageFacts]
    trouble: NotRequired[str]


_Spot = tuple[int, list[tuple[int, int]], str]


class _Sheets:
    """The pages of the passages on show, each once, and where on them the words of each passage stand."""

    def __init__(self, stores: Collection, used: Sequence[Passage]) -> None:
        self._stores = stores
        self._used = used
        self._begins: dict[tuple[str, str | None], list[tuple[int, int]]] = {}  # by document and part: sheet, offset
        self.sheets: list[_Sheet] = []

    def spot(self, passage: Passage, quoted: Sequence[tuple[int, int]] = ()) -> _Spot:
        """Return the number of the sheet a passage stands on, what is marked there, and what is said of the passage.

        That is all of the passage, or the sentences that are `quoted` from it, by their first and last offsets in it.
        """
        number, start, end = self._place(passage)
        return number, [(start + first, start + last) for first, last in quoted] or [(start, end)], span_words(passage)

    def _place(self, passage: Passage) -> tuple[int, int, int]:
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
    sheets = _Sheets(stores, cited(dag))
    spots = {node.iri: sheets.spot(node.passages[0], quotations(dag, node.passages[0])) for node in nodes}
    finals = [node.entity for node in dag.nodes() if isinstance(node.entity, Answer)]
    for said in (one for final in finals for one in sentences(dag, final)):
        citation = said.entity
        if isinstance(citation, Citation):
            told = ((node, quoted(dag, citation, node.passages[0])) for node in nodes)
            narrowed = ((node.iri, words) for node, words in told if words != [node.passages[0]])
            spots |= {f"{iri} {said.iri}": sheets.spot(words[0], within(words)) for iri, words in narrowed}
    for node in nodes:
        for kept in dag.graph.predecessors(node.iri):
            for words in fitting(dag, kept, node.passages[0]):
                spots[f"{node.iri} {kept}"] = sheets.spot(words)
    return {"sheets": sheets.sheets, "spots": spots}


def _how(dag: ProvenanceDag, snapshot: Snapshot) -> list[tuple[str, str]]:
    """Return how the question was worked on, from its own record, how long that took, and what wrote the file."""
    asked = next(iter(dag.roots)).iri
    rows = next(node["detail"]["rows"] for node in snapshot["nodes"] if node["id"] == asked)
    how = [(label, row["text"]) for row in rows if row["k"] == "text" and (label := row.get("label")) in _TOLD]
    way = "so far" if snapshot["state"] == "running" else "in all"
    took = [("Took", f"{total} {way}")] if (total := snapshot["total"]) else []
    return [*how, *took, ("Saved by", f"provenance-explorer {__version__}")]
