"""Verifying runs: those of a workspace, or those in a file; nothing is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pyoxigraph import NamedNode

from explorer import entities as e
from explorer import rdf
from explorer.display import Table
from explorer.errors import RecordError
from explorer.record.deletion import deleted
from explorer.record.verification.evidence import Evidence, Finding
from explorer.record.verification.rules import RULES
from explorer.record.verification.texts import TEXT_RULES
from explorer.stores.collection import Collection
from explorer.text import count
from explorer.vocab import RDF, RETRIEVAL, TG

_HEADS = ("Node", "What", "Since, or later")


class Verified(Table[Finding]):
    """What was found when runs were checked, shown as a table; `runs` are their Questions, in the order checked."""

    runs: tuple[str, ...]

    @classmethod
    def of(cls, runs: Iterable[str], findings: Iterable[Finding]) -> Verified:
        """Return what was found."""
        checked = tuple(runs)
        nothing = f"{count(len(checked), 'run')} checked, nothing found."
        made = cls(findings, _HEADS, lambda one: (one.node, one.what, one.since or ""), nothing)
        made.runs = checked
        return made

    @property
    def faults(self) -> tuple[Finding, ...]:
        """What does not hold, without what was removed on purpose."""
        return tuple(one for one in self if not one.is_removal)

    @property
    def is_sound(self) -> bool:
        """Whether nothing was found but what was removed on purpose."""
        return not self.faults


def verify(stores: Collection, runs: Iterable[str], *, with_contents: bool = True) -> Verified:
    """Check runs by the shapes, the rules across their nodes, and the words; raises RecordError for what is no run.

    `with_contents`: whether texts that are not there count as missing.
    """
    checked = tuple(dict.fromkeys(runs))
    return Verified.of(checked, (one for run in checked for one in faults(stores, run, with_contents=with_contents)))


def faults(stores: Collection, run: str, *, with_contents: bool = True) -> Iterator[Finding]:
    """Yield what does not hold of one run, each thing once."""
    if (left := deleted(stores, run)) is not None:
        yield Finding(run, f"it was deleted on {(left.invalidated_at or '')[:10]}", is_removal=True)
        return
    record = Evidence(stores, run, with_contents)
    if record.question is None:
        raise RecordError(f"There is no run {run} to verify; `ws.traces.list()` lists those on record.")
    found = dict.fromkeys(one for rule in (*RULES, *TEXT_RULES) for one in rule(record))
    yield from found


def questions(stores: Collection) -> list[str]:
    """Return the Questions of all runs in a collection that are part of no other, those deleted not."""
    asked = {quad.subject for quad in stores.graph.match(None, RDF.type, TG.Question, RETRIEVAL)}
    asked |= {quad.subject for quad in stores.graph.match(None, TG.query, None, RETRIEVAL)}  # of runs of before
    described = [
        one for node in asked if isinstance(node, NamedNode)
        for one in rdf.entities(stores.graph.match(node, None, None, RETRIEVAL))
    ]  # fmt: skip
    top = [one for one in described if isinstance(one, e.Question) and not one.derived_from]
    return [one.iri for one in sorted(top, key=lambda one: (one.started_at or "", one.iri))]
