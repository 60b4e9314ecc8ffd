"""What reviewers find: a verdict on a node of a run or on a sentence of its answer, as W3C Web Annotations.

They stand in the graph of annotations, beside the run, which stays as it was recorded. A later verdict of the same
person on the same thing takes the place of the one before, which stays on record too: none is lost.
Reference: https://www.w3.org/TR/annotation-vocab/.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from itertools import count as counted
from statistics import fmean
from typing import Any

from pyoxigraph import NamedNode, Quad

from explorer import display, rdf
from explorer import entities as e
from explorer.dag.sentences import sentences
from explorer.display import Table
from explorer.errors import RecordError
from explorer.record.node_lookup import iris
from explorer.record.person import person
from explorer.record.replay import Replay
from explorer.record.trace import Trace
from explorer.stores.collection import Collection
from explorer.text import count, one_line, strip_controls, truncate
from explorer.vocab import ANNOTATION, OA, PROV, RDF, RETRIEVAL, X, iri, session_of

SUPPORTED, NOT_SUPPORTED, UNCLEAR, IRRELEVANT = "supported", "not supported", "unclear", "irrelevant"
VERDICTS = (SUPPORTED, NOT_SUPPORTED, UNCLEAR, IRRELEVANT)  # the last: its words are there, and answer nothing
LONGEST = 10_000  # characters of a comment
NOBODY = "unnamed"
_SENTENCE = "#sentence-"
_KINDS = (e.Verdict, e.Remark, e.JudgedSentence, e.Quotation, e.Position)
_PARTS = ("target", "words", "place", "verdict", "comment")  # of a verdict, each a node of its own
_CHOSEN = (e.EdgeSelection, e.ChunkSelection)  # whose lines are what they hold, without a word for the kind
_FEWEST = 2  # reviewers that can agree


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict: of which run, on what (`target`: a node's IRI, of a sentence the answer's with its number), and who.

    `quote` holds the words of a sentence, else what the node says; `by` is None where nobody was named; `standing` is
    False where the same person changed it later.
    """

    iri: str
    run: str
    target: str
    quote: str
    verdict: str
    comment: str
    by: str | None
    made_at: str
    standing: bool = True

    @property
    def sentence(self) -> int | None:
        """The number of the sentence, from 1; None for a verdict on a node."""
        _, found, number = self.target.rpartition(_SENTENCE)
        return int(number) if found and number.isdecimal() else None


@dataclass(frozen=True, slots=True)
class Pair:
    """How far two reviewers agree: over how many things, in which share of them, and beyond chance (Cohen's κ).

    `kappa` is None where chance alone would have them agree on everything.
    """

    one: str
    other: str
    items: int
    raw: float
    kappa: float | None


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far reviewers agree on what at least two of them judged; `raw` and `kappa` are means over the pairs."""

    reviewers: tuple[str, ...]
    pairs: tuple[Pair, ...]

    @property
    def raw(self) -> float | None:
        """The share of verdicts that are the same, a mean over all pairs; None where no two judged the same thing."""
        return fmean(pair.raw for pair in self.pairs) if self.pairs else None

    @property
    def kappa(self) -> float | None:
        """Cohen's κ, a mean over those pairs that have one."""
        known = [pair.kappa for pair in self.pairs if pair.kappa is not None]
        return fmean(known) if known else None

    def lines(self) -> list[str]:
        """Return it as lines of text."""
        if not self.pairs:
            return ["No two reviewers have judged the same thing."]
        heads, rows = self._table()
        return display.grid(heads, rows)

    def sentences(self) -> list[str]:
        """Return a sentence for each pair."""
        return [
            f"{pair.one} and {pair.other} both judged {count(pair.items, 'thing')}: "
            f"the same verdict in {pair.raw:.0%}, Cohen’s κ {_kappa(pair.kappa)}."
            for pair in self.pairs
        ]

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        return display.table(*self._table()) if self.pairs else display.paragraph(self.lines()[0])

    def _table(self) -> tuple[Sequence[str], list[Sequence[str]]]:
        rows: list[Sequence[str]] = [
            (pair.one, pair.other, str(pair.items), f"{pair.raw:.0%}", _kappa(pair.kappa)) for pair in self.pairs
        ]
        return ("Reviewer", "And", "Judged by both", "Same verdict", "Cohen’s κ"), rows


def judge(
    stores: Collection,
    target: Trace | str,
    verdict: str,
    moment: str,
    *,
    sentence: int | None,
    comment: str,
    by: str | None,
) -> Judged:
    """Write a verdict; raises RecordError for another word, for what is not on record here, or too long a comment."""
    chosen = " ".join(verdict.replace("-", " ").split()).casefold()
    if chosen not in VERDICTS:
        raise RecordError(f"A verdict is one of {', '.join(VERDICTS)}, not {one_line(verdict)!r}.")
    text = strip_controls(comment).strip()
    if len(text) > LONGEST:
        raise RecordError(f"A comment has at most {count(LONGEST, 'character')}, and this one has {len(text):,}.")
    who = person(by)
    run, aim, quote = _aim(stores, target, sentence)
    with stores.database.noting:  # nobody writes between what is read here and what is written
        before = [one for one in verdicts(stores, [run]) if (one.target, one.by) == (aim.iri, who)]
        name = _free(stores, run)
        made = e.Verdict(
            iri=name,
            label=quote,
            run=run,
            target=f"{name}#target" if aim.words else aim.iri,
            motivation=OA.assessing.value,
            verdict=chosen,
            bodies=(f"{name}#verdict", *([f"{name}#comment"] if text else [])),
            by=who,
            made_at=moment,
            revises=tuple(one.iri for one in before),
        )
        parts = [
            made,
            e.Remark(iri=f"{name}#verdict", text=chosen, purpose=OA.assessing.value),
            *([e.Remark(iri=f"{name}#comment", text=text, purpose=OA.commenting.value)] if text else []),
            *(aim.selectors(name) if aim.words else []),
        ]
        stores.graph.add(quad for part in parts for quad in rdf.triples(part))
    stores.graph.flush()
    return Judged(name, run, aim.iri, quote, chosen, text, who, moment)


def verdicts(stores: Collection, runs: Iterable[str] | None = None, *, superseded: bool = False) -> Table[Judged]:
    """Return the verdicts on some runs, or on all, oldest first; those that were changed later only if so asked."""
    judged = _values(_on_record(stores, runs))
    shown = sorted(
        (one for one in judged if superseded or one.standing), key=lambda one: (one.made_at, _number(one.iri))
    )
    return Table(
        shown,
        ("On", "Verdict", "Comment", "Who", "When", *(["Standing"] if superseded else [])),
        lambda one: (
            truncate(one.quote, 60), one.verdict, truncate(one_line(one.comment), 60), one.by or NOBODY, one.made_at,
            *([("yes" if one.standing else "changed later")] if superseded else []),
        ),
        "No verdicts.",
    )  # fmt: skip


def agreement(judged: Iterable[Judged]) -> Agreement:
    """Return how far the reviewers of these verdicts agree, two by two; what has no name counts as one reviewer.

    Reference: Cohen, "A Coefficient of Agreement for Nominal Scales", 1960.
    """
    by_person: dict[str, dict[str, str]] = defaultdict(dict)
    for found in judged:
        if found.standing:
            by_person[found.by or NOBODY][found.target] = found.verdict
    pairs = []
    for reviewer, other in combinations(sorted(by_person), _FEWEST):
        first, second = by_person[reviewer], by_person[other]
        both = [(first[item], second[item]) for item in first if item in second]
        if both:
            raw = sum(a == b for a, b in both) / len(both)
            ours, theirs = (Counter(side) for side in zip(*both, strict=True))
            chance = sum(ours[word] * theirs[word] for word in VERDICTS) / len(both) ** 2
            pairs.append(Pair(reviewer, other, len(both), raw, None if chance == 1 else (raw - chance) / (1 - chance)))
    return Agreement(tuple(sorted(by_person)), tuple(pairs))


def nodes_of(stores: Collection, run: str) -> list[NamedNode]:
    """Return all nodes of the verdicts on a run."""
    found = iris(quad.subject for quad in stores.graph.match(None, X.run, NamedNode(run), ANNOTATION))
    return [NamedNode(part.iri) for one in found for part in _described(stores, one)]


def quads_of(stores: Collection, runs: Iterable[str]) -> list[Quad]:
    """Return all verdicts on some runs as triples, those that were changed later too."""
    return [quad for parts in _on_record(stores, runs).values() for quad in _plain(parts)]


def checked(quads: Iterable[Quad]) -> tuple[list[Quad], list[str]]:
    """Return those of the triples of a file that are verdicts, and the nodes of all others."""
    given = [*quads]
    kept = {quad for parts in _by_name(given).values() for quad in _plain(parts)}
    return [quad for quad in given if quad in kept], sorted({str(quad.subject) for quad in given if quad not in kept})


def unknown(stores: Collection, quads: Iterable[Quad]) -> list[Quad]:
    """Return those verdicts of a file that are not on record here; one whose IRI another has here gets one of its own.

    A verdict is the same where it is on the same thing, with the same words, by the same person at the same moment.
    """
    quads = [*quads]
    given = _by_name(quads)
    judged = {one.iri: one for one in _values(given)}
    left = {one.iri: one for one in _values(_on_record(stores, {one.run for one in judged.values()}))}
    names = {name: name for name, one in judged.items() if name in left and _is_same(one, left[name])}
    for name in names:
        del left[name]
    for name, one in judged.items():
        if name not in names and (same := next((key for key in left if _is_same(one, left[key])), None)):
            names[name] = same
            del left[same]
    known = {*names}
    for name, one in judged.items():
        if name not in known:
            taken = _is_described(stores, name)
            names[name] = _free(stores, one.run, {*names.values(), *judged}) if taken else name

    def renamed(term: Any) -> Any:  # noqa: ANN401 - any term in, the same kind out
        own, mark, part = _split(term)
        return NamedNode(f"{names[own]}{mark}{part}") if own in names else term

    return [
        Quad(renamed(quad.subject), quad.predicate, renamed(quad.object), quad.graph_name)
        for quad in quads if _split(quad.subject)[0] not in known
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Aim:
    """What a verdict is on: a node; or, where it has words, a sentence, and where it stands in the answer."""

    iri: str
    words: str = ""
    text: str = ""  # the IRI of the answer's text
    start: int | None = None
    end: int | None = None

    def selectors(self, name: str) -> Iterator[e.Entity]:
        placed = self.start is not None and self.end is not None
        yield e.JudgedSentence(
            iri=f"{name}#target",
            source=self.text,
            selectors=(f"{name}#words", *([f"{name}#place"] if placed else [])),
            label=self.iri,
        )
        yield e.Quotation(iri=f"{name}#words", exact=self.words)
        if placed:
            yield e.Position(iri=f"{name}#place", start=self.start, end=self.end)


def _aim(stores: Collection, target: Trace | str, sentence: int | None) -> tuple[str, _Aim, str]:
    """Return the run that something belongs to, what a verdict on it is on, and what that says."""
    from explorer.wording.graph_words import lines

    named = target.iri if isinstance(target, Trace) else target
    holder, found, number = named.rpartition(_SENTENCE)
    by_name = target if found and sentence is None else ""
    if found and number.isdecimal():
        named, sentence = holder, int(number) if sentence is None else sentence
    run = run_of(stores, named)
    trace = target if isinstance(target, Trace) else Trace(Replay(stores, run).events())
    described = {node.entity.iri for node in trace.dag.nodes() if node.entity is not None}
    if sentence is None and named == run:
        raise RecordError("A verdict is on a sentence of the answer, such as sentence=1, or on a node of the run.")
    if sentence is None:
        node = trace.dag.node(named) if named in described else None
        if node is None:
            raise RecordError(f"{named} is no step, source or citation of the run {run}, on which a verdict can be.")
        told = " ".join(lines(trace.dag, node, ranked=False)[1 - isinstance(node.entity, _CHOSEN) :]) or named
        return run, _Aim(named), told
    answer = trace.dag.node(named) if named != run and named in described else trace.dag.final
    final = answer.entity if answer else None
    every = sentences(trace.dag, final) if isinstance(final, e.Answer) else []
    one = next((one for at, one in enumerate(every, 1) if by_name == one.iri or (not by_name and at == sentence)), None)
    if not isinstance(final, e.Answer) or one is None:
        held = f"It has {count(len(every), 'sentence')}." if every else "It has none."
        raise RecordError(f"There is no sentence {sentence} in the answer of {run}. {held}")
    cited = one.entity if isinstance(one.entity, e.Citation) else None
    at = (cited.start, cited.end) if cited else (None, None)
    return run, _Aim(one.iri, one.text, final.document or final.iri, *at), one.text


def run_of(stores: Collection, node: str) -> str:
    """Return the top-level run that a node of the record belongs to; raises RecordError for what is no such node."""
    graph = stores.graph
    seen: set[str] = set()
    at = node
    while at not in seen:
        seen.add(at)
        try:
            quads = list(graph.match(NamedNode(at), None, None, RETRIEVAL))
        except ValueError:
            break
        if run := iris(quad.object for quad in quads if quad.predicate == X.run):
            return run[0]
        above = iris(quad.object for quad in quads if quad.predicate == PROV.wasDerivedFrom)
        if not above and rdf.entity(quads, e.Question) is not None:
            return at
        at = above[0] if above else at
    raise RecordError(f"There is no node {one_line(node)} of a run here; `explorer show RUN` names those of one.")


def _named(run: str) -> NamedNode:
    try:
        return NamedNode(run)
    except ValueError as error:
        raise RecordError(f"{run!r} is not an IRI; copy that of a run from `explorer traces`.") from error


def _described(stores: Collection, name: str) -> list[e.Entity]:
    named = (name, *(f"{name}#{part}" for part in _PARTS))
    quads = (quad for one in named for quad in stores.graph.match(NamedNode(one), None, None, ANNOTATION))
    return list(rdf.entities(quads))


def _on_record(stores: Collection, runs: Iterable[str] | None) -> dict[str, list[e.Entity]]:
    """Return the verdicts on some runs, or on all, by their IRIs: each with the nodes that belong to it."""
    if runs is None:
        quads = stores.graph.match(None, RDF.type, X.Verdict, ANNOTATION)
    else:
        nodes = map(_named, dict.fromkeys(runs))
        quads = (quad for run in nodes for quad in stores.graph.match(None, X.run, run, ANNOTATION))
    found = {name: _described(stores, name) for name in iris(quad.subject for quad in quads)}
    return {name: parts for name, parts in found.items() if any(isinstance(one, e.Verdict) for one in parts)}


def _by_name(quads: Iterable[Quad]) -> dict[str, list[e.Entity]]:
    held = {one.iri: one for one in rdf.entities(quads)}
    return {
        name: [held[key] for key in (name, *(f"{name}#{part}" for part in _PARTS)) if key in held]
        for name, one in held.items() if isinstance(one, e.Verdict)
    }  # fmt: skip


def _plain(parts: Iterable[e.Entity]) -> Iterator[Quad]:
    """Yield what a verdict says, and nothing else that stands at its nodes."""
    for part in parts:
        if isinstance(part, _KINDS):
            yield from rdf.triples(replace(part, other=(), original=()))


def _values(found: Mapping[str, list[e.Entity]]) -> list[Judged]:
    made = [one for parts in found.values() for one in parts if isinstance(one, e.Verdict)]
    gone = {key for one in made for key in one.revises}
    return [_judged(one, found[one.iri], standing=one.iri not in gone) for one in made]


def _is_same(one: Judged, other: Judged) -> bool:
    return replace(one, iri="", standing=True) == replace(other, iri="", standing=True)


def _judged(made: e.Verdict, parts: Iterable[e.Entity], *, standing: bool) -> Judged:
    held = {one.iri: one for one in parts}
    target = held.get(made.target or "")
    comment = held.get(f"{made.iri}#comment")
    on = (target.label or "") if isinstance(target, e.JudgedSentence) else (made.target or "")
    return Judged(
        iri=made.iri,
        run=made.run or "",
        target=on,
        quote=made.label or on,
        verdict=made.verdict or "",
        comment=(comment.text or "") if isinstance(comment, e.Remark) else "",
        by=made.by,
        made_at=made.made_at or "",
        standing=standing,
    )


def _free(stores: Collection, run: str, taken: Container[str] = ()) -> str:
    """Return an IRI for the next verdict on a run, none of those that are `taken`."""
    key = session_of(run) or hashlib.sha256(run.encode()).hexdigest()[:32]
    made = (iri("verdict", key, number) for number in counted(1))
    return next(one for one in made if one not in taken and not _is_described(stores, one))


def _split(term: object) -> tuple[str, str, str]:
    """Return the IRI of a verdict, the mark and the name of the part, where a term is a part of a verdict."""
    return term.value.partition("#") if isinstance(term, NamedNode) else ("", "", "")


def _is_described(stores: Collection, name: str) -> bool:
    return any(stores.graph.match(NamedNode(name), None, None, ANNOTATION))


def _number(name: str) -> int:
    return int(name.rpartition(":")[2]) if name.rpartition(":")[2].isdecimal() else 0


def _kappa(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
