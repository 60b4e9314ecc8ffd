"""What a question asks for as a whole, of what others have stated: all facts of a thing that it names, by the property
that it asks for, and not only those that a walk came to.

Of statements alone, those of stores and of files of RDF, where each says one thing and none says it in other words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TypeVar

from pyoxigraph import Literal, NamedNode, Triple

from explorer.engines.limits import Limits
from explorer.engines.setting import Setting
from explorer.language.properties import (
    Asks,
    Span,
    asks,
    fit,
    fitting,
    is_broader,
    is_naming,
    is_reason,
    named,
    renamed,
    says_value,
    things,
)
from explorer.language.questions import PERSON, YES_NO, Question
from explorer.language.words import is_content, spans, stem, tokens
from explorer.rdf.labels import edge_labels
from explorer.reasoning.extractive.carrying import asked_in
from explorer.reasoning.protocol import IMPORT
from explorer.stores.facts import facts
from explorer.stores.graph import GraphStore, Pattern
from explorer.stores.left_out import Remainder
from explorer.stores.limited import Limited
from explorer.vocab import FACTS, RDF, local_name

Found = TypeVar("Found")
_About = tuple[list[Triple], list[Triple]]

_VALUES = ("2000-01-01", "for it")  # that a time, a number and a reason may have
_THINGS = 6  # that are asked about: those of one name, and of few names
_READ = 2_000  # facts about a thing, in each direction
_AROUND = 100  # facts about a thing, among which a reason is looked for
_LINKED = 5  # things next to it, of which a reason is looked for


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and its concepts, by the own names of what it names; `names`: the statements of its other names.

    `english`: one in another language as it is in English; `is_english`: that is what is asked.
    """

    question: str
    concepts: Sequence[str]
    names: tuple[Triple, ...] = ()
    english: str = ""
    is_english: bool = False


@dataclass(frozen=True, slots=True)
class Completed:
    """What is worth scoring, with the facts that answer as a whole; `alike`: how many there are of each such fact.

    `added`: those that no search had come to.
    """

    nearest: Mapping[Triple, float]
    alike: Mapping[Triple, int] = field(default_factory=dict)
    added: Sequence[Triple] = ()


def searched(
    setting: Setting, limits: Limits, asked: Asked, search: Callable[[Asked], tuple[Found, Mapping[Triple, float]]]
) -> tuple[Asked, Found, Completed]:
    """Search for a question, and where that finds that a thing is named otherwise, for the question by its own name.

    One in another language is read in English from then on where statements answer it so. `search` returns what it has
    found, and which facts are worth scoring, with their reach.
    """
    found, nearest = search(asked)
    stated = _stated(setting, nearest)
    if stated and asked.english and _Reading(setting, asked.english).asked_for(stated):
        asked = replace(asked, question=asked.english, is_english=True)
    if stated and (by_own := _by_own_names(setting, asked, stated)).names:
        asked = by_own
        found, nearest = search(asked)
        stated = _stated(setting, nearest)
    return asked, found, _completed(setting, limits, asked, nearest, stated) if stated else Completed(nearest)


def _by_own_names(setting: Setting, asked: Asked, stated: Sequence[Triple]) -> Asked:
    """Return a question with the own name of each thing in place of another one by which it is named, as statements
    say. A name that several things have stays, and so does one that is a thing's own.
    """
    reading = _Reading(setting, asked.question)
    own = {subject for subject, _, _ in reading.all_words(stated).values()}
    others: dict[str, dict[Triple, str]] = {}
    for fact, (subject, value) in reading.naming(stated).items():
        if value not in own:
            others.setdefault(value, {})[fact] = subject
    places = things(asked.question, [*own, *others]) if others else {}
    taken = [span for name, span in places.items() if name in own]
    meant = {}
    for name, those in others.items():
        if (span := places.get(name)) and len({*those.values()}) == 1 and not any(map(span.overlaps, taken)):
            meant[name] = next(iter(those.values()))
    text, *concepts = (renamed(one, meant) for one in (asked.question, *asked.concepts))
    names = tuple(fact for name in meant for fact in others[name])
    return replace(asked, question=text, concepts=concepts, names=names)


def _completed(
    setting: Setting, limits: Limits, asked: Asked, nearest: Mapping[Triple, float], stated: Sequence[Triple]
) -> Completed:
    """Add the statements that a question asks for as a whole to what is nearest to it, before all others."""
    found = _Reading(setting, asked.question).asked_for(stated)
    more = [*islice(found, limits.edge_limit), *(fact for fact in asked.names if fact not in found)]
    alike = {fact: many for fact, many in found.items() if many}
    rest = [fact for fact in nearest if fact not in found and fact not in asked.names]
    both = {fact: nearest.get(fact, 1.0) for fact in (*more, *rest)[: max(limits.edge_score_limit, len(more))]}
    return Completed(both, alike, [fact for fact in more if fact not in nearest])


def _stated(setting: Setting, among: Iterable[Triple]) -> list[Triple]:
    """Return those of some facts that others have stated."""
    sources, read = setting.stores.sources, list(among)
    sources.ahead(read)
    return [fact for fact in read if any(one.extracted_by == IMPORT for one in sources.passages(fact)[:1])]


def key_of(fact: Triple) -> str:
    """Return a fact as its vector is known by: as N-Triples, without the full stop."""
    return f"{fact.subject} {fact.predicate} {fact.object}"


@dataclass(frozen=True, slots=True)
class _Reading:
    """Reads facts for a question."""

    setting: Setting
    question: str

    def asked_for(self, stated: Iterable[Triple]) -> dict[Triple, int]:
        """Return the facts that are asked for of what the question names among the ends of some facts.

        Each with how many answer as it does; 0 for what an answer rests on besides.
        """
        named = dict[str, list[NamedNode]]()
        for fact in stated:
            subject, _, value = self._words(fact)
            for name, end in ((subject, fact.subject), (value, fact.object)):
                if isinstance(end, NamedNode) and end not in named.setdefault(name, []):
                    named[name].append(end)
        asked = [replace(one, text=f"{one.text} {one.context}".rstrip(), context="") for one in asked_in(self.question)]
        spans_of = [(one, things(one.text, named)) for one in asked]
        nodes = dict.fromkeys(node for _, names in spans_of for name in names for node in named[name][:_THINGS])
        about, found = self._about(nodes), dict[Triple, int]()
        for one, names in spans_of:
            those = {name: (span, [*named[name][:_THINGS]]) for name, span in names.items()}
            found |= {fact: many for fact, many in self._asked_for(one, those, about).items() if fact not in found}
        return found

    def _asked_for(
        self, read: Question, named: Mapping[str, tuple[Span, Sequence[NamedNode]]], told: Mapping[NamedNode, _About]
    ) -> dict[Triple, int]:
        found = dict[Triple, int]()
        for span, nodes in named.values():
            wanted, besides = asks(read, span), dict[Triple, Triple]()
            about = {node: told[node] for node in nodes}
            own, others = ([fact for of in about.values() for fact in of[place]] for place in (0, 1))
            answers, kinds = self._of_kind(wanted, self._held(self._answers(wanted, own, others)), nodes)
            for node, (of, to) in about.items() if wanted.seeks_reason else ():
                besides |= self._reasons(wanted, node, [*of, *to])
            for fact in answers:
                found.setdefault(fact, len(answers))
                found |= {kinds[fact]: 0} if fact in kinds else {}
            for fact, link in besides.items():
                found |= {link: 0, fact: 0}
        held = {*self._held(list(found))}
        return {fact: many for fact, many in found.items() if fact in held}

    def naming(self, stated: Sequence[Triple]) -> dict[Triple, tuple[str, str]]:
        """Return the statements that give a thing a name which is in the question, each with the thing's own name and
        that one: those among some statements, and those that have it just so, or with a capital, or without.
        """
        runs = (run for run in spans(self.question) if is_content(run.split()[0]) and is_content(run.split()[-1]))
        names = dict.fromkeys(name for run in runs for name in (run, run.lower(), run[:1].upper() + run[1:]))
        languages = {one.object.language for one in stated if isinstance(one.object, Literal)} | {None, "en"}
        read = self._graph.matches([(None, None, Literal(name, language=one), FACTS)
                                    for name in names for one in sorted(languages, key=str)])  # fmt: skip
        there = self._held([fact for quads in read for fact in islice(facts(quads), _READ)])
        words = self.all_words([*stated, *there])
        found = {fact: (subject, value) for fact, (subject, predicate, value) in words.items()
                 if isinstance(fact.object, Literal) and is_naming(predicate)
                 and (span := named(self.question, value)) is not None and span.is_whole}  # fmt: skip
        return {fact: found[fact] for fact in _stated(self.setting, found)}

    @property
    def _graph(self) -> GraphStore:
        """The graph of the whole collection: that of a part of it would be copied first."""
        stores = self.setting.stores
        while isinstance(stores, Remainder | Limited):
            stores = stores.whole
        return stores.graph

    def _held(self, among: Sequence[Triple]) -> Sequence[Triple]:
        """Return those of some facts that are in the part of a collection that is asked."""
        stores = self.setting.stores
        if not isinstance(stores, Remainder | Limited):
            return among
        there = {*stores.recorded(map(key_of, among)).values()}
        return [fact for fact in among if fact in there and stores.sources.passages(fact)]

    def _answers(self, wanted: Asks, own: Sequence[Triple], others: Sequence[Triple]) -> list[Triple]:
        """Return the facts of a thing that answer, or else those of which it is the value."""
        found = self._fitting(wanted, own, 2)
        if wanted.defines:
            return found or self._kin(own)
        return found or self._fitting(wanted, others, 0)

    def _kin(self, own: Sequence[Triple]) -> list[Triple]:
        """Return what says what a thing belongs to, and how it is called besides, where nothing says what it is."""
        words = self.all_words([fact for fact in own if fact.predicate != RDF.type])
        return [fact for told in (is_broader, is_naming) for fact in words if told(words[fact][1])]

    def _fitting(self, wanted: Asks, among: Iterable[Triple], answer: int) -> list[Triple]:
        """Return the facts that fit best; the `answer` is their subject (0) or their value (2).

        Where it is asked whether one is so, all of the property, those whose value is named first.
        """
        among = [fact for fact in among if fact.predicate != RDF.type]
        links = dict.fromkeys(fact.predicate.value for fact in among)
        labels = self.setting.stores.sources.labels_of(links)
        may = {one for one in links if any(fit(wanted, labels.get(one) or local_name(one), told) for told in _VALUES)}
        words = self.all_words([fact for fact in among if fact.predicate.value in may])
        if answer and wanted.question.kind == YES_NO:
            read = ((fact, fit(wanted, *one[1:])) for fact, one in words.items())
            fits = {fact: one for fact, one in read if one is not None}
            return sorted(fits, key=lambda fact: not says_value(wanted, words[fact][2], fits[fact].left))
        told = ((fact, one[1], one[2], one[answer]) for fact, one in words.items())
        return list(fitting(wanted, told, as_value=answer == 0))

    def _about(self, nodes: Iterable[NamedNode]) -> dict[NamedNode, _About]:
        """Return the facts of each thing, and those of which it is the value."""
        things_ = list(nodes)
        patterns: list[Pattern] = [
            one for node in things_ for one in ((node, None, None, FACTS), (None, None, node, FACTS))
        ]
        read = [sorted(facts(quads), key=str) for quads in self._graph.matches(patterns, _READ)]
        return dict(zip(things_, zip(read[::2], read[1::2], strict=True), strict=True))

    def _of_kind(
        self, wanted: Asks, answers: Sequence[Triple], things_: Sequence[NamedNode]
    ) -> tuple[Sequence[Triple], dict[Triple, Triple]]:
        """Return the answers that are of the kind that is asked for, each with what says so; all where none is.

        Where it is asked who, all of them, those that are said to be a person first.
        """
        if not (wanted.kinds or wanted.asks_person) or not answers:
            return answers, {}
        ends = {fact: fact.subject if fact.object in things_ else fact.object for fact in answers}
        nodes = [end for end in dict.fromkeys(ends.values()) if isinstance(end, NamedNode)]
        read = self._graph.matches([(end, RDF.type, None, FACTS) for end in nodes])
        heads = {*map(stem, wanted.kinds or (PERSON,))}
        told = self.all_words([fact for quads in read for fact in facts(quads)])
        kinds: dict[object, Triple] = {fact.subject: fact for fact, words in told.items()
                                       if heads <= {*map(stem, tokens(words[2]))}}  # fmt: skip
        known = {fact: kinds[end] for fact, end in ends.items() if end in kinds}
        if not wanted.kinds:
            return sorted(answers, key=lambda fact: fact not in known), known
        return (list(known), known) if known else (answers, {})

    def _reasons(self, wanted: Asks, node: NamedNode, around: Sequence[Triple]) -> dict[Triple, Triple]:
        """Return the reasons that stand with what a thing is linked to by what is asked, each with that link."""
        heads = {*map(stem, wanted.words)}
        linked = dict[NamedNode, Triple]()
        for fact, words in self.all_words(around[:_AROUND]).items():
            other = fact.object if fact.subject == node else fact.subject
            shares = heads & {stem(word) for part in words for word in tokens(part)}
            if isinstance(other, NamedNode) and other != node and shares and len(linked) < _LINKED:
                linked.setdefault(other, fact)
        about = self._about(linked).items()
        of = {other: [one for one in own if isinstance(one.object, Literal)] for other, (own, _) in about}
        told = self.all_words([one for those in of.values() for one in those[:_AROUND]])
        return {one: linked[other] for other, those in of.items() for one in those[:_AROUND]
                if fit(wanted, *told[one][1:]) is not None or is_reason(told[one][2])}  # fmt: skip

    def all_words(self, among: Sequence[Triple]) -> dict[Triple, tuple[str, str, str]]:
        """Return the names of facts: of subject, predicate and value."""
        self.setting.stores.sources.ahead(among)
        return {fact: self._words(fact) for fact in among}

    def _words(self, fact: Triple) -> tuple[str, str, str]:
        return edge_labels(fact, self.setting.stores.sources.labels([fact]))
