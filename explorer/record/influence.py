"""What the answer of a run hangs on, found by asking again without some of what it rests on.

Few things are left out one at a time. Of more than the budget allows, random halves are left out, and a sparse linear
fit says how much each one keeps of the answer (ContextCite, Cohen-Wang et al. 2024, arXiv 2409.00729); the rest of the
budget leaves out alone those that weigh most. The change of an answer is the share of its sentences that are lost.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from pyoxigraph import Quad, Triple

from explorer import display, rdf
from explorer import entities as e
from explorer.dag.passage_names import passage_name
from explorer.errors import QuestionError
from explorer.events import Passage
from explorer.language.sentences import sentences
from explorer.language.words import tokens
from explorer.models.chat import NO_MODEL
from explorer.rdf.labels import edge_labels
from explorer.record.node_lookup import read
from explorer.record.trace import Trace
from explorer.stores.collection import Collection
from explorer.stores.left_out import LeftOut, named
from explorer.text import count, one_line
from explorer.vocab import ANNOTATION, by_index, iri, session_of, timestamp

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

OVER = {"facts": "fact", "passages": "passage", "documents": "document"}
LEAVE_ONE_OUT, SAMPLED, AFRESH = "leave-one-out", "sampled", "against a fresh answer"
NEEDED, HELPED, NO_DIFFERENCE = "needed", "helped", "made no difference"
FEWEST = 2  # reruns: one as it was, one without something

_MOST = 0.5  # of the answer's sentences change: needed
_LEAST = 0.05  # a smaller weight of the fit is no difference
_SAME = 0.8  # of their words: two sentences count as one, so that another wording by a model is no change
_HALVES = 2 / 3  # of the budget go into random halves, the rest into those that weigh most
_SPARSE = 0.01  # what a weight must be worth, as in ContextCite
_ROUNDS = 200  # of the fit, which has long settled then
_LONGEST = 60
_HEADS = ("Change", "Without it", "Cited", "")

Rerun = Callable[[LeftOut], Trace]


@dataclass(frozen=True, slots=True)
class Rated:
    """How much the answer changes without one fact, or one passage or document (its IRI).

    `change` is the share of the answer's sentences that are lost, from 0 to 1. `verdict` is "needed" (half or more),
    "helped" (less) or "made no difference". `cited` says whether the answer cites it; `name` is for people.
    """

    what: Triple | str
    name: str
    change: float
    verdict: str
    cited: bool


@dataclass(frozen=True, slots=True)
class Influence:
    """What the answer of a run hangs on: each fact, passage or document rated, what matters most first.

    `iri` is the annotation on record, `run` the run's Question; `method` says how, in `reruns` unrecorded runs.
    """

    iri: str
    run: str
    over: str
    method: str
    reruns: int
    ratings: tuple[Rated, ...]

    @property
    def idle(self) -> tuple[Rated, ...]:
        """What is cited and makes no difference: something else says the same, or the answer stands without it."""
        return tuple(one for one in self.ratings if one.cited and one.verdict == NO_DIFFERENCE)

    @property
    def silent(self) -> tuple[Rated, ...]:
        """What is not cited and matters: the answer is another one without, as the search then goes elsewhere."""
        return tuple(one for one in self.ratings if not one.cited and one.verdict != NO_DIFFERENCE)

    def lines(self) -> Iterator[str]:
        """Yield it as lines of text: a table, then what is cited for nothing and what matters unseen."""
        yield from display.grid(_HEADS, self._rows(), widest=None)
        yield ""
        yield from self._notes()

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            (f"{one.change:.2f}", one.verdict, "cited" if one.cited else "", one_line(one.name)) for one in self.ratings
        ]

    def _notes(self) -> Iterator[str]:
        noun = OVER[self.over]
        if self.idle:
            yield f"{count(len(self.idle), f'cited {noun}')} made no difference: the answer is the same without."
        if self.silent:
            yield f"{count(len(self.silent), noun)} mattered without being cited: the answer is another one without."
        yield f"Found by {self.method} in {count(self.reruns, 'run')}, which are not on record."

    def __repr__(self) -> str:
        found = ", ".join(
            f"{sum(one.verdict == verdict for one in self.ratings)} {verdict}"
            for verdict in (NEEDED, HELPED, NO_DIFFERENCE)
        )
        return f"<Influence of {count(len(self.ratings), OVER[self.over])}: {found}>"

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        html = [display.table(_HEADS, self._rows()), *map(display.paragraph, self._notes())]
        return display.bundle(self.lines(), html)


@dataclass(frozen=True, slots=True)
class Attempt:
    """A run about to be made: how many were made before it, of how many, without what, and what is rated by now."""

    made: int
    of: int
    name: str
    ratings: tuple[Rated, ...] = ()


@dataclass(frozen=True, slots=True)
class Item:
    """Something an answer may hang on: how it is left out, its name for people, and whether the answer cites it."""

    what: Triple | str
    name: str
    cited: bool

    @property
    def left_out(self) -> LeftOut:
        """What leaves it out."""
        return LeftOut((self.what,)) if isinstance(self.what, Triple) else LeftOut((), (self.what,))


def items_of(trace: Trace, over: str) -> list[Item]:
    """Return the facts that a run kept, or the passages or documents that its sources are in, in their order.

    Raises QuestionError for a run that answered nothing, or kept nothing of that kind.
    """
    if over not in OVER:
        raise QuestionError(f"over must be {', '.join(OVER)}, not {over!r}.")
    if trace.reason != "done":
        raise QuestionError(
            f"{trace.iri} has no answer ({trace.reason}), so nothing mattered for it; take another run."
        )
    cited = {key for span in trace.citations for key in span.cites}
    found = list(_facts(trace, cited) if over == "facts" else _places(trace, over, cited))
    if not found:
        others = ", ".join(name for name in OVER if name != over)
        raise QuestionError(f"The run kept no {over}; ask over one of {others}.")
    return found


def at_hand(stores: Collection, items: Sequence[Item], over: str) -> list[Item]:
    """Return the items that these stores hold; without one that they do not the answer would only seem the same.

    Raises QuestionError where none is left: the run was made elsewhere, or its documents are gone.
    """
    found = [item for item in items if _is_held(stores, item)]
    if not found:
        raise QuestionError(
            f"None of the run's {over} is here, so what mattered can't be found out. It was made elsewhere, or its "
            "documents are gone."
        )
    return found


def _is_held(stores: Collection, item: Item) -> bool:
    try:
        named(stores, [item.what])
    except QuestionError:
        return False
    return True


def _facts(trace: Trace, cited: set[str]) -> Iterator[Item]:
    own = {one.edge for one in trace.edges if one.iri in cited}
    for fact in dict.fromkeys(one.edge for one in trace.edges if one.edge is not None):
        yield Item(fact, "{} — {} → {}".format(*edge_labels(fact, trace.labels)), fact in own)


def _places(trace: Trace, over: str, cited: set[str]) -> Iterator[Item]:
    of_passages, passages = over == "passages", trace.passages
    told = [one for key in cited for one in passages.get(key, ())]
    named = {one.chunk if of_passages else one.document for one in told}
    kept = [one for key in (*trace.edges, *trace.chunks) for one in passages.get(key.iri, ())]
    found = [*told, *kept] if kept else trace.sources()
    first: dict[str, Passage] = {}
    for one in found:
        first.setdefault(one.chunk if of_passages else one.document, one)
    for key, one in first.items():
        name = f"{one.reference}: {passage_name(trace.dag, one, _LONGEST)}" if of_passages else one.title
        yield Item(key, name, key in named)


def change(before: Trace, after: Trace) -> float:
    """Return the share of an answer's sentences that another one has not, from 0 to 1.

    1 where only one of them answers. What the other says besides is no change: the answer has lost nothing of what it
    said. Two sentences that share four fifths of their words count as one. Without a model the sentences are those that
    the answer quotes: how it introduces them, and what it names as missing, is no change.
    """
    if (before.reason == "done") != (after.reason == "done"):
        return 1.0
    one, left = ([frozenset(map(str.lower, tokens(said))) for said in _said(trace)] for trace in (before, after))
    lost = 0
    for words in one:
        match = next((told for told in left if words == told or len(words & told) >= _SAME * len(words | told)), None)
        if match is None:
            lost += 1
        else:
            left.remove(match)
    return lost / len(one) if one else 0.0


def _said(trace: Trace) -> list[str]:
    """Return the sentences of an answer; without a model those it quotes, if any."""
    spans = [one for one in trace.citations if one.cites] if trace.model == NO_MODEL else []
    quoted = [trace.answer[one.start or 0 : one.end or 0] for one in spans]
    return [sentence for text in quoted or [trace.answer] for sentence in sentences(text)]


def rated(
    trace: Trace, items: Sequence[Item], rerun: Rerun, budget: int
) -> Generator[Attempt, None, tuple[list[Rated], str]]:
    """Yield an Attempt before each run, at most `budget`; return the ratings, what matters most first, and the method.

    The first run leaves nothing out: if it answers otherwise than the record, all are compared with its answer.
    """
    few = len(items) < budget
    of = len(items) + 1 if few else budget
    yield Attempt(0, of, "as it was")
    base = rerun(LeftOut())
    how = LEAVE_ONE_OUT if few else SAMPLED
    if change(trace, base) or change(base, trace):
        how = f"{how} {AFRESH}"

    def without(left: Iterable[Item]) -> float:
        out = LeftOut()
        for item in left:
            out |= item.left_out
        return change(base, rerun(out))

    if few:
        found: list[Rated] = []
        for item in items:
            yield Attempt(len(found) + 1, of, item.name, tuple(found))
            found.append(_rated(item, without([item])))
    else:
        changes = yield from _sampled(items, budget, without)
        found = [_rated(item, value) for item, value in zip(items, changes, strict=True)]
    return sorted(found, key=lambda one: -one.change), how


def _rated(item: Item, value: float) -> Rated:
    verdict = NEEDED if value >= _MOST else HELPED if value > 0 else NO_DIFFERENCE
    return Rated(item.what, item.name, round(value, 4), verdict, item.cited)


def _sampled(
    items: Sequence[Item], budget: int, without: Callable[[Iterable[Item]], float]
) -> Generator[Attempt, None, list[float]]:
    """Return the changes from runs without random halves, and without each of those alone that weigh most."""
    import numpy as np

    halves = max(1, round(_HALVES * (budget - 1)))
    kept = np.random.default_rng(0).random((halves, len(items))) < 0.5
    left: list[float] = []
    for row in kept:
        yield Attempt(len(left) + 1, budget, "halves")
        left.append(1 - without(item for item, there in zip(items, row, strict=True) if not there))
    weights = sparse_fit(kept.astype(np.float64), np.array(left))
    changes = [weight if weight >= _LEAST else 0.0 for weight in np.clip(weights, 0.0, 1.0).tolist()]
    heaviest = sorted(range(len(items)), key=lambda place: (-weights[place], not items[place].cited, place))
    for made, place in enumerate(heaviest[: budget - 1 - halves], halves + 1):
        yield Attempt(made, budget, items[place].name)
        changes[place] = without([items[place]])
    return changes


def sparse_fit(inputs: NDArray[np.float64], outputs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weights of a linear fit with a cost on each (lasso, by coordinate descent, an intercept set aside)."""
    import numpy as np

    rows, left = inputs - inputs.mean(axis=0), outputs - outputs.mean()
    scale = (rows**2).mean(axis=0)
    weights = np.zeros(rows.shape[1])
    for _ in range(_ROUNDS):
        for place in np.flatnonzero(scale > 0).tolist():
            pull = float((rows[:, place] * left).mean()) + scale[place] * weights[place]
            weight = np.sign(pull) * max(0.0, abs(pull) - _SPARSE) / scale[place]
            left = left - rows[:, place] * (weight - weights[place])
            weights[place] = weight
    return weights


def rated_on_record(
    stores: Collection, trace: Trace, items: Sequence[Item], rerun: Rerun,
    *, over: str, budget: int, clock: Callable[[], datetime],
) -> Iterator[Attempt | Influence]:  # fmt: skip
    """Yield an Attempt before each run, then the Influence, once it is on record."""
    ratings, method = yield from rated(trace, items, rerun, budget)
    reruns = min(budget, len(items) + 1)
    found = Influence(influence_iri(trace, over), trace.iri, over, method, reruns, tuple(ratings))
    stores.graph.add(quads_of(found, trace, timestamp(clock())))
    stores.graph.flush()
    yield found


def influence_iri(trace: Trace, over: str) -> str:
    """Return the IRI of the annotation of a run."""
    return iri("influence", _key(trace, over))


def _key(trace: Trace, over: str) -> str:
    return f"{session_of(trace.iri)}~{over}"


def quads_of(found: Influence, trace: Trace, made_at: str) -> list[Quad]:
    """Return the annotation as triples."""
    parts = [
        e.Rating(
            iri=iri("rating", _key(trace, found.over), number),
            fact=one.what if isinstance(one.what, Triple) else None,
            item=one.what if isinstance(one.what, str) else None,
            change=one.change,
            verdict=one.verdict,
        )
        for number, one in enumerate(found.ratings)
    ]
    whole = e.Influence(
        iri=found.iri, run=found.run, over=found.over, method=found.method, reruns=found.reruns, made_at=made_at,
        ratings=tuple(part.iri for part in parts),
    )  # fmt: skip
    return rdf.triples(whole, parts=parts)


def stored(stores: Collection, trace: Trace, over: str) -> Influence | None:
    """Return what is on record of the influences on a run; None where nobody asked."""
    named = influence_iri(trace, over)
    whole = read(stores.graph, named, e.Influence, ANNOTATION)
    if whole is None:
        return None
    known = {item.what: item for item in items_of(trace, over)}
    ratings = []
    for one in (read(stores.graph, key, e.Rating, ANNOTATION) for key in by_index(whole.ratings)):
        if one is not None and (what := one.fact or one.item):
            item = known.get(what) or Item(what, str(what), cited=False)
            ratings.append(Rated(what, item.name, one.change or 0.0, one.verdict or NO_DIFFERENCE, item.cited))
    return Influence(named, trace.iri, over, whole.method or "", whole.reruns or 0, tuple(ratings))
