"""What the mentions in a document stand for: pronouns, parts of names, abbreviations, “the company”.

Sentences are read in order, and a mention leans on what was said before it; where that is not clear it stands for
nothing. Each mention that is read as another name keeps its own words and the rule it was read by.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from explorer.language import grammar
from explorer.language.noun_phrases import PhraseReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from explorer.language.noun_phrases import Phrase
    from explorer.language.pipeline import Doc, Token

_NEAR = 8  # sentences: a short mention refers to a longer one no further back
_FAR = 40  # sentences: the same for a thing that has a name of its own, and was called what the mention says
_OF_KIND = 3  # sentences: “the company” refers to a company no further back
_PRONOUNS = {"it": 2, "they": 2, "he": 6, "she": 6}  # sentences, likewise
_MASSES = frozenset(
    "pressure temperature voltage energy power heat current level rate amount quantity oxygen water air "
    "fuel gas hydrogen speed weight mass time fire light failure loss rise change use work result "
    "decision".split()
)  # never short for a longer name
_KINDS = {
    "PERSON": "person", "ORG": "organisation", "NORP": "group", "GPE": "place", "LOC": "place", "FAC": "place",
    "WORK_OF_ART": "work",
}  # fmt: skip
_NOUNS = {
    "person": "man woman boy girl person actor actress singer songwriter musician composer rapper guitarist drummer "
    "bassist pianist writer author novelist poet playwright journalist director filmmaker producer screenwriter "
    "politician president senator governor mayor king queen emperor prince princess duke general admiral captain "
    "soldier officer lawyer judge scientist physicist chemist biologist mathematician engineer inventor philosopher "
    "historian architect painter artist sculptor player footballer golfer boxer wrestler coach athlete astronaut "
    "pilot commander bishop priest pope saint businessman entrepreneur wife husband father mother son daughter "
    "brother sister professor teacher student model dancer comedian host economist activist",
    "organisation": "company firm corporation manufacturer contractor subcontractor supplier agency "
    "organization organisation institution university "
    "college school bank airline studio publisher label network station newspaper magazine club party government "
    "ministry committee commission council board association federation society foundation league union",
    "group": "band group team crew orchestra ensemble duo trio quartet squad regiment brigade battalion family tribe",
    "place": "city town village country county state province district municipality kingdom republic empire nation "
    "settlement suburb neighborhood neighbourhood borough community area locality hamlet",
    "work": "film movie book novel song single album record series show sitcom play musical opera poem story game "
    "episode painting documentary",
}
_KIND_OF = {noun: kind for kind, nouns in _NOUNS.items() for noun in nouns.split()}
_ALIKE = {"organisation": {"organisation", "group"}, "group": {"organisation", "group"}}
_ANY_ORGANISATION = frozenset(
    "company firm corporation manufacturer contractor subcontractor supplier agency organization organisation "
    "institution".split()
)  # any may be meant; “the school” is none whose name says nothing of a school
_COMPANY = frozenset("aircraft aerospace corporation corp company co inc ltd limited group industries".split())
_SHORT = re.compile(r"\(([A-Z][A-Za-z]{0,2}[A-Z]{1,4}s?)\)")
_BRACKETS = re.compile(r"\s*\([^()]*\)$")
_HE, _SHE, _IT, _THEY = (
    frozenset(words.split()) for words in ("he him his", "she her hers", "it its", "they them their theirs")
)
_FEWEST = 4  # letters of a name that a description may stand before: “lunar module Aquarius”, unlike “valve A”
_SMALL = frozenset("of the and a an in on for to at by with de la le von van der du".split())
_LONG_TITLE = 6  # words: a longer title names no one thing


class Reference(NamedTuple):
    """A mention as written, the name it stands for, and the rule it was read by: a term of the vocabulary."""

    written: str
    name: str
    rule: str


@dataclass(slots=True, eq=False)
class Thing:
    """What a document speaks of: its name, what else it is called, and where it was last spoken of."""

    name: str
    kind: str = ""
    is_proper: bool = False
    is_plural: bool = False
    gender: str = ""
    called: set[str] = field(default_factory=set)
    last: int = 0

    def is_of(self, kind: str) -> bool:
        """Whether this is of a kind, as far as known."""
        return self.kind in _ALIKE.get(kind, {kind})

    @property
    def is_company(self) -> bool:
        """Whether the name ends as those of companies do."""
        return self.name.lower().rsplit(maxsplit=1)[-1].strip(".") in _COMPANY

    def is_called(self, kind: str) -> bool:
        """Whether its name or what was said of it makes it one of a kind."""
        return (kind == "organisation" and self.is_company) or any(_KIND_OF.get(noun) == kind for noun in self.called)


class _Mention(NamedTuple):
    thing: Thing
    token: Token
    is_subject: bool


class References:
    """The things of one document, as its sentences are read."""

    def __init__(self, title: str, text: str) -> None:
        self._title = _BRACKETS.sub("", title).strip()
        self._about = _subject_of(self._title, text)
        self._things: dict[str, Thing] = {}
        self._aliases: dict[str, tuple[Thing, str]] = {}
        self._topic: Thing | None = None
        self._titled = self._from_title()
        self._recent: deque[list[_Mention]] = deque(maxlen=_NEAR)
        self._number = 0

    def _from_title(self) -> Thing | None:
        """Return what a short title in capitals names, which the text may call by its last word: “the island”."""
        words = self._title.partition(",")[0].split()
        if not 0 < len(words) <= _LONG_TITLE or any(w[0].islower() and w not in _SMALL for w in words):
            return None
        words = words[1:] if len(words) > 1 and words[0] in {"The", "A", "An"} else words  # as in a label
        thing = Thing(" ".join(words), is_proper=True, called={words[-1].lower()} if len(words) > 1 else set())
        return self._things.setdefault(thing.name.lower(), thing)

    def read(self, doc: Doc, words: dict[int, str]) -> dict[int, Reference]:
        """Return what the mentions of a sentence stand for, by their place.

        `words`, what tokens read as in a label, gets what stands inside another name: “Jim Lovell's” for “his”.
        """
        self._number += 1
        if self._number % _FAR == 0:
            self._forget()
        if "(" in doc.text:
            self._abbreviations(doc.text)
        if self._number == 1 and self._titled is not None and self._opens(doc.text, self._titled.name):
            self._topic = self._titled
        reader = PhraseReader(words)
        here: list[_Mention] = []
        found: dict[int, Reference] = {}
        roots = {chunk.root.i for chunk in doc.noun_chunks}
        for token in doc:
            thing = None
            if token.tag_ in {"PRP", "PRP$"}:
                thing = self._antecedent(token, here)
                if thing is not None:
                    found[token.i] = Reference(token.text, thing.name, "byPronoun")
                    if token.tag_ == "PRP$":
                        words[token.i] = f"{thing.name}'" if thing.name.endswith("s") else f"{thing.name}'s"
            elif (token.pos_ == "PROPN" or self._is_part(token)) and (token.i in roots or token.dep_ == "poss"):
                thing = self._named(token, reader, words, found)
            elif token.pos_ == "NOUN" and token.i in roots:
                thing = self._described(token, reader, found)
            if thing is not None:
                thing.last = self._number
                here.append(_Mention(thing, token, token.dep_ in {"nsubj", "nsubjpass"}))
        self._learn(doc, here)
        if self._number == 1 and self._topic is not None:
            self._learn_topic(doc, here)
        self._recent.append(here)
        return found

    def _forget(self) -> None:
        """Forget what is too far back to be meant, so that a long document takes no longer for each sentence."""
        kept = (self._topic, self._titled)
        self._things = {
            name: thing for name, thing in self._things.items()
            if self._number - thing.last <= _FAR or thing.kind == "person" or thing.is_company or thing in kept
        }  # fmt: skip

    def _opens(self, text: str, name: str) -> bool:
        """Whether a document's first sentence is about what its title names."""
        start = re.sub(r"^\W*(?:The |A |An )?", "", text)
        return start.lower().startswith(re.sub(r"^(?:The|A|An) ", "", name).lower())

    def _is_part(self, token: Token) -> bool:
        """Whether a word with a capital is the last name of somebody known, taken for a common noun by the parser."""
        word = token.lower_
        return token.pos_ == "NOUN" and token.text.istitle() and any(
            thing.kind == "person" and thing.name.lower().endswith(f" {word}") for thing in self._things.values()
        )  # fmt: skip

    def _named(
        self, token: Token, reader: PhraseReader, words: dict[int, str], found: dict[int, Reference]
    ) -> Thing | None:
        """Return the thing with a proper name, known or new."""
        phrase = reader.phrase(token)
        if phrase is None or not phrase.is_entity:
            return None
        description, name = _apart(token, phrase, reader) if token.pos_ == "PROPN" else ("", token.text)
        kind = _KINDS.get(token.ent_type_, "")
        rule = "byDescription" if description else ""
        known = self._things.get(name.lower())
        if known is None:
            known, other = self._known_otherwise(token, name, kind)
            rule = other or rule
        if known is None:
            known = self._things[name.lower()] = Thing(name, kind, is_proper=True, is_plural=token.tag_ == "NNPS")
            *before, last = name.lower().split()
            if before and known.is_company:
                known.kind = "organisation"
            if kind != "person" and before:
                known.called.add(last)
            if token.lower_ != last and kind != "person":
                known.called.add(token.lower_)  # “University of Michigan”
        known.kind = known.kind or kind
        if description:
            known.called |= {description.lower(), description.lower().rsplit(maxsplit=1)[-1]}
        if rule and known.name != phrase.label:
            found[token.i] = Reference(phrase.label, known.name, rule)
            if phrase.label == token.text:
                words[token.i] = known.name
        return known

    def _known_otherwise(self, token: Token, name: str, kind: str) -> tuple[Thing | None, str]:
        """Return the thing that another form of its name stands for, and by which rule."""
        if alias := self._aliases.get(name):
            return alias
        if self._number == 1 and self._topic is None and self._titled and token.dep_ in {"nsubj", "nsubjpass"}:
            mine, its = name.split(), self._titled.name.split()
            alike = len(its) > 1 and len(mine) > 1 and mine[-1] == its[-1] and not set(its + mine) & _SMALL
            also = re.search(
                rf"\b(?:called|named|as|nicknamed) [\"“']?{re.escape(self._titled.name)}\b", token.doc.text
            )
            if alike or also:
                self._topic = self._titled
                self._topic.kind = self._topic.kind or kind
                self._aliases[name] = self._topic, "byTitle"
                return self._topic, "byTitle"
        if " " in name or not name[:1].isupper():
            return None, ""
        short = name.lower()
        people = [t for t in self._things.values() if t.kind == "person" and short in _ends(t.name)]
        if kind in {"", "person", "organisation", "place"} and people:
            latest = max(t.last for t in people)
            nearest = [t for t in people if t.last == latest]
            if len(nearest) == 1 and (kind in {"", "person"} or short == nearest[0].name.lower().split()[-1]):
                return nearest[0], "byPartOfName"
        firms = [
            t for t in self._things.values() if t.is_proper and t.is_company and t.name.lower().startswith(f"{short} ")
        ]
        return (firms[0], "byPartOfName") if len(firms) == 1 else (None, "")

    def _described(self, token: Token, reader: PhraseReader, found: dict[int, Reference]) -> Thing | None:
        """Return the thing that a common noun stands for: one known, or one that may be spoken of again."""
        phrase = reader.phrase(token)
        if phrase is None or not phrase.is_entity:
            return None
        label = phrase.label.lower()
        behind = grammar.name_behind(token)
        thing = self._by_name(behind, reader) if behind is not None else None
        if thing is not None:
            found[token.i] = Reference(phrase.label, thing.name, "byDescription")
            thing.called |= {label, token.lower_}
            return thing
        if self._topic is None and self._number == 1 and label == self._title.lower():
            self._topic = self._things[label] = Thing(phrase.label, _KIND_OF.get(label, "thing"))
            return self._topic
        role = token.dep_ == "pobj" and token.head.lower_ == "as"
        is_said = role or token.dep_ in {"attr", "oprd", "appos"}  # what something else is said to be
        is_said |= any(c.dep_ in {"acl", "relcl"} for c in token.rights)  # “the object denoted by …” is one of its own
        if phrase.is_definite and label not in _MASSES and not phrase.is_capitalised and not is_said:
            known, rule, is_unclear = self._called(label, phrase)
            if known is not None:
                found[token.i] = Reference(phrase.label, known.name, rule)
                return known
            if phrase.is_bare and (is_unclear or label in _KIND_OF) and self._about:
                name = f"{phrase.label} ({self._about})"
                found[token.i] = Reference(phrase.label, name, "byDocument")
                return self._thing(name, token, label)
        is_one = phrase.is_definite and " of " in label and not phrase.is_counted
        name = phrase.label if is_one else phrase.name
        return self._thing(name or phrase.label, token, "", is_name=bool(name))

    def _by_name(self, token: Token, reader: PhraseReader) -> Thing | None:
        """Return the thing with the name that a token heads, made if it is new."""
        phrase = reader.phrase(token)
        if phrase is None or not phrase.is_entity:
            return None
        kind = _KINDS.get(token.ent_type_, "")
        known = self._things.get(phrase.label.lower()) or self._known_otherwise(token, phrase.label, kind)[0]
        return known or self._things.setdefault(phrase.label.lower(), Thing(phrase.label, kind, is_proper=True))

    def _thing(self, name: str, token: Token, called: str, *, is_name: bool = True) -> Thing:
        """Return the thing with this name, made if it is new; what is no name is called nothing shorter."""
        thing = self._things.get(name.lower())
        if thing is None:
            kind = _KIND_OF.get(token.lower_, "thing")
            thing = self._things[name.lower()] = Thing(name, kind, is_plural=token.tag_ == "NNS")
            base = re.sub(r"(?:\s+no\.)?\s+\d+$", "", name.lower())
            head = base.partition(" of ")[0].rsplit(maxsplit=1)[-1] if base else ""
            if " " in name and is_name:
                thing.called = {head, base} - {name.lower(), ""}
            if called:
                thing.called.add(called)
        return thing

    def _called(self, label: str, phrase: Phrase) -> tuple[Thing | None, str, bool]:
        """Return the thing nearby that “the …” stands for, the rule, and whether there were several."""
        there = [
            thing for thing in self._things.values()
            if label in thing.called and thing.name.lower() != label
            and self._number - thing.last <= (_FAR if thing.is_proper else _NEAR)
        ]  # fmt: skip
        if there:
            rule = "byDescription" if there[0].is_proper else "byLongerName"
            one = self._nearest(there)
            if one is not None:
                return one, "byDescription" if one.is_proper else "byLongerName", False
            return None, rule, True
        kind = _KIND_OF.get(label, "")
        if kind not in {"organisation", "place", "work"} or not phrase.is_bare:
            return None, "", False
        fitting = [
            t for t in self._things.values()
            if t.is_proper and (t.is_of(kind) or t.is_called(kind)) and not t.name[-1].isdigit()
            and _KIND_OF.get(t.name.lower().rsplit(maxsplit=1)[-1]) in {None, "group"}  # “the company” is no board
            and (self._number - t.last <= _OF_KIND or t is self._topic)
            and (t is self._topic or _may_be(t.name, label, kind))
        ]  # fmt: skip
        sure = [t for t in fitting if t.is_called(kind)]
        if self._topic in fitting and (self._topic in sure or not sure or kind == "place"):
            return self._topic, "byKind", False
        return self._nearest(sure or fitting), "byKind", len(fitting) > 1

    def _nearest(self, things: list[Thing]) -> Thing | None:
        """Return the one that was spoken of last; where several were, the document's subject or none."""
        latest = max((thing.last for thing in things), default=0)
        nearest = [thing for thing in things if thing.last == latest]
        if len(nearest) > 1 and self._recent:
            subjects = [m.thing for m in self._recent[-1] if m.is_subject and m.thing in nearest and m.thing.is_proper]
            nearest = subjects[:1] or nearest
        if len(nearest) == 1:
            return nearest[0]
        return next((thing for thing in nearest if thing is self._topic), None)

    def _antecedent(self, token: Token, here: list[_Mention]) -> Thing | None:
        """Return what a pronoun stands for: a subject before it that agrees, the nearest first."""
        word = token.lower_
        which = next((key for key, words in zip(("he", "she", "it", "they"), (_HE, _SHE, _IT, _THEY), strict=True)
                      if word in words), None)  # fmt: skip
        if which is None or (which == "it" and grammar.is_expletive(token)):
            return None
        owned = token.tag_ == "PRP$"
        verb = _clause(token)
        if owned and not here and (ahead := self._ahead(verb, token, which)):
            return ahead
        one = next(
            (m.thing for m in reversed(here) if m.is_subject and _agrees(m.thing, which)
             and (owned or token.dep_ in {"nsubj", "nsubjpass"} or _clause(m.token) != verb)
             and (owned or m.token.head != token.head)), None,
        )  # fmt: skip
        if one is None and owned:
            fit = {m.thing.name: m.thing for m in here if _agrees(m.thing, which)}
            one = next(iter(fit.values())) if len(fit) == 1 else None
        taken = {m.thing.name for m in here if m.is_subject and m.token.head == token.head and not owned}
        for back, mentions in enumerate(reversed(self._recent), 1):
            if one is not None or back > _PRONOUNS[which]:
                break
            fitting = [m for m in mentions if _agrees(m.thing, which) and m.thing.name not in taken]
            others = {m.thing.name: m.thing for m in fitting if m.thing.is_proper or which == "it"}
            subjects = [m.thing for m in fitting if m.is_subject]
            one = subjects[0] if subjects else next(iter(others.values())) if len(others) == 1 else None
        if one is None and self._topic is not None and _agrees(self._topic, which) and which != "they":
            one = self._topic if self._topic.name not in taken else None
        if one is not None and which in {"he", "she"}:
            one.gender, one.kind = which, one.kind if one.kind == "person" or not one.is_proper else "person"
        return one

    def _ahead(self, verb: Token, token: Token, which: str) -> Thing | None:
        """Return the named subject behind an owner that begins its sentence: “After his return Lovell …”."""
        subject = next((c for c in verb.children if c.dep_ in {"nsubj", "nsubjpass"} and c.i > token.i), None)
        if subject is None or subject.pos_ != "PROPN" or token.head.i == subject.i:
            return None
        thing = self._by_name(subject, PhraseReader({}))
        return thing if thing is not None and _agrees(thing, which) else None

    def _learn(self, doc: Doc, here: Iterable[_Mention]) -> None:
        """Remember what named things are said to be: “Palo Alto is a film”, “Aquarius, the lunar module”."""
        by_place = {m.token.i: m.thing for m in here}
        for token in doc:
            if token.pos_ != "NOUN" or token.dep_ not in {"attr", "appos", "conj"}:
                continue
            for subject in grammar.described(token) if token.dep_ != "appos" else [token.head]:
                thing = by_place.get(subject.i)
                if thing is not None and thing.is_proper and subject.i != token.i:
                    compound = [t.text for t in token.lefts if t.dep_ in {"compound", "amod"} and t.pos_ != "PROPN"]
                    thing.called |= {token.lower_, " ".join([*compound, token.text]).lower()}
                    thing.kind = _KIND_OF.get(token.lower_, thing.kind)

    def _learn_topic(self, doc: Doc, here: Iterable[_Mention]) -> None:
        """Remember of a title like “All You Need Is Love”, which is parsed as a clause, what it is."""
        topic = self._topic
        if topic is None or any(m.thing is topic for m in here):
            return
        for mention in here:
            if mention.is_subject and mention.thing.name.lower() in topic.name.lower():
                self._things[mention.thing.name.lower()] = topic
        nouns = [t for t in doc if t.dep_ == "attr" and t.pos_ == "NOUN"]
        for noun in nouns[:1]:
            topic.called.add(noun.lower_)
            topic.kind = _KIND_OF.get(noun.lower_, topic.kind)

    def _abbreviations(self, text: str) -> None:
        """Remember short forms in brackets behind the words they are made of: “command service module (CSM)”."""
        for match in _SHORT.finditer(text):
            letters = match[1].rstrip("s").lower()
            words = re.findall(r"[\w’'.-]+", text[: match.start()])
            taken: list[str] = []
            rest = letters
            while words and rest and len(taken) < 2 * len(letters):
                word = words.pop()
                taken.insert(0, word)
                if word[0].lower() == rest[-1]:
                    rest = rest[:-1]
                elif word.lower() not in {"and", "of", "the", "for", "in", "on", "&"}:
                    break
            if not rest and taken:
                name = " ".join(taken)
                thing = self._things.get(name.lower())
                if thing is None:
                    thing = self._things[name.lower()] = Thing(name, is_proper=True, last=self._number)
                self._aliases[match[1]] = thing, "byAbbreviation"


def _apart(token: Token, phrase: Phrase, reader: PhraseReader) -> tuple[str, str]:
    """Return the description before a proper name, and the name: “lunar module”, “Aquarius”."""
    core = reader.core_words(token)
    first = next((place for place, t in enumerate(core) if t.pos_ == "PROPN"), 0)
    before, name = core[:first], core[first:]
    is_name = len(name) > 1 or (len(name[0].text) >= _FEWEST and name[0].text.istitle()) if name else False
    if not is_name or not any(t.pos_ == "NOUN" for t in before) or any(t.pos_ not in {"NOUN", "ADJ"} for t in before):
        return "", phrase.label
    if before[-1].pos_ != "NOUN" or before[-1].tag_ != "NN" or any(t.pos_ not in {"PROPN", "NUM"} for t in name):
        return "", phrase.label
    described = reader.text(before)
    return described, phrase.label.removeprefix(described).strip()


def _may_be(name: str, noun: str, kind: str) -> bool:
    """Return whether something with a name may be what a noun of a kind says, as far as the name tells."""
    return kind != "organisation" or noun in _ANY_ORGANISATION or noun in name.lower().split()


def _ends(name: str) -> set[str]:
    """Return the first and last word of a name of several."""
    words = name.lower().split()
    return {words[0], words[-1]} if len(words) > 1 else set()


def _agrees(thing: Thing, which: str) -> bool:
    """Whether a pronoun can stand for a thing: in number, and as a person or none."""
    if which == "they":
        return thing.is_plural or thing.kind in {"organisation", "group"}
    if thing.is_plural:
        return False
    if which == "it":
        return thing.kind != "person"
    return (thing.kind == "person" or (thing.is_proper and thing.kind == "")) and thing.gender in {"", which}


def _clause(token: Token) -> Token:
    """Return the verb that a token belongs to."""
    while token.pos_ not in {"VERB", "AUX"} and token.head.i != token.i:
        token = token.head
    return token


def _subject_of(title: str, text: str) -> str:
    """Return the name in a title that its text uses most; a short title without one stands for itself."""
    words = title.replace(":", " ").split()
    runs: dict[str, int] = {}
    for start in range(len(words)):
        for end in range(start + 1, min(start + 4, len(words)) + 1):
            run = " ".join(words[start:end])
            if words[start][:1].isupper() and (words[end - 1][:1].isupper() or words[end - 1].isdigit()):
                times = len(re.findall(rf"(?<=[a-z,] ){re.escape(run)}\b", text))
                if times > 1 and run.lower() not in text:
                    runs[run] = times * (end - start)
    if runs:
        return max(runs, key=lambda run: (runs[run], len(run)))
    return title if len(words) <= _LONG_TITLE else ""


def references(found: Mapping[int, Reference], phrase: Phrase) -> Iterator[Reference]:
    """Yield what was read as another name in a phrase."""
    for place in dict.fromkeys((phrase.head, *phrase.replaced)):
        reference = found.get(place)
        if reference is not None and reference.name.lower() in phrase.label.lower():
            yield reference
