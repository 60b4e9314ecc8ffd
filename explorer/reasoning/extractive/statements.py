"""What the statements of a store or file answer: all values of the property that is asked for, of the thing named.

A statement says one thing outright, and no sentence around it says more; so it is found by its parts: what it is of, by
which predicate, which value. Where several answer, as the narrower terms of a concept, all of them are the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from pyoxigraph import NamedNode

from explorer.language import questions as q
from explorer.language.properties import (
    Asks,
    Span,
    alike_any,
    asks,
    fit,
    fitting,
    is_broader,
    is_naming,
    is_reason,
    says_so,
    says_value,
    things,
)
from explorer.language.questions import Question
from explorer.language.words import stem, tokens
from explorer.reasoning.protocol import Edge, Kept, ScoredPassage
from explorer.text import count
from explorer.vocab import RDF, RDFS, SKOS

_FEW = 5  # of those that are told where none answers
MOST = 50
"""Facts that one answer tells."""
_MODELS = (RDF.base, RDFS.base, SKOS.base, "http://www.w3.org/2002/07/owl#", "http://www.w3.org/2008/05/skos-xl#",
           "http://purl.org/iso25964/skos-thes#")  # fmt: skip
_MODELLED = frozenset({"Thing", "Resource", "Concept", "Class", "Descriptor"})
_VALUES = frozenset({q.TIME, q.NUMBER, q.PLACE})
_WITHOUT = re.compile(r"\b(?:not|no|never|without|except|neither|nor)\b|n['’]t\b", re.IGNORECASE)
RULE = "statements of what the question names, by the property that it asks for"


@dataclass(frozen=True, slots=True)
class Stated:
    """Which facts answer, by their numbers, each with the numbers of those that it rests on besides.

    `lead` is said before them. `doubt`: what is not sure about it; none where they answer outright. `more`: how many
    others there are that are not told.
    """

    facts: tuple[int, ...]
    beside: dict[int, tuple[int, ...]] = field(default_factory=dict)
    lead: str = ""
    doubt: str = ""
    more: int = 0


def says_only_class(edge: Edge) -> bool:
    """Return whether a fact says no more than by which class of a modelling vocabulary something is described."""
    if edge.triple.predicate != RDF.type or not isinstance(edge.triple.object, NamedNode):
        return False
    iri = edge.triple.object.value
    return iri.startswith(_MODELS) or iri.replace("#", "/").rsplit("/", 1)[-1] in _MODELLED


def stated(asked: Question, edges: Sequence[Edge]) -> Stated | None:
    """Return which of some facts answer a question, all of them that do; None where no statement does so outright."""
    facts = {number: edge for number, edge in enumerate(edges) if edge.is_statement and not says_only_class(edge)}
    if asked.is_negated or _WITHOUT.search(asked.text):  # what is not stated may be so
        return None
    asked = replace(asked, text=f"{asked.text} {asked.context}".rstrip(), context="")
    for name, span in _things(asked, facts.values()).items():
        wanted, naming = asks(asked, span), _naming(name, facts)
        for own in dict.fromkeys([*(facts[number].subject for number in naming), name]):
            if asked.kind == q.YES_NO:
                found = _both(wanted, own, facts)
            else:
                found = _values(wanted, own, facts) or _reasons(wanted, own, facts)
            if found is None:
                continue
            beside = {
                number: (*found.beside.get(number, ()), *naming) for number in found.facts if number not in naming
            }
            found = replace(found, beside=beside)
            return found if span.is_whole else _doubted(found, f"“{name}” is taken to be meant")
    return None


def are_statements(kept: Sequence[Kept]) -> bool:
    """Return whether statements alone were kept, and passages of what they were read from."""
    facts = [item.edge for item in kept if not isinstance(item, ScoredPassage)]
    files = {one.document for edge in facts for one in edge.passages}
    wholes = [item.passage for item in kept if isinstance(item, ScoredPassage)]
    return bool(facts) and all(edge.is_statement for edge in facts) and all(one.document in files for one in wholes)


def unanswered(asked: Question, kept: Sequence[Kept]) -> str | None:
    """Return the name of the thing of which a question asks for a property, where statements alone were kept.

    To be asked where none of them answers. None where the question names no such thing, or asks yes or no.
    """
    if not are_statements(kept) or asked.kind in {q.YES_NO, q.CHOICE}:
        return None
    facts = [item.edge for item in kept if not isinstance(item, ScoredPassage)]
    subjects = {edge.subject for edge in facts}
    named = _things(asked, facts).items()
    return next((name for name, place in named if name in subjects and _is_wanted(asks(asked, place))), None)


def _is_wanted(wanted: Asks) -> bool:
    return bool(wanted.words) or wanted.defines


def is_value(asked: Question) -> bool:
    """Return whether a question asks for a time, a number or a place: what does not say it can't be its answer."""
    return asked.kind in _VALUES


def _things(asked: Question, facts: Iterable[Edge]) -> dict[str, Span]:
    told = list(facts)
    values = (edge.object for edge in told if isinstance(edge.triple.object, NamedNode) or is_naming(edge.predicate))
    return things(asked.text, [*(edge.subject for edge in told), *values])


def _naming(name: str, facts: dict[int, Edge]) -> tuple[int, ...]:
    """Return the statements that give one thing a name which is no thing's own."""
    if any(edge.subject == name for edge in facts.values()):
        return ()
    found = tuple(number for number, edge in facts.items() if edge.object == name and is_naming(edge.predicate))
    return found if len({facts[number].subject for number in found}) == 1 else ()


def _values(wanted: Asks, name: str, facts: dict[int, Edge]) -> Stated | None:
    """Return the statements of a thing by a property that is asked for, else those of which it is the value."""
    of = fitting(
        wanted,
        ((number, edge.predicate, edge.object, edge.object) for number, edge in facts.items() if edge.subject == name),
        as_value=False,
    )
    if of:
        return _told(wanted, of, facts, of_values=True)
    if wanted.defines:
        called = [number for number, edge in facts.items() if edge.object == name and is_naming(edge.predicate)
                  and name.lower() in wanted.question.text.lower()]  # fmt: skip
        return Stated(tuple(_alike(called, facts))) if called else None
    to = fitting(
        wanted,
        ((number, edge.predicate, edge.object, edge.subject) for number, edge in facts.items()
         if edge.object == name and isinstance(edge.triple.object, NamedNode)),
        as_value=True,
    )  # fmt: skip
    return _told(wanted, to, facts, of_values=False) if to else None


def _told(wanted: Asks, found: dict[int, tuple[str, ...]], facts: dict[int, Edge], *, of_values: bool) -> Stated:
    """Return facts that answer; where the question says of what kind the answer is, those that are told to be so."""
    beside, doubt = dict[int, tuple[int, ...]](), ""
    open_ = {word for left in found.values() for word in left}
    is_who = not open_ and wanted.asks_person
    if open_ or is_who:
        kinds: dict[object, int] = {
            edge.triple.subject: number for number, edge in facts.items()
            if edge.triple.predicate == RDF.type and all(_is_of(edge.object, word) for word in open_ or {q.PERSON})
        }  # fmt: skip
        ends = {n: facts[n].triple.object if of_values else facts[n].triple.subject for n in found}
        known = {n: kinds[end] for n, end in ends.items() if end in kinds}
        if is_who:
            beside = {n: (kind,) for n, kind in known.items()}
            others = len({*ends.values()} - kinds.keys())
            if known and others:
                found = {n: found[n] for n in sorted(found, key=lambda n: n not in known)}
                doubt = f"{others} of these {'is' if others == 1 else 'are'} not said to be a person"
        elif known:
            found = {n: found[n] for n in known}
            beside = {n: (kind,) for n, kind in known.items()}
        else:
            doubt = f"nothing that was kept says which of these are “{' '.join(sorted(open_))}”"
    if wanted.picks and len(found) > 1:
        doubt = doubt or f"which is the “{wanted.picks}” is not stated"
    if wanted.counts:
        doubt = doubt or "there may be others that nobody has stated"
    alike = _alike(found, facts)
    order = list(alike)
    beside = {n: (*alike[n], *beside.get(n, ())) for n in order}
    many = max([len(order), *(facts[n].alike - sum(map(len, alike.values())) for n in order)])
    told = tuple(order[:MOST])
    names = {facts[n].triple.subject if of_values else facts[n].triple.object for n in order}
    lead = _lead(told, len(names), facts, of_values=of_values)
    if wanted.counts and many > len(told):
        lead = f"{count(many, 'statement')} say this, of which are told:"
    return Stated(told, beside, lead, doubt, many - len(told))


def _alike(found: Iterable[int], facts: dict[int, Edge]) -> dict[int, tuple[int, ...]]:
    """Return facts each once by what it is of and its value, with the others that say the same by another predicate."""
    first, others = dict[tuple[object, str], int](), dict[int, tuple[int, ...]]()
    for number in found:
        edge = facts[number]
        one = first.setdefault((edge.triple.subject, edge.object), number)
        others[one] = (*others.get(one, ()), number) if one != number else ()
    return others


def _lead(told: Sequence[int], things_: int, facts: dict[int, Edge], *, of_values: bool) -> str:
    if len(told) == 1:
        return ""
    name = facts[told[0]].subject if of_values else facts[told[0]].object
    alike_ = f" of {things_} things that are called “{name}”" if things_ > 1 else ""
    return f"{count(len(told), 'statement')} say this{alike_}:"


def _reasons(wanted: Asks, name: str, facts: dict[int, Edge]) -> Stated | None:
    """Return the reason that stands with what links to a thing: of "Why was X awarded the prize?" that of the prize."""
    if not wanted.seeks_reason:
        return None
    linked: dict[object, int] = {}
    for number, edge in facts.items():
        other = {edge.subject: edge.triple.object, edge.object: edge.triple.subject}.get(name)
        words = edge.object if edge.subject == name else edge.subject
        covered = [word for word in wanted.words
                   if alike_any(word, (*tokens(edge.predicate), *tokens(words)))]  # fmt: skip
        if other is not None and wanted.words and len(covered) == len(wanted.words):
            linked.setdefault(other, number)
    found = {number: linked[edge.triple.subject] for number, edge in facts.items()
             if edge.triple.subject in linked and edge.subject != name and not isinstance(edge.triple.object, NamedNode)
             and (fit(wanted, edge.predicate, edge.object) is not None or is_reason(edge.object))}  # fmt: skip
    order = list(_alike(found, facts))
    if not order:
        return None
    return Stated(tuple(order[:MOST]), {n: (found[n],) for n in order}, "", "", max(0, len(order) - MOST))


def _both(wanted: Asks, name: str, facts: dict[int, Edge]) -> Stated | None:
    """Return the statements that say what is asked to be so or not: of a thing that is named, with another as value."""
    found = [
        number for number, left in _of_property(wanted, name, facts).items()
        if says_value(wanted, facts[number].object, left)
        and says_so(wanted, facts[number].predicate, facts[number].object)
    ]  # fmt: skip
    return Stated(tuple(_alike(found, facts)), {}, "Yes:") if found else None


def _of_property(wanted: Asks, name: str, facts: dict[int, Edge]) -> dict[int, tuple[str, ...]]:
    """Return the statements of a thing by the property that is asked for, with what a question has beyond both."""
    fits = ((number, fit(wanted, edge.predicate, edge.object)) for number, edge in facts.items()
            if edge.subject == name)  # fmt: skip
    return {number: one.left for number, one in fits if one is not None}


def otherwise(asked: Question, edges: Sequence[Edge]) -> Stated | None:
    """Return what statements say of a thing where none says what is asked: other values of the property of which it is
    asked whether one is so, or what the thing is called and belongs to where it is asked what it is; None for nothing.
    """
    facts = {number: edge for number, edge in enumerate(edges) if edge.is_statement and not says_only_class(edge)}
    written = tokens(asked.text)
    named = _things(asked, facts.values()).items()  # of "Is A broader than B?" and "Is A the parent of B?" B first
    for name, span in sorted(
        named, key=lambda one: (written[one[1].start - 1].lower() not in {"of", "than"}, one[1].start)
    ):
        wanted = asks(asked, span)
        if asked.kind == q.YES_NO:
            found = [*_of_property(wanted, name, facts)]
            lead = "No statement that was found says just this. What is stated:"
        else:
            of = [number for number, edge in facts.items() if edge.subject == name] if wanted.defines else []
            found = [number for told in (is_broader, is_naming) for number in of if told(facts[number].predicate)]
            lead = f"Nothing that was found says what “{name}” is. What is stated of it:"
        first = dict[tuple[str, str], int]()  # two things of one name may say the same
        for number in found:
            first.setdefault((facts[number].predicate, facts[number].object), number)
        if told := [*_alike(first.values(), facts)]:
            return Stated(tuple(told[:_FEW]), {}, lead, "", len(told) - len(told[:_FEW]))
    return None


def _doubted(found: Stated, doubt: str) -> Stated:
    return Stated(found.facts, found.beside, found.lead, found.doubt or doubt, found.more)


def _is_of(kind: str, word: str) -> bool:
    return stem(word) in map(stem, tokens(kind))


def numbers(found: Stated) -> Iterator[int]:
    """Yield the numbers of all facts that an answer rests on, once each, in their order."""
    yield from dict.fromkeys(n for fact in found.facts for n in (fact, *found.beside.get(fact, ())))
