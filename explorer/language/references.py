"""What the mentions in a document stand for: pronouns, parts of names, and the name that its title has.

Sentences are read in order, and a mention leans on what was said before it; where that is not clear it stands for
nothing. Each mention that is read as another name keeps its own words and the rule it was read by.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from explorer.language import grammar
from explorer.language.noun_phrases import PhraseReader

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from explorer.language.noun_phrases import Phrase
    from explorer.language.pipeline import Doc, Token

_FAR = {"it": 2, "they": 2, "he": 6, "she": 6}  # sentences: a pronoun refers no further back
_FORMS = {
    "he": "he", "him": "he", "his": "he", "she": "she", "her": "she", "hers": "she", "it": "it", "its": "it",
    "they": "they", "them": "they", "their": "they", "theirs": "they",
}  # fmt: skip
_SUBJECTS = frozenset({"nsubj", "nsubjpass"})
_NAMES = {"": "thing", "PERSON": "person", "ORG": "many", "NORP": "many"}
_MOST = 500  # people of a document whose last names are known
_BRACKETS = re.compile(r"\s*\([^()]*\)$")
_IN_BRACKETS = re.compile(r"(\w+)\)$")  # “Madonna (book)”
_LONG_TITLE = 8  # words: a longer title names no one thing


class Reference(NamedTuple):
    """A mention as written, the name it stands for, and the rule it was read by: a term of the vocabulary."""

    written: str
    name: str
    rule: str


@dataclass(slots=True, eq=False)
class Thing:
    """What a document speaks of: its name, whether it is a person, one or many, and of which gender, as far as known.

    `kind`: "person", "many" of a firm or group, "thing" of what is none, or nothing where that is not known.
    """

    name: str
    kind: str = ""
    is_plural: bool = False
    is_proper: bool = False
    gender: str = ""

    def agrees(self, form: str) -> bool:
        """Whether a pronoun can stand for this: in number, and as a person or none."""
        if form == "they":
            return self.is_plural or self.kind == "many"
        if self.is_plural:
            return False
        if form == "it":
            return self.kind != "person"
        return self.kind in {"person", ""} and self.gender in {"", form}


class _Mention(NamedTuple):
    thing: Thing
    token: Token
    is_subject: bool


class References:
    """The things of one document, as its sentences are read."""

    def __init__(self, title: str) -> None:
        words = _BRACKETS.sub("", title).partition(",")[0].split()
        is_name = 0 < len(words) <= _LONG_TITLE and all(word[0].isupper() or len(word) <= 3 for word in words)
        words = words[1:] if len(words) > 1 and words[0] in {"The", "A", "An"} else words  # as in a label
        self._title = Thing(" ".join(words), is_proper=True) if is_name else None
        self._topic: Thing | None = None
        self._called = {words[-1].lower()} if is_name and len(words) > 1 else set[str]()
        self._called |= {one.lower() for one in _IN_BRACKETS.findall(title)}
        self._things: dict[str, Thing] = {}
        self._recent: deque[Sequence[_Mention]] = deque(maxlen=max(_FAR.values()))
        self._is_first = True

    def read(self, doc: Doc, words: dict[int, str]) -> dict[int, Reference]:
        """Return what the mentions of a sentence stand for, by their place.

        `words`, what tokens read as in a label, gets what stands inside another name: “Jim Lovell's” for “his”.
        """
        reader, here, found = PhraseReader(words), list[_Mention](), dict[int, Reference]()
        roots = {chunk.root.i for chunk in doc.noun_chunks}
        if self._is_first and self._title is not None and _opens(doc.text, self._title.name):
            self._topic = self._title
        for token in doc:
            thing = None
            if token.tag_ in {"PRP", "PRP$"}:
                thing = self._meant(token, here)
                if thing is not None:
                    found[token.i] = Reference(token.text, thing.name, "byPronoun")
                    if token.tag_ == "PRP$":
                        words[token.i] = f"{thing.name}'" if thing.name.endswith("s") else f"{thing.name}'s"
            elif token.i in roots or (token.dep_ == "poss" and token.pos_ == "PROPN"):
                phrase = reader.phrase(token)
                if phrase is not None and phrase.is_entity:
                    thing = self._named(token, phrase)
                    if thing.name != phrase.label:
                        rule = "byTitle" if thing is self._title else "byPartOfName"
                        found[token.i] = Reference(phrase.label, thing.name, rule)
                        if phrase.label == token.text:
                            words[token.i] = thing.name
            if thing is not None:
                here.append(_Mention(thing, token, token.dep_ in _SUBJECTS))
        if self._is_first and self._topic is not None:  # “Palo Alto is a film” may go on with “the film”
            self._called |= {token.lower_ for token in doc if token.dep_ == "attr"}
        self._recent.append(here)
        self._is_first = False
        return found

    def _named(self, token: Token, phrase: Phrase) -> Thing:
        """Return the thing that a noun stands for, known or new: a person by a part of the name."""
        label, is_proper = phrase.label, token.pos_ == "PROPN"
        kind = _NAMES.get(token.ent_type_, "thing") if is_proper else "thing"
        if is_proper and token.ent_type_ == "":
            kind = ""
        known = self._things.get(label.lower())
        if known is None and is_proper and " " not in label:
            known = self._things.get(f"…{label.lower()}")
        if known is None and self._is_first and self._topic is None and self._title is not None and is_proper:
            mine, its = label.split(), self._title.name.split()
            is_alike = len(mine) > 1 and len(its) > 1 and mine[-1] == its[-1]
            is_also = f" as {self._title.name}" in token.doc.text
            if token.dep_ in _SUBJECTS and (is_alike or is_also):
                known = self._topic = self._things[label.lower()] = self._title
        is_it = label.lower() in self._called and phrase.is_definite and not is_proper
        if known is None and self._title is not None and (is_it or self._title.name.lower() == label.lower()):
            known = self._title
        if known is None:
            known = Thing(label, kind, token.tag_ in {"NNS", "NNPS"}, is_proper)
            if len(self._things) < _MOST and is_proper:
                self._things[label.lower()] = known
        known.kind = known.kind or kind
        if known.kind == "person" and " " in known.name and len(self._things) < _MOST:
            for part in known.name.lower().split()[:: max(1, len(known.name.split()) - 1)]:
                self._things[f"…{part}"] = known
        return known

    def _meant(self, token: Token, here: Sequence[_Mention]) -> Thing | None:
        """Return what a pronoun stands for: a subject before it that agrees, the nearest first."""
        form, is_owner = _FORMS.get(token.lower_, ""), token.tag_ == "PRP$"
        if not form or (form == "it" and grammar.is_expletive(token)):
            return None
        before = [
            m for m in here if m.thing.agrees(form) and (is_owner or (m.token.head != token.head and m.is_subject))
        ]
        taken = {m.thing.name for m in here if m.token.head == token.head and not is_owner}
        one = next((m.thing for m in reversed(before) if m.is_subject), None)
        if one is None and len({m.thing.name for m in before}) == 1:
            one = before[0].thing
        for back, mentions in enumerate(reversed(self._recent), 1):
            if one is not None or back > _FAR[form]:
                break
            fitting = [m for m in mentions if m.thing.agrees(form) and m.thing.name not in taken]
            others = {m.thing.name: m.thing for m in fitting if m.thing.is_proper or form == "it"}
            subjects = [m.thing for m in fitting if m.is_subject]
            one = subjects[0] if subjects else next(iter(others.values())) if len(others) == 1 else None
        if one is None and self._topic is not None and form != "they" and self._topic.agrees(form):
            one = self._topic if self._topic.name not in taken else None
        if one is not None and form in {"he", "she"}:
            one.gender, one.kind = form, "person"
        return one


def _opens(text: str, name: str) -> bool:
    """Whether a document's first sentence is about what its title names."""
    start = re.sub(r"^\W*(?:The |A |An )?", "", text)
    return start.lower().startswith(re.sub(r"^(?:The|A|An) ", "", name).lower())


def references(found: Mapping[int, Reference], phrase: Phrase) -> Iterator[Reference]:
    """Yield what was read as another name in a phrase."""
    for place in dict.fromkeys((phrase.head, *phrase.replaced)):
        reference = found.get(place)
        if reference is not None and reference.name.lower() in phrase.label.lower():
            yield reference
