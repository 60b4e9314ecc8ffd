"""What the statements of a store or file of RDF answer: those of the thing that a question names, likest to it first.

A statement says one thing outright: of what, by which predicate, which value. So a question is compared with the
labels of predicates alone, by their cosine with its words beside the name and by the words that both have.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyoxigraph import NamedNode

from explorer.language import questions as q
from explorer.language.pipeline import parsed
from explorer.language.words import content_stems, is_content, stem, tokens
from explorer.models.embedding import cosines
from explorer.reasoning.protocol import ScoredPassage
from explorer.vocab import RDF, RDFS, SKOS

if TYPE_CHECKING:
    from explorer.language.questions import Question
    from explorer.models.embedding import Embedder
    from explorer.reasoning.protocol import Edge, Kept, ScoredEdge

NEAR = 0.4
"""Likeness from which a predicate is taken to be asked for, chosen with `benchmarks.statements` on `LAUREATES`."""
MOST = 25
"""Facts that one answer tells."""
RULE = "statements of what the question names, by the predicate whose label is likest to it"
_MODELS = (RDF.base, RDFS.base, SKOS.base, "http://www.w3.org/2002/07/owl#", "http://www.w3.org/2008/05/skos-xl#",
           "http://purl.org/iso25964/skos-thes#")  # fmt: skip
_MODELLED = frozenset({"Thing", "Resource", "Concept", "Class", "Descriptor"})
_ASIDE = re.compile(r"[,(].*", re.DOTALL)
_WHAT_IT_IS = "definition description"  # of a question that has no word beside a name
_DATE = re.compile(r"\d{4}(?:-\d\d){0,2}(?:[T ].*)?")
_UNTOLD = frozenset({q.YES_NO, q.CAUSE, q.MANNER})  # no single statement says that it is so, or why
_OTHERWISE = frozenset("not never no without except first last only most least".split())  # which none says either
_FEWEST = 2  # words of a name that need not stand in a row
_LONGEST = 80  # code points of a value by which a thing may be named


@dataclass(frozen=True, slots=True)
class Said:
    """A statement as people read it; `is_link`: its value is a thing."""

    subject: str
    predicate: str
    value: str
    is_link: bool

    @classmethod
    def of(cls, edge: Edge) -> Said:
        """Return how a fact is read."""
        return cls(edge.subject, edge.predicate, edge.object, isinstance(edge.triple.object, NamedNode))


@dataclass(frozen=True, slots=True)
class Told:
    """The statements that answer a question, by their numbers, how like the predicate is, and of which thing they are.

    `is_sure`: it is near, nothing in the question is left out of account, and the values are of the kind asked for.
    `naming`: the statements by whose value the thing is named. `is_unsettled`: it is asked for what no single
    statement says, as whether or why something is so, and what is stated is told instead.
    """

    facts: tuple[int, ...]
    likeness: float
    name: str
    is_sure: bool
    naming: tuple[int, ...] = ()
    is_unsettled: bool = False


def says_only_class(edge: Edge) -> bool:
    """Return whether a fact says no more than by which class of a modelling vocabulary something is described."""
    if edge.triple.predicate != RDF.type or not isinstance(edge.triple.object, NamedNode):
        return False
    iri = edge.triple.object.value
    return iri.startswith(_MODELS) or iri.replace("#", "/").rsplit("/", 1)[-1] in _MODELLED


def are_statements(kept: Sequence[Kept | ScoredEdge]) -> bool:
    """Return whether statements alone were kept, and passages of what they were read from."""
    facts = [item.edge for item in kept if not isinstance(item, ScoredPassage)]
    files = {one.document for edge in facts for one in edge.passages}
    wholes = [item.passage for item in kept if isinstance(item, ScoredPassage)]
    return bool(facts) and all(edge.is_statement for edge in facts) and all(one.document in files for one in wholes)


def named(question: str, names: Iterable[str]) -> dict[str, frozenset[int]]:
    """Return those of some names that a question has, each with the places of its words; none within a longer one."""
    written = tokens(question)
    found = {name: places for name in dict.fromkeys(names) if (places := _places(written, name))}
    return {name: places for name, places in found.items() if not any(places < other for other in found.values())}


def _places(written: Sequence[str], name: str) -> frozenset[int]:
    """Return where a name stands: in a row, or all words of content of a longer one, with its capitals."""
    words = tokens(_ASIDE.sub("", name))
    there, keys = [*map(_key, written)], [*map(_key, words)]
    if not any(map(is_content, words)):
        return frozenset()
    for start in range(len(there) - len(keys) + 1):
        if there[start : start + len(keys)] == keys:
            return frozenset(range(start, start + len(keys)))
    capitals = {key for key, word in zip(there, written, strict=True) if not word.islower()}
    telling = [word for word in words if is_content(word)]
    if len(telling) < _FEWEST or not all(_key(word) in (there if word.islower() else capitals) for word in telling):
        return frozenset()
    return frozenset(there.index(_key(word)) for word in telling)


def _key(word: str) -> str:
    return stem(word.removesuffix("'s").removesuffix("’s"))


def told(asked: Question, facts: Mapping[int, Said], embedder: Embedder) -> Told | None:
    """Return the statements likest to a question of what it names; None where it names nothing that they speak of."""
    text = f"{asked.text} {asked.context}".rstrip()
    owners = naming(facts)
    places = named(text, [*_names(facts.values()), *owners])
    by = {owners[name][0]: owners[name][1] for name in places if name in owners}
    things = {*places, *by.values()}
    ends = {n: {one.subject, one.value} for n, one in facts.items() if n not in by}
    about = {n: facts[n] for n, those in ends.items() if len(those) > 1 and those & things}
    if not about:
        return None
    beside = _beside(text, places)
    near = likeness(beside, [one.predicate for one in about.values()], embedder)
    score = {n: near[one.predicate] * (1.0 if _fits(asked, one, things) else 0.5) for n, one in about.items()}
    best = max(about, key=lambda n: (asked.kind == q.YES_NO and ends[n] <= things, score[n]))
    first = about[best]
    end = first.subject if first.subject in things else first.value
    alike = (n for n, one in about.items()
             if one.predicate == first.predicate and end in ends[n] and score[n] == score[best])  # fmt: skip
    is_unsettled = asked.kind in _UNTOLD or not _OTHERWISE.isdisjoint(word.lower() for word in tokens(text))
    is_sure = score[best] >= NEAR and not is_unsettled and not _is_turned(asked, first, end)
    is_sure = is_sure and _covers(beside, first, embedder)
    return Told(tuple(alike), score[best], end, is_sure, tuple(n for n in by if by[n] == end), is_unsettled)


def naming(facts: Mapping[int, Said]) -> dict[str, tuple[int, str]]:
    """Return the texts that are the value of one thing alone, by which it may be named, with that statement and it."""
    found: dict[str, dict[str, int]] = {}
    for number, one in facts.items():
        if not one.is_link and len(one.value) <= _LONGEST and any(map(str.isalpha, one.value)):
            found.setdefault(one.value, {}).setdefault(one.subject, number)
    own = {*_names(facts.values())}
    return {value: (number, subject) for value, of in found.items() if len(of) == 1 and value not in own
            for subject, number in of.items()}  # fmt: skip


def _names(facts: Iterable[Said]) -> Iterable[str]:
    for one in facts:
        yield from (one.subject, one.value) if one.is_link else (one.subject,)


def likeness(beside: str, predicates: Iterable[str], embedder: Embedder) -> dict[str, float]:
    """Return how like predicates are to the words of a question: their cosine, or the share of words that both have."""
    labels = [*dict.fromkeys(predicates)]
    near = cosines(embedder.embed(labels), embedder.embed([beside]))[:, 0].tolist()
    asked = content_stems(beside)
    shares = (len(asked & own) / max(1, len(own)) for own in map(content_stems, labels))
    return {label: max(value, share) for label, value, share in zip(labels, near, shares, strict=True)}


def _beside(text: str, places: Mapping[str, frozenset[int]]) -> str:
    taken = frozenset[int]().union(*places.values())
    words = [word for place, word in enumerate(tokens(text)) if place not in taken]
    return " ".join(words) if any(map(is_content, words)) else _WHAT_IT_IS


def _fits(asked: Question, one: Said, things: Collection[str]) -> bool:
    """Return whether what a statement adds to the names in a question is of the kind of thing that is asked for."""
    answer, is_link = (one.subject, True) if one.value in things else (one.value, one.is_link)
    has_digit, is_date = any(map(str.isdigit, answer)), _DATE.fullmatch(answer) is not None
    if asked.kind == q.TIME:
        return is_date or (has_digit and not is_link)
    if asked.kind == q.NUMBER:
        return has_digit and not is_link
    return not (asked.kind in {q.PERSON, q.PLACE} and (has_digit or is_date) and not is_link)


def _is_turned(asked: Question, one: Said, end: str) -> bool:
    """Return whether a thing does what a question asks by its grammar, and a statement has that done to it, or so."""
    last = tokens(_ASIDE.sub("", end))[-1:]
    ends = [token for token in parsed(q.readable(asked.text)) if [token.text] == last and token.head.pos_ == "VERB"]
    does = {token.i < token.head.i for token in ends if token.dep_ in {"nsubj", "dobj"}}
    return not one.predicate.endswith(" by") and does == {one.subject != end}


def _covers(beside: str, one: Said, embedder: Embedder) -> bool:
    """Return whether each word of a question beside a name is near to one of a statement."""
    words = [word for word in tokens(beside) if is_content(word)]
    if not words:
        return True
    own = [word for part in (one.predicate, one.subject, one.value) for word in tokens(part)]
    near = cosines(embedder.embed(words), embedder.embed(own)).max(axis=1).tolist()
    keys = {*map(_key, own)}
    return all(value >= NEAR or _key(word) in keys for word, value in zip(words, near, strict=True))
