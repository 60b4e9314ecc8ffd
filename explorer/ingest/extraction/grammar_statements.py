"""Statements of a parsed sentence: subject, predicate and object, read off its dependency tree by rules.

The rules prefer silence to a wrong statement: pronouns, questions, conditions and mere beliefs are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from explorer.language import grammar
from explorer.language.noun_phrases import Phrase, PhraseReader
from explorer.language.references import Reference

if TYPE_CHECKING:
    from explorer.language.pipeline import Doc, Token

_LONG_CONDITION = 16  # words
_LONG_RESTRICTION = 9  # words
_COMPLEMENTS = frozenset("dobj attr acomp oprd xcomp ccomp prep agent dative".split())
_MOST = 6  # statements from one pairing of conjuncts


@dataclass(frozen=True, slots=True)
class Statement:
    """`subject predicate object`; `certainty` 0..1 is the rules' own estimate that the sentence says so."""

    subject: Phrase
    predicate: str
    object: Phrase
    certainty: float


class ParsedSentence:
    """The statements of one parsed sentence.

    `printed` gives some tokens the text they have in a label, `names` what mentions stand for.
    """

    def __init__(self, doc: Doc, printed: Mapping[int, str], names: Mapping[int, Reference]) -> None:
        self._doc = doc
        self._words = PhraseReader(printed)
        self._names = names

    def statements(self) -> Iterator[Statement]:
        """Everything that the rules find, in the order of the verbs."""
        for token in self._doc:
            if token.pos_ in {"VERB", "AUX"} and token.dep_ not in grammar.BEFORE and not grammar.is_unreal(token):
                yield from self._of_verb(token)
            elif token.dep_ == "appos":
                yield from self._of_apposition(token)

    def _phrase(self, token: Token, *, as_object: bool = False) -> Phrase | None:
        """The phrase around a noun under the name it stands for; one for a pronoun only if it stands for something."""
        phrase = self._words.phrase(token, as_object=as_object)
        reference = self._names.get(token.i)
        if reference is None:
            return phrase
        if token.tag_ == "PRP":
            return Phrase(token.i, reference.name, is_entity=True, is_capitalised=reference.name[:1].isupper())
        return replace(phrase, label=reference.name) if phrase and phrase.label == reference.written else phrase

    def _restricted(self, token: Token, *, as_object: bool = False) -> Phrase | None:
        """The phrase around a noun with what restricts it; nothing where that is long.

        Of an object something is said of all of many only behind “any” and the like.
        """
        phrase, words = self._phrase(token, as_object=as_object), grammar.restriction(token)
        if phrase is None or not words or not (token.dep_ in grammar.SUBJECTS or grammar.is_any(token)):
            return phrase
        if len(words) > _LONG_RESTRICTION:
            return None
        return replace(phrase, label=f"{phrase.label} {self._words.text(words)}", is_bare=False)

    def _of_verb(self, verb: Token) -> Iterator[Statement]:
        """What a verb says, with the condition it is said under; nothing where it is long, denied or reported."""
        clause = grammar.condition(verb)
        if (
            grammar.is_reported(verb)
            or grammar.is_denied(verb)
            or (clause is not None and len(clause) > _LONG_CONDITION)
        ):
            return
        under = f" ({self._words.text(clause)})" if clause else ""
        for statement in self._of_clause(verb):
            yield replace(statement, predicate=f"{statement.predicate}{under}")

    def _of_clause(self, verb: Token) -> Iterator[Statement]:
        subjects, weight = grammar.subjects_of(verb)
        read = self._phrase if verb.dep_ == "acl" else self._restricted  # what restricts is itself said
        phrases = [phrase for token in subjects if (phrase := read(token)) and phrase.is_entity]
        if not phrases:
            return
        opening = self._opening(verb)
        complements = list(self._complements(verb, opening))
        if not complements:
            yield from self._without_object(verb, phrases, weight)
        for predicate, objects, certainty in complements:
            found = [phrase for token in objects if (phrase := self._restricted(token, as_object=True))]
            pairs = [(s, o) for s in phrases for o in found if s.label.lower() != o.label.lower()]
            for subject, target in pairs[:_MOST]:
                yield Statement(subject, predicate, target, weight * certainty)

    def _without_object(self, verb: Token, subjects: Sequence[Phrase], weight: float) -> Iterator[Statement]:
        """What became of something, or how it went, as a literal: “The landing was abandoned”."""
        auxiliaries = [c for c in verb.children if c.dep_ in grammar.BEFORE] or grammar.inherited_auxiliaries(verb)
        is_open = any(c.dep_ in _COMPLEMENTS for c in verb.children)
        behind = [c for c in verb.rights if c.dep_ == "advmod" and c.lower_.endswith("ly") and c.i == verb.i + 1]
        is_done = any(one.lemma_ == "be" for one in auxiliaries)
        if is_open or not (is_done or behind):
            return
        last = max((one.i for one in auxiliaries), default=verb.i)
        adverbs = [c for c in verb.lefts if c.dep_ == "advmod" and c.i > last]
        particles = [c for c in verb.rights if c.dep_ == "prt" or (c.dep_ == "advmod" and not any(c.children))]
        said = (auxiliaries, [*adverbs, verb, *particles]) if is_done else ([*auxiliaries, verb], behind)
        predicate, became = self._words.text(said[0]), self._words.literal(said[1])
        for subject in subjects:
            yield Statement(subject, predicate, became, weight * 0.7)

    def _of_apposition(self, token: Token) -> Iterator[Statement]:
        """“Jack Swigert, the pilot, …” and “the pilot, Jack Swigert, …” say the same."""
        head = token.head
        between = self._doc[head.i : token.i]
        joined = any(t.text in {",", "–", "—"} for t in between) and not any(t.text == "(" for t in between)
        listed = list(token.conjuncts) or list(head.conjuncts)
        if listed or not joined or any(t.pos_ == "VERB" or (t.tag_ == "IN" and t.lower_ != "of") for t in between):
            return
        named, described = (head, token) if grammar.has_article(token) else (token, head)
        if named.pos_ != "PROPN" or not grammar.has_article(described):
            return
        subject, target = self._phrase(named), self._words.phrase(described)
        if subject and target and subject.is_entity:
            yield Statement(subject, "is", target, 0.8)

    def _opening(self, verb: Token) -> str:
        """The verb with its auxiliaries, negation, adverbs and particle, in the order of the sentence."""
        near = [child for child in verb.children if grammar.belongs_to_predicate(child, verb)]
        near += [c for child in near for c in child.lefts]  # “no longer”
        if verb.dep_ == "conj" and not any(child.dep_ in {"aux", "auxpass"} for child in verb.children):
            near += grammar.inherited_auxiliaries(verb)
        first = verb.i
        while first > 1 and self._doc[first - 1].text == "-":
            first -= 2  # “short-circuited” is one verb in three tokens
        return self._words.text(sorted({*self._doc[first : verb.i + 1], *near}, key=lambda token: token.i))

    def _complements(self, verb: Token, predicate: str) -> Iterator[tuple[str, list[Token], float]]:
        """Predicate, objects and certainty for each thing that the verb is complemented by."""
        direct = grammar.direct_objects(verb)
        yield from ((predicate, grammar.conjoined(child), 0.95) for child in direct)
        for child in direct:
            if child.dep_ == "attr":
                yield from self._of_complement(child, predicate)
        adjectives = [child for child in verb.children if child.dep_ == "acomp"]
        continued = self._words.text([*adjectives[0].lefts, adjectives[0]]) if adjectives else ""
        through = f"{predicate} {continued}".strip() if not direct else self._with_object(predicate, direct[0])
        yield from self._prepositional(verb, through, 0.75 if direct else 0.92)
        if agent := grammar.shared_agent(verb):
            by, doer = grammar.preposition_of(agent)
            yield f"{predicate} {by}", grammar.conjoined(doer) if doer is not None else [], 0.85
        for child in adjectives:
            yield from self._adjectival(child, predicate)
        for child in verb.children:
            if child.dep_ == "xcomp" and child.pos_ in {"VERB", "AUX"} and not direct:
                words = [*(c for c in child.children if c.dep_ in {*grammar.BEFORE, "prt"}), child]
                deeper = self._words.text(sorted(words, key=lambda token: token.i))
                yield from self._complements(child, f"{predicate} {deeper}")

    def _of_complement(self, noun: Token, predicate: str) -> Iterator[tuple[str, list[Token], float]]:
        """“was the controller for the power”: what the noun goes on with."""
        words = self._words.text([t for t in self._words.core_words(noun) if t.i <= noun.i] or [noun])
        for child in noun.children:
            if child.dep_ == "prep" and child.lower_ != "of" and child.i > noun.i:
                preposition, pobj = grammar.preposition_of(child)
                if pobj is not None:
                    yield f"{predicate} {words} {preposition}", grammar.conjoined(pobj), 0.85

    def _with_object(self, predicate: str, direct: Token) -> str | None:
        """The predicate that a preposition continues; nothing when the object makes it too long."""
        phrase = self._words.phrase(direct, as_object=True)
        short = phrase is not None and len(phrase.label.split()) <= 4 and len(grammar.conjoined(direct)) == 1
        return f"{predicate} {phrase.label}" if short and phrase else None

    def _prepositional(
        self, verb: Token, predicate: str | None, certainty: float
    ) -> Iterator[tuple[str, list[Token], float]]:
        for child in verb.children:
            if predicate is None or child.dep_ not in {"prep", "agent", "dative"}:
                continue
            words, pobj = grammar.preposition_of(child)
            if pobj is not None and not grammar.is_aside(child, pobj):
                yield f"{predicate} {words}", grammar.conjoined(pobj), certainty

    def _adjectival(self, adjective: Token, predicate: str) -> Iterator[tuple[str, list[Token], float]]:
        """“was full of oxygen”, or “was loose” when nothing follows the adjective."""
        found = False
        left = [t for t in adjective.lefts if t.dep_ in {"advmod", "neg", "npadvmod"}]
        words = self._words.text([*left, adjective])
        for child in adjective.children:
            if child.dep_ == "prep":
                preposition, pobj = grammar.preposition_of(child)
                if pobj is not None:
                    found = True
                    yield f"{predicate} {words} {preposition}", grammar.conjoined(pobj), 0.85
        if not found and not any(child.dep_ in {"xcomp", "ccomp"} for child in adjective.children):
            yield predicate, [adjective, *(t for t in adjective.conjuncts if t.pos_ == "ADJ")], 0.7
