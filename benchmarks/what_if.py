"""`python -m benchmarks.what_if [-w FOLDER]`: does an answer hang on what it cites, and on nothing else?

The questions of the sample and the 50 MuSiQue questions (facts by rules), the default engine and embedder, no model.
Of each run with an answer, the first fact that the answer cites is left out; in another run one that it kept, does
not cite, and that was taken from other sentences than any it quotes: one by chance (seeded), and the best one, which is
the hardest. Counted is how often sentences of the answer are lost: without the first always, without others never.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import mean, median
from time import perf_counter

import explorer
from benchmarks.answers import cases, fill, folder
from benchmarks.table import aligned
from benchmarks.timings import questions
from explorer.entities import EdgeSelection
from explorer.record.influence import change
from explorer.record.trace import Trace
from explorer.stores.passage_order import is_same_source
from explorer.workspace import Workspace

AIMS = ("", "≥ 80 %", "≤ 5 %", "", "")
KINDS = ("first cited fact", "an uncited fact of another sentence", "the best of these")
HEAD = ("Questions", *KINDS, "a what-if")


@dataclass(frozen=True, slots=True)
class Varied:
    """How much an answer changes without a fact; `kind` says which, `ms` how long the what-if took."""

    question: str
    kind: str
    change: float
    ms: float


def varied(ws: Workspace, asked: Iterable[str]) -> Iterator[Varied]:
    """Ask each question, then without the first fact that its answer cites, and without one that it doesn't cite."""
    for question in asked:
        run = ws.run(question)
        if run.reason != "done":
            continue
        others = uncited(run)
        chance = [Random(question).choice(others)] if others else []  # noqa: S311 - no secret
        chosen = first_cited(run), chance, others[:1]
        for kind, facts in zip(KINDS, chosen, strict=True):
            for fact in facts:
                begun = perf_counter()
                other = ws.rerun(run, without=[fact])
                yield Varied(question, kind, change(run, other), 1000 * (perf_counter() - begun))


def first_cited(run: Trace) -> list[EdgeSelection]:
    """Return the fact that the answer cites first, if it cites any."""
    order = [key for span in sorted(run.citations, key=lambda span: span.start or 0) for key in span.cites]
    facts = {one.iri: one for one in run.edges if one.edge is not None}
    return [facts[key] for key in order if key in facts][:1]


def uncited(run: Trace) -> list[EdgeSelection]:
    """Return the facts that the answer does not cite and that come from none of the sentences it cites or quotes."""
    cited = {key for span in run.citations for key in span.cites}
    told = [one for key in cited for one in run.passages.get(key, ())]
    return [
        fact for fact in run.edges
        if fact.iri not in cited and (own := run.passages.get(fact.iri, ()))
        and not any(is_same_source(one, there) for one in own for there in told)
        and not any(" ".join(one.text.split()) in run.answer for one in own)
    ]  # fmt: skip


def row(name: str, found: Iterable[Varied]) -> tuple[str, ...]:
    """Return the figures of some questions as text."""
    found = list(found)
    sides = [[one.change > 0 for one in found if one.kind == kind] for kind in KINDS]
    shares = (f"{100 * mean(side):.0f} % of {len(side)}" if side else "–" for side in sides)
    return (name, *shares, f"{median(one.ms for one in found):.0f} ms" if found else "–")


def main() -> None:
    """Ask the questions, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.what_if", description=main.__doc__)
    parser.add_argument("-w", "--workspaces", type=Path, help="a folder of workspaces, one a set; made if missing")
    parser.add_argument("-v", "--verbose", action="store_true", help="print each question where it went otherwise")
    given = parser.parse_args()
    data = folder()
    with tempfile.TemporaryDirectory(prefix="explorer-bench-") as place:
        where, found = given.workspaces or Path(place), list[Varied]()
        with explorer.demo(where / "demo", progress=False) as ws:
            found += varied(ws, questions())
        rows = [row("sample", found)]
        with explorer.open(where / "musique-rules") as ws:
            if not ws.size.documents:
                fill(ws, data, "musique-rules")
            more = list(varied(ws, (case.question for case in cases(data, "musique"))))
        rows += [row("MuSiQue, facts by rules", more), row("both", [*found, *more])]
    print(aligned([HEAD, ("aim", *AIMS[1:]), *rows]))
    for one in [*found, *more] if given.verbose else ():
        if (one.kind == KINDS[0]) != (one.change > 0):
            print(f"{one.kind}, change {one.change:.2f}: {one.question}")


if __name__ == "__main__":
    main()
