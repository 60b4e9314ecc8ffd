"""What people corrected, as values that show as a table."""

from __future__ import annotations

from dataclasses import dataclass

from pyoxigraph import Triple

from explorer.display import Table
from explorer.entities import MERGED, SPLIT, UNDONE, Curation
from explorer.errors import RecordError
from explorer.rdf.labels import edge_labels
from explorer.stores import stored_corrections
from explorer.stores.collection import Collection
from explorer.text import one_line

_HEADS = ("What", "Done", "On", "By", "Why", "Undone", "IRI")


@dataclass(frozen=True, slots=True)
class Correction:
    """What a person corrected: `act` is "added", "retracted", "merged" or "split"; `by` names who, where they said so.

    `reason` is why, where they said so; `undone` says when it was undone and by whom; empty where it stands. `instead`
    is what a retracted fact was put in the words of.
    """

    iri: str
    act: str
    what: str
    made_at: str
    by: str | None
    undone: str
    reason: str = ""
    instead: str = ""

    @property
    def word(self) -> str:
        """What was done, in a word: a fact that was retracted for another one was reworded."""
        return "reworded" if self.instead else self.act

    @property
    def about(self) -> str:
        """What it was done with: "a — b — c", or "a — b — c; now a — b — d"."""
        return f"{self.what}; now {self.instead}" if self.instead else self.what

    @property
    def sentence(self) -> str:
        """What was done, when, by whom and why, in one sentence."""
        who = f" by {self.by}" if self.by else ""
        why = f" (“{self.reason}”)" if self.reason else ""
        undone = self.undone and f"; {self.undone}"
        return f"{self.word.capitalize()} on {self.made_at[:10]}{who}{why}: {self.about}{undone}."

    def __repr__(self) -> str:
        return f"<Correction {one_line(self.sentence)}>"


def corrections(stores: Collection) -> Table[Correction]:
    """Return all that was corrected by hand, the last first; shown as a table."""
    whole = [one for one in stored_corrections.everything(stores.graph) if one.act != UNDONE and not one.derived_from]
    made = (_made(stores, one) for one in reversed(whole))
    return Table(made, _HEADS, _cells, "Nothing was corrected by hand.")


def correction(stores: Collection, iri: str) -> Correction:
    """Return one correction by its IRI; raises RecordError."""
    found = next((one for one in corrections(stores) if one.iri == iri), None)
    if found is None:
        raise RecordError(f"There is no correction {one_line(iri)}.")
    return found


def _made(stores: Collection, act: Curation) -> Correction:
    later = stored_corrections.undone_by(stores.graph, act.iri)
    undone = f"undone{later.when}" if later else ""
    what, reason = _what(stores, act), one_line(act.reason or "")
    instead = "" if act.instead is None else _words(stores, act.instead)
    return Correction(act.iri, act.act or "changed", what, act.made_at or "", act.by, undone, reason, instead)


def _what(stores: Collection, act: Curation) -> str:
    sources = stores.sources
    if act.fact is not None:
        return _words(stores, act.fact)
    entity, others = f"“{sources.called(act.entity or '')}”", sorted(f"“{sources.called(one)}”" for one in act.aliases)
    listed = " and ".join(filter(None, (", ".join(others[:-1]), *others[-1:])))
    return {MERGED: f"{listed} is read as {entity}", SPLIT: f"{listed} off {entity}"}.get(act.act or "", entity)


def _words(stores: Collection, fact: Triple) -> str:
    return " — ".join(edge_labels(fact, stores.sources.labels([fact])))


def _cells(one: Correction) -> tuple[str, ...]:
    return one.about, one.word, one.made_at[:19].replace("T", " "), one.by or "", one.reason, one.undone, one.iri
