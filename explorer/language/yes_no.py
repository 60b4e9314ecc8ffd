"""Whether a sentence says yes or no to a question, within what limits, or which of two, by the grammar of both."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from explorer.language.assertions import (
    CAN,
    FUTURE,
    IS,
    MUST,
    NOBODY,
    PAST,
    PLACES,
    PRESENT,
    SHOULD,
    Assertion,
    assertions,
    forms,
    limited,
)
from explorer.language.opposites import listed_opposites
from explorer.language.pipeline import parsed
from explorer.language.statements import offered, statement, tense
from explorer.language.words import is_content, stem, tokens

if TYPE_CHECKING:
    from explorer.language.pipeline import Doc, Token

_ANYONE = frozenset("i you we one me us anyone anybody someone somebody everyone everybody people who".split())
_UNIVERSAL = frozenset({"all", "every", "each", "any"})
_OF_HOW_MANY = _UNIVERSAL | set(
    "most half majority only always both many few more less fewer some several certain various other another either "
    "enough such much little".split()
)
_BRINGING = frozenset({"bring", "take", "have", "use", "keep"})
_HAVING = {CAN: _BRINGING, MUST: _BRINGING | set("carry hold get obtain wear possess own".split())}
"""Verbs that say no more of a thing that may or must be than that it is there: what holds of it holds of them."""
_UNMARKED = frozenset({"of", "in", "on", "for"})  # what stands behind them may stand without: "the tank valve"
_LOOSE = frozenset("still yet also really actually ever already there here please indeed even then so no".split())
_WORDS = frozenset({"NOUN", "PROPN", "NUM", "ADJ", "VERB", "X", "SYM", "ADV", "INTJ"})
_COMMENTS = frozenset(
    "because although though since while whereas according due despite as like unlike besides thanks owing".split()
)
_COMMENTING = frozenset(
    "reason example instance fact result cause addition general particular case safety law course".split()
)
_VIEWS = frozenset("view opinion eye judgement judgment mind".split())
_CONDITIONS = frozenset("if unless until when whenever once provided while without except".split())
_OTHERS = frozenset("deputy vice assistant former acting ex co sub other another second".split())
_LONGEST = 90  # code points of what limits an answer
_JUDGED = re.compile(
    r"^(?:[\w’'-]+ ){1,4}?(?:(?P<denied>(?:do|does|did)(?: not|n['’]t)|never) )?"
    r"(?:consider|find|deem|judge|rate)(?:s|ed)? (?P<what>it|them|the (?:[\w-]+ ){0,2}?[\w-]+) (?:to be |as )?"
    r"(?P<rest>(?!that|to|whether|how|who|when|what)[a-z].*)$", re.IGNORECASE
)  # fmt: skip
_PRONOUN = re.compile(
    r"^(?:it|they|this|these)\b(?= (?:is|are|was|were|has|have|had|do|does|did|may|must|can|can['’]?not)\b)",
    re.IGNORECASE,
)
_NOTED = re.compile(r"^(?:please )?(?:note|be aware|remember|bear in mind|keep in mind)(?: also)? that ", re.IGNORECASE)
_ADDED = re.compile(
    r" (?:with|using|in|on|for|under|by) (?:the |a |an )?(?P<what>[\w-]+(?: [\w-]+)?)\s*\?*$", re.IGNORECASE
)
_PARTS = re.compile(r"(?<=\w)[:;] (?=[a-z])")  # what stands behind explains, in a clause of its own
_OF_BEING = re.compile(r"(?:is|are|was|were) there\b", re.IGNORECASE)
_NUMBERED = re.compile(r"\bno\.\s+(?=\d)", re.IGNORECASE)  # the parser takes "no." for a denial, or for an end


@dataclass(frozen=True, slots=True)
class Said:
    """That something is so, or is not so, and the words of the sentence that limit it: "unless …", "only staff"."""

    is_so: bool
    limit: str = ""


def says(question: str, sentence: str, about: str = "") -> Said | None:
    """Return whether a sentence says that what a yes-or-no question asks is so; None where it says neither.

    One clause must have all that is asked, in the same roles, with the same kind of "may", "must" or "is". What is only
    planned, reported, supposed or often so says neither; nor does what is said of fewer, or of one of several. What
    limits an answer is given with it. Somebody's judgement counts: "does not consider it dangerous".

    `about`: what the sentence is about, as a heading says; "it" in the sentence stands for that, and what the question
    adds by "with" or "in" may be that too.
    """
    whole = _NUMBERED.sub("", question)
    for text in dict.fromkeys((whole, _without(about, whole))):
        asked = statement(text)
        if asked is None:
            continue
        for clause in dict.fromkeys((sentence, *_PARTS.split(sentence))):
            said = _said(asked, tense(question), _told(question, clause, about))
            if said is not None:
                return said
    return None


def which(question: str, sentences: Sequence[tuple[str, str]]) -> tuple[str, int, Said] | None:
    """Return which of the two that a question offers is so, the place of the sentence that says it, and its limit.

    Each sentence comes with what it is about. One must be so and the other not, or not be spoken of; else None.
    "Neither" where both are denied.
    """
    asked = statement(_NUMBERED.sub("", question))
    both = offered(asked) if asked is not None else None
    if both is None:
        return None
    told = [_told(question, sentence, about) for sentence, about in sentences]
    found = []
    for _, one in both:
        each = [(said, at) for at, doc in enumerate(told) if (said := _said(one, tense(question), doc)) is not None]
        if len({said.is_so for said, _ in each}) > 1:
            return None
        found.append(each[0] if each else (None, 0))
    (first, _), (second, _) = found
    is_no = [one is not None and one == Said(is_so=False) for one in (first, second)]
    if all(is_no):
        return "neither", found[1][1], Said(is_so=False)
    for n, (said, at) in enumerate(found):
        if said is not None and said.is_so and (found[1 - n][0] is None or is_no[1 - n]):
            return both[n][0], at, said
    return None


def _without(about: str, question: str) -> str:
    """Return a question without a phrase at its end that only names what the sentence is about anyway."""
    added = _ADDED.search(question)
    known = {stem(word) for word in tokens(about)}
    is_known = added is not None and {stem(word) for word in tokens(added["what"])} <= known
    return f"{question[: added.start()]}?" if added is not None and is_known else question


def _told(question: str, sentence: str, about: str) -> Doc:
    """Parse a sentence; "it" stands for what is asked about where the heading is about that."""
    sentence = _NOTED.sub("", " ".join(_NUMBERED.sub("", sentence).split()))
    sentence = _JUDGED.sub(_as_said, sentence)
    pronoun = _PRONOUN.search(sentence)
    meant = next((word for word in tokens(question)[1:] if is_content(word)), "")
    if pronoun and meant and stem(meant) in {stem(word) for word in tokens(about)}:
        sentence = f"The {meant}{sentence[pronoun.end() :]}"
    return parsed(_being(sentence) if _OF_BEING.match(question) else sentence)


def _being(sentence: str) -> str:
    """Return what a sentence says that something has, or has not, as what there is: "The building has no lift"."""
    doc = parsed(sentence)
    root = next((one for one in doc if one.dep_ == "ROOT"), None)
    if root is None or root.lemma_ != "have" or any(one.dep_ in {"aux", "neg", "prep"} for one in root.children):
        return sentence
    parts = {one.dep_: one for one in root.children}
    owner, thing = parts.get("nsubj"), parts.get("dobj")
    if owner is None or thing is None or owner.pos_ in {"PRON", "PROPN"}:
        return sentence
    being = {"has": "is", "have": "are"}.get(root.lower_, "was")
    texts = [doc[one.left_edge.i : one.right_edge.i + 1].text for one in (thing, owner)]
    return f"There {being} {texts[0]} in {texts[1][0].lower()}{texts[1][1:]}."


def _as_said(judged: re.Match[str]) -> str:
    """Return what somebody holds of something as a sentence on that."""
    being = "are" if judged["what"] == "them" else "is"
    what = {"it": "It", "them": "They"}.get(judged["what"], judged["what"])
    return f"{what} {being}{' not' if judged['denied'] else ''} {judged['rest']}"


def _said(asked: Doc, when: str, told: Doc) -> Said | None:
    """Return what one of a sentence's clauses says to what is asked; None where none does, or they disagree."""
    words = {token.lower_ for token in asked}
    if told.text.endswith("?") or words & {"or", "not", "never", "no", *NOBODY}:
        return None
    answers = list(assertions(told))
    for one in assertions(asked):
        question = replace(one, tense=when)
        found = [said for other in answers if (said := _Pair(question, other).said()) is not None]
        if found:
            return found[0] if len({said.is_so for said in found}) == 1 else None
    return None


@dataclass(frozen=True, slots=True)
class _Pair:
    """What is asked, and what a clause asserts."""

    asked: Assertion
    told: Assertion

    def said(self) -> Said | None:
        """Return what the clause says to what is asked."""
        if self.is_needed():
            return Said(is_so=True)
        is_so = self.follows()
        if is_so is None or not limited(self.told) <= self.small or self.is_both():
            return None
        alone = self.alone()
        limit = self.limit(is_so=is_so)
        if limit is None or not self.fits(alone, is_so=is_so):
            return None
        if alone is None:
            return Said(is_so, limit)
        if limit or not is_so:
            return None
        return Said(is_so=True, limit="" if self.is_one_of(alone) else f"only {_without_only(alone)}")

    @property
    def known(self) -> set[str]:
        """The stems of all words that are asked."""
        return _forms(self.asked.words)

    @property
    def small(self) -> set[str]:
        """The words of what is asked, as they stand."""
        return {token.lower_ for token in self.asked.words}

    def follows(self) -> bool | None:
        """Return what follows for what is asked, as far as the kind and the time of both go."""
        asked, told = self.asked, self.told
        is_so: bool | None = None
        if asked.force == told.force:
            is_so = not told.is_denied
        elif told.force == CAN and told.is_denied:  # what cannot be is not; what must not be need not be
            is_fact = asked.force == IS and asked.tense == PRESENT and not told.is_barred
            is_so = False if is_fact or (told.is_barred and asked.force in {MUST, SHOULD}) else None
        elif told.force == IS and asked.force == CAN:
            is_so = not told.is_denied if told.tense == PRESENT and told.doer is not None else None
        elif (asked.force, told.force) == (SHOULD, MUST):
            is_so = None if told.is_denied else True
        return None if is_so is None or not self.is_in_time() else is_so != asked.is_denied

    def is_both(self) -> bool:
        """Return whether the clause says the opposite of a thing too: "a failure in its aim and a success"."""
        thing = self.asked.done_to
        return thing is not None and not listed_opposites(forms(thing)).isdisjoint(_forms(self.told.words) - self.known)

    def is_in_time(self) -> bool:
        """Return whether what is asserted is so at the time that is asked about."""
        asked, told = self.asked, self.told
        if told.has_ended:
            return asked.tense == PRESENT and told.tense != FUTURE
        if asked.tense == told.tense:
            return True
        if told.tense == PAST:
            is_perfect = any(one.lower_ in {"has", "have"} and one.dep_ == "aux" for one in asked.path[0].doc)
            is_noun = told.done_to is not None and told.done_to.dep_ == "attr"
            return asked.tense == PRESENT and (is_perfect or is_noun)
        return asked.tense == FUTURE or (told.tense == FUTURE and asked.tense == PRESENT and asked.force != IS)

    def is_needed(self) -> bool:
        """Return whether nothing goes without what is asked whether it is needed: "cannot fish without a permit"."""
        asked, told = self.asked, self.told
        is_asked = asked.force == MUST and asked.verb is None and not asked.is_denied
        without = [child for head in told.adjuncts if head.lower_ == "without" for child in head.children]
        thing = next((one for one in without if _is_same(asked.done_to, one)), None)
        if not is_asked or told.verb is None or thing is None or limited(told):
            return False
        more = [one for head in told.adjuncts if head != thing.head for one in head.subtree]
        if any(one.pos_ in _WORDS and not forms(one) & self.known for one in more):
            return False
        words = [token for token in asked.words if token not in asked.path and token.pos_ in _WORDS]
        is_same_deed = any(token != asked.done_to and _alike(token, told.verb) for token in words)
        is_anyone = told.doer is None or told.doer.lower_ in _ANYONE or _is_same(asked.doer, told.doer)
        is_all = all(forms(one) & _forms(told.words) for one in words)
        return told.force == CAN and told.is_denied and is_same_deed and is_anyone and is_all

    def fits(self, alone: Token | None, *, is_so: bool) -> bool:
        """Return whether all that is asked is said in the same roles, and of nothing narrower."""
        asked, told = self.asked, self.told
        thing = told.done_to
        before = thing.doc[: thing.i] if thing is not None and thing.lower_ == "none" else ()  # "needs none"
        things = [*before] or [thing]
        is_no_one = asked.done_to is not None and asked.done_to.lower_ in _ANYONE and _is_nobody(thing)
        is_thing = is_no_one or any(_is_same(asked.done_to, one) for one in things)  # "nobody was hurt"
        is_same = self.is_same_verb() and is_thing and not self.has_more()
        if not is_same or not (alone is not None or self.is_same_doer()):
            return False
        is_any = alone is not None or _is_nobody(told.doer)
        if not self.covers(before, is_any=is_any) or not self.is_same_place() or self.is_one_of_several():
            return False
        parts = [part for part in (told.doer if alone is None else None, thing) if part is not None]
        return not any(self.is_narrower(part, is_so=is_so) for part in parts)

    def covers(self, before: Iterable[Token], *, is_any: bool) -> bool:
        """Return whether the clause has all words that are asked; `is_any`: it speaks of all who may be asked about."""
        asked, told = self.asked, self.told
        denied = {one.i for head in told.adjuncts if any(one.dep_ == "neg" for one in head.subtree)
                  for one in head.subtree}  # fmt: skip
        there = _forms([*(one for one in told.words if one.i not in denied), *before])
        skipped = {one.i for one in (*asked.path, *([asked.verb] if asked.verb is not None else ()))}
        if asked.doer is not None and (is_any or asked.doer.lower_ in _ANYONE):
            skipped |= {one.i for one in asked.doer.subtree}
        words = [one for one in asked.words if one.i not in skipped and one.pos_ in _WORDS
                 and one.lower_ not in _LOOSE and one.dep_ not in {"aux", "auxpass", "mark"}]  # fmt: skip
        counted = self.small & _OF_HOW_MANY <= {one.lower_ for one in told.words}
        return counted and all(forms(one) & there for one in words)

    def is_same_verb(self) -> bool:
        asked, told = self.asked, self.told
        if asked.verb is not None and told.verb is not None:
            return _alike(asked.verb, told.verb)
        named, thing = (asked.verb, told.done_to) if asked.verb is not None else (told.verb, asked.done_to)
        is_having = named is not None and named.lemma_.lower() in _HAVING.get(asked.force, ())
        return named is None or (thing is not None and (is_having or _alike(named, thing)))

    def has_more(self) -> bool:
        """Return whether something is done to a thing of which is only asked whether it does: "opens the gate"."""
        if self.asked.verb is None or self.told.verb is None:
            return False
        goes_on = any(child.dep_ in {"xcomp", "ccomp"} for child in self.told.verb.children)
        return goes_on or (self.asked.done_to is None and self.told.done_to is not None)

    def is_same_doer(self) -> bool:
        one, other = self.asked.doer, self.told.doer
        is_anyone = one is None or one.lower_ in _ANYONE
        if other is None:
            return is_anyone
        if _is_nobody(other) or other.lower_ in _ANYONE:
            return is_anyone or _is_nobody(other)
        is_fact = self.told.force == IS and not self.told.is_denied
        is_agent = any(child.dep_ == "agent" for token in self.told.path for child in token.children)
        return _is_same(one, other) if one is not None else is_fact or is_agent

    def alone(self) -> Token | None:
        """Return who alone may: "only staff may", "may only be done by staff"."""
        doer = self.told.doer
        if doer is None or self.told.is_denied:
            return None
        is_agent = doer.head.dep_ == "agent" and any(
            child.lower_ == "only" for token in self.told.path for child in token.children
        )
        return doer if is_agent or doer.left_edge.lower_ == "only" else None

    def is_one_of(self, alone: Token) -> bool:
        """Return whether who is asked about is one of those who alone may."""
        doer = self.asked.doer
        if doer is None or not _alike(doer, alone):
            return False
        there = _forms(doer.subtree)
        return all(forms(one) & there for one in alone.subtree if one.pos_ in _WORDS and one.lower_ != "only")

    def is_same_place(self) -> bool:
        """Return whether what stands behind a preposition stands behind the same, or one for the same place."""
        for token in self.asked.words:
            if token.dep_ not in {"pobj", "pcomp"} or not is_content(token.text):
                continue
            found = [_governor(other) for other in self.told.words if _alike(token, other)]
            if token.head.dep_ == "agent" and self.told.doer is not None:
                found.append(token.head.lower_)
            if found and not any(_is_near(token.head.lower_, other) for other in found):
                return False
        return True

    def is_one_of_several(self) -> bool:
        """Return whether what is asked about stands in a list of which not each is so, or not so."""
        known, told = self.known, self.told
        for token in told.words:
            if token.pos_ not in _WORDS or token in told.path or not forms(token) & known:
                continue
            top = token.head if token.dep_ in {"pobj", "pcomp"} and token.head.conjuncts else token
            others = [*top.conjuncts]
            joints = {child.lower_ for one in (top, *others) for child in one.children if child.dep_ == "cc" and others}
            fine = {"and"} if not told.is_denied or told.is_turned or token in {told.doer, told.done_to} else set()
            fine |= {"or", "nor"} if told.is_denied or told.force == CAN else set()
            if not joints <= fine:
                return True
        return False

    def is_narrower(self, part: Token, *, is_so: bool) -> bool:
        """Return whether a noun phrase names fewer than what is asked about: "large dogs", "the lid of the box"."""
        is_subject = part.dep_ in {"nsubj", "nsubjpass", "csubj"} or part.pos_ == "VERB"
        is_fact = is_so and self.asked.force == IS
        is_thing = is_so and self.asked.force == MUST and self.told.verb is None  # "a deposit of two rents is required"
        if is_thing or (is_fact and not is_subject):
            return False
        known, small = self.known, self.small
        is_past = is_fact and self.told.tense == PAST
        is_definite = part.pos_ == "PROPN" or any(
            child.dep_ == "poss" or child.lower_ in {"the", "this", "these"} for child in part.children
        )
        for child in part.children:
            if child.dep_ in {"cc", "conj", "punct", "neg"} or _is_aside(child):
                continue
            if child.dep_ == "prep":
                if child in self.told.adjuncts:
                    continue
                if child.lower_ not in small and (is_subject or not is_so):
                    return True
                continue
            words = [one for one in child.subtree if one.pos_ in _WORDS or one.lower_ in _OF_HOW_MANY]
            is_new = any(not forms(one) & known and one.lower_ not in {*_UNIVERSAL, "one"} for one in words)
            is_name = child.dep_ in {"compound", "amod", "nmod"} and child.tag_ != "JJ" and child.lower_ not in _OTHERS
            if is_new and not (is_name and (is_definite or is_past)):
                return True
        return False

    def limit(self, *, is_so: bool) -> str | None:
        """Return the words that limit what is asserted and the question has not; None where it cannot be said."""
        told, known = self.told, self.known
        heads = [one for head in told.adjuncts for one in _within(head, known)]
        found = []
        for head in heads:
            kind = self.kind_of(head)
            if kind is None:
                return None
            if kind and self.is_limit(head):
                found.append(head)
        only = self.alone() is None and any(token.lower_ == "only" for token in told.words)
        if not found:
            return None if only and not (is_so and heads) else ""
        return _text(found, only=only)

    def kind_of(self, head: Token) -> bool | None:
        """Return whether a phrase or clause says more than is asked; None where it says something else."""
        told, known, small = self.told, self.known, self.small
        words = [token for token in _listed(head) if token.pos_ in _WORDS and token.lower_ not in {*_LOOSE, "longer",
                                                                                                 "only"}]  # fmt: skip
        new = [token for token in words if not forms(token) & known]
        if any(forms(token) & known for token in {*head.subtree}.difference(_listed(head)) if token.pos_ in _WORDS):
            return False  # "in the stairwell and in the cellar"
        mark = _mark(head)
        is_comment = head.dep_ == "prep" and any(child.lemma_ in _COMMENTING for child in head.children)
        if mark in _COMMENTS or is_comment:
            is_why = told.is_denied and mark in {"because", "due", "owing"} and head.i > told.path[0].i
            return None if is_why else False
        if not new:
            is_other = mark not in small and not any(_is_near(mark, one) for one in small & PLACES)
            return None if head.dep_ in {"prep", "advcl"} and is_other and head.lower_ != "only" else False
        is_part = head.dep_ != "advcl" and len(new) < len(words)
        is_strict = told.is_denied or self.asked.force != IS
        if told.is_denied and not told.has_ended and not _is_phrase(head):  # "not out alone"
            return None
        return None if is_part and is_strict and not told.has_ended else not told.has_ended and not is_part

    def is_limit(self, head: Token) -> bool:
        """Return whether a phrase or clause that says more than is asked limits the answer."""
        asked, told = self.asked, self.told
        if (head.dep_ == "agent" and (asked.doer is not None or self.alone() is not None)) or (
            head.dep_ == "advmod" and head.i < told.path[-1].i and not told.is_denied
        ):
            return False
        if asked.force != IS or told.is_denied or _mark(head) in _CONDITIONS or _is_view(head):
            return True
        first = told.path[0]
        is_state = first.lemma_ == "be" or any(child.dep_ == "auxpass" for child in first.children)
        is_aside = head.doc[head.left_edge.i - 1].text == "," or head.tag_ in {"VBG", "VBN"}
        return (head.dep_ == "advcl" or (is_state and told.tense == PRESENT)) and not is_aside


def _forms(words: Iterable[Token]) -> set[str]:
    return {form for token in words for form in forms(token)}


def _alike(one: Token, other: Token) -> bool:
    return not forms(one).isdisjoint(forms(other))


def _is_same(asked: Token | None, told: Token | None) -> bool:
    return asked is None or (told is not None and any(_alike(asked, one) for one in (told, *told.conjuncts)))


def _is_nobody(token: Token | None) -> bool:
    if token is None:
        return False
    is_no_one = token.lower_ in {"one", "person"} and any(one.lower_ == "no" for one in token.children)
    return is_no_one or token.lower_ in NOBODY


def _is_aside(child: Token) -> bool:
    """Return whether a phrase behind a noun only says more of it: ", signed in 1919,"."""
    return child.dep_ in {"relcl", "acl", "appos"} and child.doc[child.left_edge.i - 1].text in {",", "("}


def _governor(token: Token) -> str:
    """Return the preposition before a word's phrase; nothing where it has none."""
    while token.dep_ in {"compound", "amod", "nummod", "poss", "conj", "nmod"} and token.head != token:
        token = token.head
    return token.head.lower_ if token.dep_ in {"pobj", "pcomp"} else ""


def _is_near(one: str, other: str) -> bool:
    """Return whether two prepositions say the same."""
    return one == other or {one, other} <= PLACES or (not other and one in _UNMARKED)


def _within(head: Token, known: set[str]) -> list[Token]:
    """Return a phrase, or those in it where all before them is asked: "on Sundays" of "in the yard on Sundays"."""
    inner = next((child for child in head.children if child.dep_ == "pobj"), None)
    behind = [one for one in inner.children if one.dep_ == "prep" and one.lower_ != "of"] if inner is not None else []
    later = {token.i for one in behind for token in one.subtree}
    words = [token for token in head.subtree if token.i not in later and token.pos_ in _WORDS]
    return behind if behind and words and all(forms(token) & known for token in words) else [head]


def _listed(head: Token) -> Iterator[Token]:
    """Yield the words of a phrase, without the others of a list: "by card or in cash"."""
    for token in head.subtree:
        above = token
        while above != head and above.dep_ != "conj":
            above = above.head
        if above == head:
            yield token


def _is_phrase(head: Token) -> bool:
    """Return whether it is a clause, a phrase with a noun, or a noun such as "Sundays"."""
    has_object = any(child.dep_ in {"pobj", "pcomp", "prep"} for child in head.children)
    return has_object or head.pos_ in {"VERB", "AUX", "NOUN", "PROPN"}


def _is_view(head: Token) -> bool:
    """Return whether a phrase says whose view it is: "in his view"."""
    return head.dep_ == "prep" and any(child.lemma_.lower() in _VIEWS for child in head.children)


def _mark(head: Token) -> str:
    """Return the word that begins a phrase or clause: "unless", "when", "with"."""
    marks = (one for one in head.children if one.dep_ == "mark" or (one.dep_ == "advmod" and one.tag_ == "WRB"))
    return next(marks, head).lower_


def _text(heads: Sequence[Token], *, only: bool) -> str | None:
    """Return what phrases and clauses say, where they follow each other, in few words."""
    doc = heads[0].doc
    start, end = min(one.left_edge.i for one in heads), max(one.right_edge.i for one in heads)
    covered = {token.i for one in heads for token in one.subtree}
    if any(i not in covered and not doc[i].is_punct for i in range(start, end + 1)):
        return None
    text = doc[start : end + 1].text.rstrip(" ,.;")
    text = text if doc[start].pos_ == "PROPN" else f"{text[0].lower()}{text[1:]}"
    text = f"only {text}" if only and not text.startswith("only ") else text
    return text if len(text) <= _LONGEST else None


def _without_only(phrase: Token) -> str:
    return " ".join(token.text for token in phrase.subtree if token.lower_ != "only")
