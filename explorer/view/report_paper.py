"""What a report says of runs: as the part of a page that prints on A4, as Markdown, and as CSV.

A table leads from each sentence of an answer over the fact and the reason to the quoted words and their place. Nothing
is loaded, and the same record always gives the same bytes. All text is escaped.
"""

from __future__ import annotations

import base64
import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from explorer import entities as e
from explorer.dag import ProvenanceDag
from explorer.dag.nodes import Node
from explorer.dag.outcome import told
from explorer.dag.retrieved import retrieved
from explorer.dag.sentences import numbers, quoted, sentences
from explorer.drawing.folding import of_agent
from explorer.drawing.outline import BEST, FIRST
from explorer.drawing.picture import drawn, listed
from explorer.drawing.svg import Sheet, sheets
from explorer.entities import Candidate, Citation, EdgeSelection, Exploration
from explorer.rdf.labels import edge_labels
from explorer.text import count, escape, no_formula, one_line, without_bars
from explorer.vocab import to_the_second
from explorer.wording.graph_words import lines
from explorer.wording.outcomes import how_far, signed
from explorer.wording.retrieved import became, how_known
from explorer.wording.tally import tally

CLAIMS = ("Sentence", "No.", "Fact", "Why it was kept", "Quoted words", "Where they stand", "How far")
_RETRIEVED = ("Passage", "What became of it", "Where it stands")
_VERDICTS = ("On", "Verdict", "Comment", "Who", "When")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#!|<>~&]|^[-+])")


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of an answer and one of the things that it rests on; without any the fields after it are empty."""

    sentence: int
    words: str
    number: int | None = None
    fact: str = ""
    reason: str = ""
    quote: str = ""
    place: str = ""
    how_far: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a reviewer found: on what, the verdict, the comment, who, and when (ISO 8601); `is_before`: it was changed
    later, to the one above it.
    """

    on: str
    verdict: str
    comment: str
    who: str
    when: str
    is_before: bool = False

    @property
    def cells(self) -> tuple[str, ...]:
        """It as a row; what it is on stands above where it was changed later."""
        verdict = f"{self.verdict} (changed later)" if self.is_before else self.verdict
        on = "the same, before" if self.is_before else self.on
        return on, verdict, self.comment, self.who, to_the_second(self.when)


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A page that an answer quotes: its name, a PNG, and where the quoted words stand, in parts of width and height."""

    name: str
    png: bytes
    boxes: Sequence[tuple[float, float, float, float]]


@dataclass(frozen=True, slots=True)
class Reported:
    """A run to report on: its graph, how it was asked, what reviewers and what checking it found, as far as known.

    Of the `verdicts` those that were changed later stand below what they were changed to; `checked` is None where it
    was not.
    """

    dag: ProvenanceDag
    asked: Sequence[tuple[str, str]] = ()
    verdicts: Sequence[Finding] = ()
    agreement: Sequence[str] = ()
    checked: Sequence[str] | None = None
    pages: Sequence[PagePicture] = field(default=(), repr=False)
    left_out: int = 0  # pages
    reasons: Mapping[str, str] = field(default_factory=dict, repr=False)  # of whole passages kept, by their IRIs

    @property
    def question(self) -> str:
        """What was asked."""
        return next((lines(self.dag, node)[-1] for node in self.dag.nodes("Question")), "Provenance")


def claims(dag: ProvenanceDag, reasons: Mapping[str, str] = MappingProxyType({})) -> Iterator[Claim]:
    """Yield the sentences of the final answer, each as often as there is something that it rests on, in their order."""
    final = dag.final
    if final is None or not isinstance(final.entity, e.Answer):
        return
    known = numbers(dag)
    for at, said in enumerate(sentences(dag, final.entity), 1):
        cited = said.entity if isinstance(said.entity, Citation) else None
        nodes = [dag.node(iri) for iri in (cited.cites if cited else ()) if iri in known]
        rests = how_far(dag, cited) if cited else ""
        if not nodes:
            yield Claim(at, said.text, how_far=rests or "cites nothing")
        for node in nodes:
            places = [words for one in node.passages for words in (quoted(dag, cited, one) if cited else [one])]
            for passage in places or (None,):
                yield Claim(
                    at,
                    said.text,
                    known[node.iri],
                    " ".join(lines(dag, node)) if isinstance(node.entity, EdgeSelection) else "a passage",
                    " ".join(filter(None, (_reason(node, reasons), how_known(cited) if cited else ""))),
                    without_bars(passage.text, passage.before) if passage else "",
                    passage.reference if passage else "no recorded source",
                    rests,
                )


def _reason(node: Node, reasons: Mapping[str, str]) -> str:
    return (node.entity.reasoning if isinstance(node.entity, EdgeSelection) else reasons.get(node.iri)) or ""


def _retrieved(dag: ProvenanceDag) -> list[tuple[str, ...]]:
    """Return what a run of another pipeline retrieved, and what became of each passage, as cells."""
    return [(without_bars(one.passage.text, one.passage.before), became(one), one.passage.reference)
            for one in retrieved(dag)]  # fmt: skip


def paper(run: Reported, at: int = 1, svg: str | None = None) -> str:
    """Return what a page says of its run number `at`, below its head; `svg` is its picture, if it is drawn already.

    Picture, answer and facts, which a page that can be clicked through shows in its own way, are `pe-print`; claims,
    quoted pages, verdicts and checks follow.
    """
    parts = [
        f'<div class="pe-print">{_answer(run.dag, at)}{drawn(run.dag, svg)}{listed(run.dag, numbers(run.dag))}</div>',
        _claims(run, at),
        _brought(run.dag),
        f'<div class="pe-print">{_facts(run.dag)}{_not_kept(run.dag)}</div>',
        *map(_picture, run.pages),
        f"<p><small>{count(run.left_out, 'more page')} not shown.</small></p>" if run.left_out else "",
        f"<h2>Verdicts</h2>{_table(_VERDICTS, map(_found_by, run.verdicts), 'pe-verdicts')}" if run.verdicts else "",
        "".join(f"<p>{escape(line)}</p>" for line in run.agreement),
        "" if run.checked is None else "<h2>Checked</h2>" + "".join(f"<p>{escape(line)}</p>" for line in run.checked),
    ]
    return f'<section class="pe-paper">{"".join(parts)}</section>'


def markdown(runs: Sequence[Reported]) -> str:
    """Return the same as Markdown, without pictures; no text of a document or a model makes markup in it."""
    return "\n".join(line for run in runs for line in _markdown(run)) + "\n"


def table(runs: Sequence[Reported]) -> str:
    """Return the claims of all runs as CSV, the question first in each row; no text is taken for a formula."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("Question", "At", *CLAIMS))
    for run in runs:
        for one in claims(run.dag, run.reasons):
            cells = (run.question, str(one.sentence), *_cells(one))
            writer.writerow([no_formula(one_line(cell)) for cell in cells])
    return out.getvalue()


def _cells(one: Claim) -> tuple[str, ...]:
    number = "" if one.number is None else str(one.number)
    return one.words, number, one.fact, one.reason, one.quote, one.place, one.how_far


def _answer(dag: ProvenanceDag, at: int) -> str:
    """Return the answer, behind each sentence the numbers of what it cites, which lead to the table."""
    parts = []
    for text, cites, came_out in told(dag):
        links = "".join(f'<sup><a href="#run-{at}-{number}">[{number}]</a></sup>' for number in cites)
        parts += [escape(text), links, f" ({signed(came_out).lower()})" if came_out else ""]
    return f'<p style="white-space:pre-line">{"".join(parts)}</p>'


def _claims(run: Reported, at: int) -> str:
    """Return the claims as a table; a sentence stands once, before all that it rests on."""
    rows, last, anchored = [], 0, set()
    for one in claims(run.dag, run.reasons):
        anchor = "" if one.number is None or one.number in anchored else f' id="run-{at}-{one.number}"'
        anchored.add(one.number)
        words, *rest = _cells(one)
        first = words if one.sentence != last else ""
        last = one.sentence
        rows.append(_row(CLAIMS, map(escape, (first, *rest)), anchor))
    if not rows:
        return ""
    return "<h2>What each sentence rests on</h2>" + _table(CLAIMS, rows, "pe-claims")


def _brought(dag: ProvenanceDag) -> str:
    rows = [_row(_RETRIEVED, map(escape, cells)) for cells in _retrieved(dag)]
    return f"<h2>What was retrieved</h2>{_table(_RETRIEVED, rows, 'pe-claims')}" if rows else ""


def _found_by(one: Finding) -> str:
    *cells, when = map(escape, one.cells)
    kind = ' class="pe-before"' if one.is_before else ""
    return _row(_VERDICTS, (*cells, f'<time datetime="{escape(one.when)}">{when}</time>'), kind)


def _row(heads: Sequence[str], cells: Iterable[str], kind: str = "") -> str:
    """Return a row of a table, each cell named, for where no table has room."""
    told = "".join(f'<td data-name="{name}">{cell}</td>' for name, cell in zip(heads, cells, strict=True))
    return f"<tr{kind}>{told}</tr>"


def _table(heads: Sequence[str], rows: Iterable[str], kind: str = "") -> str:
    top = "".join(f"<th>{escape(head)}</th>" for head in heads)
    return f'<table class="{kind}"><thead><tr>{top}</tr></thead><tbody>{"".join(rows)}</tbody></table>'


def _picture(one: PagePicture) -> str:
    sides = ("left", "top", "width", "height")
    places = (";".join(f"{side}:{100 * part:.3f}%" for side, part in zip(sides, box, strict=True)) for box in one.boxes)
    boxes = "".join(f'<div class="pe-box" style="{place}"></div>' for place in places)
    image = base64.b64encode(one.png).decode()
    name = escape(one.name)
    return f'<h2>{name}</h2><figure><img alt="{name}" src="data:image/png;base64,{image}">{boxes}</figure>'


def _markdown(run: Reported) -> Iterator[str]:
    yield from (f"# {_plain(run.question)}", "")
    yield from (f"- {_plain(name)}: {_plain(words)}" for name, words in run.asked)
    yield from ("", *(f"{_plain(line)}\\" for line in run.dag.answer.split("\n") if line.strip()), "")
    found = list(claims(run.dag, run.reasons))
    if found:
        yield from ("## What each sentence rests on", "", *_grid(CLAIMS, map(_cells, found)), "")
    if brought := _retrieved(run.dag):
        yield from ("## What was retrieved", "", *_grid(_RETRIEVED, brought), "")
    if run.verdicts:
        rows = _grid(_VERDICTS, (one.cells for one in run.verdicts))
        yield from ("## Verdicts", "", *rows, "", *map(_plain, run.agreement), "")
    if run.checked is not None:
        yield from ("## Checked", "", *(f"- {_plain(line)}" for line in run.checked), "")


def _grid(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    for row in (heads, ["---"] * len(heads)):
        yield f"| {' | '.join(row)} |"
    yield from (f"| {' | '.join(map(_plain, row))} |" for row in rows)


def _plain(text: str) -> str:
    """Return a text on one line that Markdown takes for words alone."""
    return _MARKDOWN.sub(r"\\\1", one_line(text))


def _facts(dag: ProvenanceDag) -> str:
    """List the facts with their reasons and words; of an agent's run those of each search by themselves."""
    known = numbers(dag)
    if not of_agent(dag.nodes()):
        heading = f"<h2>Facts kept</h2><p><small>{tally(dag)}</small></p>"
        return f"{heading}{_listed(dag, dag.nodes('EdgeSelection'), known)}"
    cited = {key for entity in dag.entities.values() if isinstance(entity, Citation) for key in entity.cites}
    return "".join(_found(dag, sheet, cited, known) for sheet in sheets(dag))


def _found(dag: ProvenanceDag, sheet: Sheet, cited: set[str], known: Mapping[str, int]) -> str:
    """Return what answers cite of one search, or else what fitted best."""
    shown = [node for node in sheet.selected if node.iri in cited]
    which, shown = ("cited by answers", shown) if shown else ("the best matches", sheet.selected[:BEST])
    heading = f"<h2>{escape(sheet.heading or 'Facts kept')}</h2>"
    heading += f"<p><small>{len(shown)} of {len(sheet.selected)} kept: {which}</small></p>"
    return f"{heading}{_listed(dag, shown, known)}" if sheet.selected else ""


def _not_kept(dag: ProvenanceDag) -> str:
    """List the nearest of what was read and not kept, each with why, and its score where it has one."""
    left = [one for one in dag.entities.values() if isinstance(one, Candidate) and one.edge is not None]
    left.sort(key=lambda one: -(one.score or 0.0))
    looked = sum(one.count or 0 for one in dag.entities.values() if isinstance(one, Exploration) and not one.of_chunks)
    kept = len(dag.nodes("EdgeSelection"))
    items = "".join(f"<li>{escape(_left(dag, one))}</li>" for one in left)
    more = looked - kept - len(left)
    rest = f"<p><small>{count(more, 'more fact')} read, farther away.</small></p>" if more > 0 else ""
    return f"<h2>Read, and not kept</h2><ul>{items}</ul>{rest}" if items else ""


def _left(dag: ProvenanceDag, one: Candidate) -> str:
    words = "{} — {} → {}".format(*edge_labels(one.edge, dag.labels)) if one.edge else ""
    score = "" if one.score is None else f"score {one.score:.2f}"
    return f"{words}: {', '.join(filter(None, (score, one.not_selected)))}".removesuffix(": ")


def _listed(dag: ProvenanceDag, facts: list[Node], known: Mapping[str, int]) -> str:
    """List facts, the best first, beyond the bound of a drawing behind a line that opens."""
    first, more = ("".join(_fact(dag, one, known) for one in some) for some in (facts[:FIRST], facts[FIRST:]))
    rest = f"<details><summary>{count(len(facts) - FIRST, 'more fact')}</summary><ul>{more}</ul></details>"
    return f"<ul>{first}</ul>{rest if more else ''}"


def _fact(dag: ProvenanceDag, node: Node, known: Mapping[str, int]) -> str:
    """Return a fact with its reason and words, and the number by which the answer cites it, if it does."""
    reason = node.entity.reasoning if isinstance(node.entity, EdgeSelection) else None
    quotes = "".join(
        f"<blockquote>{escape(without_bars(passage.text, passage.before))}<br>"
        f"<small>{escape(passage.place)}</small></blockquote>"
        for passage in node.passages
    )
    none = "" if node.passages else "<blockquote>No recorded source.</blockquote>"
    mark = f"[{known[node.iri]}] " if node.iri in known else ""
    words = f"{mark}{' '.join(lines(dag, node))}"
    return f"<li><b>{escape(words)}</b><br>{escape(reason or '')}{quotes}{none}</li>"
