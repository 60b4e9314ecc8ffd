"""Statements of a parsed sentence: subject, predicate and object, read off its dependency tree by rules.

The rules prefer silence to a wrong statement: pronouns, questions, conditions and mere beliefs are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from explorer.language import grammar
from explorer.language.noun_phrases import Phrase, PhraseReader

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from explorer.language.pipeline import Doc, Token
    from explorer.language.references import Reference

_LONG_CONDITION = 16  # words
_LONG_CLAUSE = 24  # words
_LONG_RESTRICTION = 9  # words
_NEXT = 2  # words: a verb so near behind another shares its object
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
        """What a verb says, with the condition it is said under; nothing where that is long, or where it is denied."""
        clause = grammar.condition(verb)
        if grammar.denies(verb) or (clause is not None and len(clause) > _LONG_CONDITION):
            return
        under = f" ({self._words.text(clause)})" if clause else ""
        if clause and (found := list(self._conditioned(verb, clause))):
            yield from found
            return
        for statement in self._of_clause(verb):
            yield replace(statement, predicate=f"{statement.predicate}{under}")

    def _conditioned(self, verb: Token, clause: Sequence[Token]) -> Iterator[Statement]:
        """“The valve opens when the pressure drops.”: what a verb without an object says is when."""
        if {c.dep_ for c in verb.children} & _COMPLEMENTS:
            return
        subjects, weight = grammar.subjects_of(verb)
        opening, when = self._opening(verb), self._words.literal(clause[1:])
        for token in subjects:
            subject = self._restricted(token)
            if subject and subject.is_entity and weight * grammar.attribution(verb):
                yield Statement(subject, f"{opening} {clause[0].lower_}", when, weight * 0.8)

    def _of_clause(self, verb: Token) -> Iterator[Statement]:
        subjects, weight = grammar.subjects_of(verb)
        weight *= grammar.attribution(verb)
        read = self._phrase if verb.dep_ == "acl" else self._restricted  # what restricts is itself said
        phrases = [phrase for token in subjects if (phrase := read(token)) and phrase.is_entity]
        if not phrases or not weight or verb.lower_ == "ranging":
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
        """What a verb without an object says, as a literal.

        “The landing was abandoned”, “the burn went smoothly”, “the board found that …”; not “fuel cell 3 had stopped”:
        what a verb alone says has no object, and an auxiliary says nothing.
        """
        if (clause := grammar.reported(verb)) is not None:
            that, words = clause
            if len(words) <= _LONG_CLAUSE:
                said = self._words.literal(words)
                for subject in subjects:
                    yield Statement(subject, f"{self._opening(verb)} {that}".strip(), said, weight * 0.75)
            return
        auxiliaries = [
            c for c in verb.children if c.dep_ in {"aux", "auxpass", "neg"}
        ] or grammar.inherited_auxiliaries(verb)
        open_ended = any(
            c.dep_ in {"xcomp", "ccomp", "prep", "agent", "dobj", "attr", "acomp", "dative", "oprd"}
            or (c.dep_ == "advcl" and not grammar.is_beside(c))
            or (
                not auxiliaries and c.dep_ == "conj" and c.i - verb.i <= _NEXT and not list(c.lefts)
            )  # “designs, makes and sells rifles”
            for c in verb.children
        )
        behind = grammar.how(verb)
        if open_ended or (verb.tag_ in {"VB", "VBG", "VBN"} and not auxiliaries):
            return
        adverbs = [c for c in verb.lefts if c.dep_ == "advmod" and auxiliaries and c.i > auxiliaries[-1].i]
        particles = [c for c in verb.rights if grammar.belongs_to_predicate(c, verb) or grammar.is_short_adverb(c)]
        if grammar.lacks_object(verb, auxiliaries) and not particles:
            return
        if any(one.lemma_ == "be" for one in auxiliaries):
            predicate, became = self._words.text(auxiliaries), self._words.literal([*adverbs, verb, *particles])
        elif behind:
            predicate, became = self._words.text([*auxiliaries, verb]), self._words.literal(behind)
        else:
            return
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
        """The verb with its auxiliaries, negation, hedges and particle, in the order of the sentence."""
        parts = [child for child in verb.children if grammar.belongs_to_predicate(child, verb)]
        adverbs = [child for child in parts if child.lower_ not in grammar.DIRECTIONS]
        near = [*adverbs, *(c for adverb in adverbs for c in adverb.lefts if c.lower_ in {"no", "not"})]  # “no longer”
        # “took the tank apart”: what was done is “took apart”
        far = [child for child in parts if child.lower_ in grammar.DIRECTIONS]
        if verb.dep_ == "conj" and not any(child.dep_ in {"aux", "auxpass"} for child in verb.children):
            near += grammar.inherited_auxiliaries(verb)
        words = sorted({*grammar.with_prefix(verb), *near}, key=lambda token: token.i)
        return self._words.text([*words, *far])

    def _complements(self, verb: Token, predicate: str) -> Iterator[tuple[str, list[Token], float]]:
        """Predicate, objects and certainty for each thing that the verb is complemented by."""
        direct = grammar.direct_objects(verb)
        if not grammar.is_shaping(verb):
            yield from ((predicate, grammar.conjoined(child), 0.95) for child in direct)
            yield from self._of_nouns(verb, predicate)
            if not direct and (following := grammar.shared_object(verb)):
                yield predicate, grammar.conjoined(following), 0.7
            if relative := grammar.relative_object(verb):
                yield predicate, [relative], 0.8
        adjectives = [child for child in verb.children if child.dep_ == "acomp"]
        continued = self._words.text([*adjectives[0].lefts, adjectives[0]]) if adjectives else ""
        through = f"{predicate} {continued}".strip() if not direct else self._with_object(predicate, direct[0])
        if not grammar.says_more(verb):
            yield from self._prepositional(verb, through, 0.75 if direct else 0.92)
            if not direct and (agent := grammar.shared_agent(verb)):
                by, doer = grammar.preposition_of(agent)
                if doer is not None:
                    yield f"{through} {by}", grammar.conjoined(doer), 0.85
        for child in adjectives:
            yield from self._adjectival(child, predicate)
        for child in verb.children:
            if child.dep_ == "xcomp" and child.pos_ in {"VERB", "AUX"} and not direct:
                words = [*(c for c in child.children if c.dep_ in {*grammar.BEFORE, "prt"}), child]
                deeper = self._words.text(sorted(words, key=lambda token: token.i))
                yield from self._complements(child, f"{predicate} {deeper}")

    def _of_nouns(self, verb: Token, predicate: str) -> Iterator[tuple[str, list[Token], float]]:
        """Names that a plural subject is said to be, and what the noun goes on with that a subject is said to be."""
        for child in grammar.listed_complements(verb):
            yield f"{predicate}, among others,", grammar.conjoined(child), 0.8
        for child in verb.children:
            if child.dep_ == "attr" and child.tag_ not in {"WP", "WDT"}:
                yield from self._of_complement(child, predicate)

    def _of_complement(self, noun: Token, predicate: str) -> Iterator[tuple[str, list[Token], float]]:
        """“was the controller for the power”, “was the first person to fly to the Moon”: what the noun goes on with."""
        words = self._words.text([t for t in self._words.core_words(noun) if t.i <= noun.i] or [noun])
        for child in noun.children:
            if child.dep_ == "prep" and child.lower_ != "of" and child.i > noun.i:
                preposition, pobj = grammar.preposition_of(child)
                if pobj is not None and not grammar.is_aside(child, pobj):
                    yield f"{predicate} {words} {preposition}", grammar.conjoined(pobj), 0.85
            elif child.dep_ in {"relcl", "acl"} and child.tag_ == "VB" and grammar.has_to(child):
                yield from self._complements(child, f"{predicate} {words} to {child.text}")

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
            elif child.dep_ == "dative" and child.pos_ != "ADP":
                yield f"{predicate} to", grammar.conjoined(child), certainty - 0.1

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
        later = (*adjective.children, *(c for c in adjective.head.children if c.i > adjective.i))
        open_ended = any(child.dep_ in {"xcomp", "ccomp", "advcl"} and not grammar.has_mark(child) for child in later)
        if not found and not open_ended:
            yield predicate, [adjective, *(t for t in adjective.conjuncts if t.pos_ == "ADJ")], 0.7
