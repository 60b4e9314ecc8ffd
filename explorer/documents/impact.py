"""What hangs on a document: the facts that would go with it, the answers that quote it, the texts with its words."""

from __future__ import annotations

from dataclasses import dataclass, field

from explorer import display
from explorer.display import Table
from explorer.documents.found_facts import Fact, fact_table
from explorer.record.forgetting import held, texts_quoting
from explorer.record.listing import Summaries, TraceSummary
from explorer.record.traces import Traces
from explorer.stores.document_names import DocumentRow
from explorer.text import count, one_line

_FACTS, _ANSWERS, _LOOKED = "Facts that would go:", "Answers that quote it:", "Runs that only looked at it:"


@dataclass(frozen=True, slots=True)
class Impact:
    """What removing a document, with the versions before it (`versions`, IRIs), would change.

    `facts` would go, `kept` stay by other sources, `runs` kept a fact or a passage of it, newest first: of those,
    `answers` quote it, and `looked` do not. `texts` of runs (answers, thoughts, prompts, replies, reasons) have words
    of it; they stay, unless they are removed with it.
    """

    iri: str
    title: str
    versions: tuple[str, ...]
    chunks: int
    facts: Table[Fact] = field(repr=False)
    kept: Table[Fact] = field(repr=False)
    runs: Summaries = field(repr=False)
    answers: Summaries = field(repr=False)
    texts: int

    @property
    def looked(self) -> list[TraceSummary]:
        """Those of the runs whose answer does not quote it, or that gave none."""
        quoting = {run.iri for run in self.answers}
        return Summaries(run for run in self.runs if run.iri not in quoting)

    @property
    def sentence(self) -> str:
        """It in one line."""
        answers, looked = len(self.answers), len(self.looked)
        verb = "do" if looked > 1 else "does"
        others = f" ({count(looked, 'more run')} looked at it and {verb} not)" if looked else ""
        texts = f"{count(self.texts, 'text')} of runs {'has' if self.texts == 1 else 'have'} words of it"
        stay = f" and {len(self.kept):,} would stay by other sources" if self.kept else ""
        versions = f" and {count(len(self.versions), 'earlier version')}" if self.versions else ""
        return (
            f"Without “{one_line(self.title)}” ({count(self.chunks, 'passage')}){versions}, "
            f"{count(len(self.facts), 'fact')} would go{stay}; "
            f"{count(answers, 'answer')} quote{'s' if answers == 1 else ''} it{others}, {texts}."
        )

    def __repr__(self) -> str:
        return f"<Impact {self.sentence}>"

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        looked = Summaries(self.looked)
        below: list[tuple[str, display.AsTable]] = [(_FACTS, self.facts), (_ANSWERS, self.answers), (_LOOKED, looked)]
        shown = [(head, found) for head, found in below if len(found)]
        return display.bundle(
            [self.sentence, *(line for head, found in shown for line in ("", head, str(found)))],
            [
                display.paragraph(self.sentence),
                *(f"{display.paragraph(head)}{found._repr_html_()}" for head, found in shown),
            ],
        )

    def lines(self) -> list[str]:
        """Return it as lines of text, with all facts and runs."""
        lines = [self.sentence]
        if self.facts:
            lines += ["", _FACTS, *self.facts.lines()]
        for head, runs in ((_ANSWERS, self.answers), (_LOOKED, self.looked)):
            lines += ["", head] if runs else []
            lines += [f"{one_line(run.question)} ({run.iri})" for run in runs]
        return lines


def impact(traces: Traces, document: DocumentRow) -> Impact:
    """Return what removing a document would change."""
    stores = traces.stores
    has = held(stores, document.iri)
    return Impact(
        iri=document.iri,
        title=document.title,
        versions=has.versions,
        chunks=has.chunks,
        facts=fact_table(stores, has.lost),
        kept=fact_table(stores, has.kept),
        runs=Summaries(traces.using(*has.used)),
        answers=Summaries(traces.quoting(*has.used)),
        texts=len(texts_quoting(stores, has)),
    )
