"""What mattered for the answer of a run, as the page shows it while that is found out, and from the record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyoxigraph import Triple

from explorer.dag.sentences import cited, numbers
from explorer.entities import EdgeSelection
from explorer.record.influence import OVER, SAMPLED, Influence, items_of, stored
from explorer.stores.document_names import documents
from explorer.text import count, truncate
from explorer.wording.phrases import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from explorer.dag import ProvenanceDag
    from explorer.record.influence import Attempt, Item, Rated
    from explorer.record.trace import Trace
    from explorer.stores.collection import Collection
    from explorer.stores.document_names import DocumentRow
    from explorer.view.messages.what_if import Mattered, MatteredItem, MatterState
    from explorer.wording.authors import Author

_SENTENCES = 2  # of what was found; the rest is to be unfolded
_NAMED = 6  # documents that were not tested
_LONGEST = 60  # letters of the title of one
_NOTHING_RECORDED = "Nothing of it is on record."


class Mattering:
    """What matters for the answer of one run, over its facts, passages or documents."""

    def __init__(self, run: str, trace: Trace, over: str, documents: Iterable[DocumentRow] = ()) -> None:
        """Begin with nothing rated; `run` is the page's name for the run. Raises QuestionError as `influence` does.

        `documents` are all that can be asked: of some nothing was kept, so that there is nothing to leave out.
        """
        self._run, self._over = run, over
        self._items: list[Item] = items_of(trace, over)
        self._nodes = _nodes(trace.dag, over)
        self._numbers = _numbers(trace.dag, over)
        kinds = {number: trace.dag.node(iri).kind for iri, number in numbers(trace.dag).items()}
        self._wholes = [number for number, kind in kinds.items() if kind == "ChunkSelection"]
        self._shared = [given for given in _numbers(trace.dag, "passages").values() if len(given) > 1]
        self._documents = {one.iri: one.title for one in documents} if over == "documents" else {}
        self._quoted = _quoted(trace.dag) if over == "facts" else set()
        self._last: Attempt | Influence | None = None

    def told(self, found: Attempt | Influence) -> Mattered:
        """Return what is known once this has come."""
        self._last = found
        return self._message("done" if isinstance(found, Influence) else "going")

    def stopped(self, error: str = "") -> Mattered:
        """Return what was known when it was stopped, or failed with an error."""
        return self._message("error" if error else "stopped", error)

    def _message(self, state: MatterState, error: str = "") -> Mattered:
        last = self._last
        ratings: Sequence[Rated] = () if last is None else last.ratings
        made, of, now = (last.made, last.of, last.name) if last and not isinstance(last, Influence) else (0, 0, "")
        said, more = ([error], []) if error else self._said(state, made, of)
        return {
            "t": "mattered",
            "run": self._run,
            "over": self._over,
            "state": state,
            "made": made,
            "of": of,
            "now": now,
            "items": self._rows(ratings),
            "said": said[:_SENTENCES],
            "more": [*said[_SENTENCES:], *more],
            "author": _author(last) if isinstance(last, Influence) else None,
        }

    def _rows(self, ratings: Sequence[Rated]) -> list[MatteredItem]:
        known = {one.what: one for one in ratings}
        order = [one.what for one in ratings] + [one.what for one in self._items if one.what not in known]
        items = {one.what: one for one in self._items}
        rows: list[MatteredItem] = []
        for what in order:
            item, rating = items.get(what), known.get(what)
            rows.append({
                "text": rating.name if rating else item.name if item else str(what),
                "node": next(iter(self._nodes.get(str(what), ())), None),
                "nodes": self._nodes.get(str(what), []),
                "numbers": self._numbers.get(str(what), []),
                "change": rating.change if rating else None,
                "verdict": rating.verdict if rating else "not tried",
                "cited": bool(item and item.cited),
            })  # fmt: skip
        return rows

    def _said(self, state: MatterState, made: int, of: int) -> tuple[list[str], list[str]]:
        """Return what was found, what is least expected first, and how it was."""
        noun, last = OVER[self._over], self._last
        if state == "stopped":
            return [f"Stopped after {made:,} of {count(of, 'run')}. {_NOTHING_RECORDED}"], []
        if not isinstance(last, Influence):
            return [], []
        said, how = list[str](), list[str]()
        them = "it" if len(last.idle) == 1 else "them"
        if last.idle:
            idle = count(len(last.idle), f"cited {noun}")
            said.append(f"{idle} made no difference: without {them} the answer stays the same.")
        if last.silent:
            it, matters = ("it", "matters") if len(last.silent) == 1 else ("them", "matter")
            said.append(f"{count(len(last.silent), noun)} {matters} although no sentence cites {it}.")
            how.append("Without what is not cited a quoted sentence is gone, or the search finds something else.")
        alike = sum(one.change == 1 for one in last.ratings)
        if alike > 1:
            said.append(f"Without any one of the first {alike:,} the whole answer is lost.")
        if not last.idle and not last.silent:
            others = ", and no other that was tested does" if any(not one.cited for one in last.ratings) else ""
            said.append(f"Each {noun} that is cited matters{others}.")
        how.append(self._tested(last))
        if self._over == "facts":
            how.append("A fact is left out together with the sentences it was taken from.")
            how += self._quoting()
        if self._over == "facts" and self._wholes:
            named = listed([f"[{number}]" for number in self._wholes])
            what = "is no fact but a whole passage" if len(self._wholes) == 1 else "are no facts but whole passages"
            how.append(f"{named} {what}, and tested under Passages.")
        if self._over != "documents":
            how += [self._in_one(given) for given in self._shared]
        return said, how

    def _tested(self, found: Influence) -> str:
        """Say what was tested: what the run kept, or kept something from; and what was not, of documents by name."""
        noun, number = OVER[self._over], len(found.ratings)
        kept = "that were kept" if self._over == "facts" else "that something was kept from"
        if number == 1:
            kept = kept.replace("were", "was")
        tested = {one.what for one in found.ratings}
        left = [title for iri, title in self._documents.items() if iri not in tested]
        if not left:
            return f"Tested: the {count(number, noun)} {kept}, and no other."
        named = [f"“{truncate(title, _LONGEST)}”" for title in left[:_NAMED]]
        named += [f"{len(left) - _NAMED:,} more"] if len(left) > _NAMED else []
        return (
            f"Tested: {number:,} of {count(len(self._documents), noun)}, those that something was kept from. "
            f"Not tested: {listed(named)}; without {'it' if len(left) == 1 else 'them'} nothing that was kept is gone."
        )

    def _in_one(self, given: Sequence[int]) -> str:
        """Say that several numbers of the answer stand in one passage, though the graph has a box for each."""
        named = listed([f"[{number}]" for number in sorted(given)])
        both = "both " if len(given) == 2 else "all "
        how = "which was tested as one" if self._over == "passages" else "which Passages tests as one"
        return f"{named} {both}stand in one passage, {how}; the graph has a box for each."

    def _quoting(self) -> list[str]:
        """Say which facts were left out with a sentence that the answer quotes and gives to another source.

        What is lost without them is then lost with that sentence, and says nothing of the fact.
        """
        named = [one.what for one in self._last.ratings if one.change and not one.cited] if self._last else []
        names = [one.name for one in self._items if one.what in named and str(one.what) in self._quoted]
        if not names:
            return []
        it = "it need" if len(names) == 1 else "they need"
        which = listed([f"“{name}”" for name in names])
        return [f"With {which} a sentence goes that the answer quotes: {it} not matter as a fact."]


def on_record(stores: Collection, run: str, trace: Trace) -> list[Mattered]:
    """Return what was found out before about a run, its facts before its passages."""
    found = [(over, known) for over in OVER if (known := stored(stores, trace, over)) is not None]
    known_documents = documents(stores.database) if found else []
    return [Mattering(run, trace, over, known_documents).told(known) for over, known in found]


def _author(found: Influence) -> Author:
    how = "a random half" if found.method.startswith(SAMPLED) else "one at a time"
    return {
        "sign": "⚙",
        "text": f"asked {found.reruns:,} times: first as it was, then leaving out {how}; only the result is on record",
    }


def _nodes(dag: ProvenanceDag, over: str) -> dict[str, list[str]]:
    nodes: dict[str, list[str]] = {}
    if over == "facts":
        for node in dag.nodes("EdgeSelection"):
            if isinstance(node.entity, EdgeSelection) and isinstance(node.entity.edge, Triple):
                nodes.setdefault(str(node.entity.edge), []).append(node.iri)
        return nodes
    kinds = ("ChunkSelection", "Passage") if over == "passages" else ("Document",)
    for node in (node for kind in kinds for node in dag.nodes(kind)):
        for passage in node.passages:
            shown = nodes.setdefault(passage.chunk if over == "passages" else passage.document, [])
            if node.iri not in shown:
                shown.append(node.iri)
    return nodes


def _numbers(dag: ProvenanceDag, over: str) -> dict[str, list[int]]:
    """Return the numbers that the answer has for each fact, or for what is in each passage or document."""
    found: dict[str, list[int]] = {}
    for iri, number in numbers(dag).items():
        node = dag.node(iri)
        keys = [passage.chunk if over == "passages" else passage.document for passage in node.passages[:1]]
        if over == "facts":
            keys = [str(node.entity.edge)] if isinstance(node.entity, EdgeSelection) else []
        for key in keys:
            if number not in found.setdefault(key, []):
                found[key].append(number)
    return found


def _quoted(dag: ProvenanceDag) -> set[str]:
    """Return the facts of which a source, also a second one, holds words that the answer cites."""
    spans = [(one.document, one.start, one.end) for one in cited(dag)]
    found = set()
    for node in dag.nodes("EdgeSelection"):
        if isinstance(node.entity, EdgeSelection) and any(
            one.document == document and one.start < end and start < one.end
            for one in node.passages
            for document, start, end in spans
        ):
            found.add(str(node.entity.edge))
    return found
