"""Antecedents: what the pronouns of a question's part stand for, as its earlier parts name it.

A phrase is put for a pronoun only where one fits; else the pronoun stays, with likely names after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from explorer.reasoning.rules.openings import (
    ARTICLES,
    ATTRIBUTES,
    AUXILIARY,
    BASE_AFTER,
    BASES,
    CLEAR,
    KNOWING,
    LINKING,
    MAKING,
    ORDERS,
    PREPOSITIONS,
    Word,
    begins_name,
    is_plural,
    is_quoted,
    is_verb,
    kind_of,
    kind_of_name,
    name_end,
    noun_end,
    words,
)

PRONOUN = re.compile(r"\b(he|she|it|they|him|her|them|his|its|their)\b", re.IGNORECASE)
_KINDS = {
    "person": re.compile(r"\b(he|she|him|his|her)\b", re.IGNORECASE),
    "thing": re.compile(r"\b(it|its)\b", re.IGNORECASE),
    "several": re.compile(r"\b(they|them|their)\b", re.IGNORECASE),
}
_EMPTY = re.compile(r"\bit (?:true|likely|possible|clear|known|take|took|that|rain)\b|\btak\w+ it\b", re.IGNORECASE)
_POINTING = re.compile(
    r"\b(?:this|these|those)\b|\b(?:is|was|does|did|do|has|had|will|would|can|could) that\b|\bthat[?.!\s]*$"
    r"|\bwhich (?:one )?(?:is|was|are|were) (?:more|less|worse|\w+er)\b",
    re.IGNORECASE,
)
_POSSESSIVES = frozenset("his its their".split())
_FIRMS = frozenset(
    "builder maker manufacturer owner producer supplier operator publisher developer employer contractor distributor "
    "provider designer seller buyer sponsor carrier".split()
)  # that may be a company as well
_FEMALE = frozenset("wife mother daughter sister queen woman girl actress heroine widow bride aunt nun".split())
_MALE = frozenset("husband father son brother king man boy groom uncle monk pope".split())
_EMPTY_HEADS = frozenset("name kind type sort identity".split())  # a pronoun means what has these, not these
_MEASURES = frozenset("year day date month week time hour century decade age extent way part".split())
_NAMES = 3  # that are put in brackets where it is not clear what a pronoun stands for
_LONGEST_ASKED = 16  # words
_LONGEST = 12  # words of a phrase
_AFTER_OBJECT = PREPOSITIONS | frozenset("and or but when where why how then".split())
_RELATIVE = frozenset("that which who whom whose where".split())
_LEADS = ORDERS | KNOWING | frozenset("me us out".split())


@dataclass(frozen=True, slots=True)
class _Phrase:
    """What a part names: a "person", a "thing", "several", or by a "name" a person or a thing.

    `sure`: its words can be put for a pronoun; `held`: it stands after a preposition; `of`: the kind of what it
    belongs to; `proper`: it is a name; `bare`: it has no article.
    """

    text: str
    kind: str
    end: int
    head: str = ""
    sure: bool = True
    held: bool = False
    of: str = ""
    proper: bool = False
    bare: bool = False


_Known = dict[str, list[_Phrase]]


@dataclass(frozen=True, slots=True)
class Antecedents:
    """What the parts so far have named, the latest last."""

    mentioned: tuple[_Known, ...] = ()

    def after(self, part: str) -> Antecedents:
        """Return the antecedents for the part after this one."""
        found = mentioned(part)
        for kind in _KINDS:
            before = self._latest(kind)[:1]
            again = before if before and before[0].sure and before[0].text in part else []
            found[kind] = [
                again[0] if again and phrase.text and again[0].text.startswith(phrase.text) else phrase
                for phrase in found[kind]
            ]
        return Antecedents((*self.mentioned, found))

    def resolved(self, part: str) -> str:
        """Replace the first pronoun of each kind by a name; where none is clear append the likely ones in brackets."""
        likely = [*self._any()] if _POINTING.search(part) else []
        used: set[str | None] = set()  # a person is no thing
        for kind, match in _open(part):
            named = self._latest(kind)
            name = None if _EMPTY.search(part) else _one(named, match[0].lower())
            name = None if name in used else name
            at = _KINDS[kind].search(part)  # what was put before has moved it
            put = _put(part, at, name) if name and at else None
            used |= {name} if put else set()
            likely += [] if put else self._likely(named)
            part = put or part
        return with_names(part, [phrase.text for phrase in likely])

    def _latest(self, kind: str) -> list[_Phrase]:
        return next((found for earlier in reversed(self.mentioned) if (found := earlier[kind])), [])

    def _likely(self, mentioned: list[_Phrase]) -> list[_Phrase]:
        named = [phrase for phrase in mentioned if not _is_owned(phrase)]
        return named if any(" " in phrase.text or phrase.proper for phrase in named) else [*named, *self._any()]

    def _any(self) -> list[_Phrase]:
        return next((found for earlier in self.mentioned if (found := earlier["any"])), [])


def with_names(text: str, found: Sequence[str]) -> str:
    """Return a question with names in brackets at its end, so that a search finds them; not those it has."""
    names = [*dict.fromkeys(found)]
    new = [
        name for name in names
        if name.lower() not in text.lower() and not any(name in other for other in names if other != name)
    ][:_NAMES]  # fmt: skip
    if not new:
        return text
    bare = text.rstrip("?.! ")
    return f"{bare} ({', '.join(new)}){text[len(bare) :].strip() or '?'}"


def is_open(text: str) -> bool:
    """Return whether a text speaks by a pronoun of something that it does not name itself."""
    return _POINTING.search(text) is not None or next(_open(text), None) is not None


def mentioned(part: str) -> _Known:
    """Read what a part names: what a pronoun of each kind may stand for, and "any"."""
    part = part.lower() if part.isupper() else part
    found = words(part)
    phrases = list(_PhraseReader(part, found).phrases())
    pairs = [replace(p, sure=False) for p in phrases if p.kind == "several" and p.proper]
    people = _plain([*(p for p in phrases if p.kind in {"person", "name"} and p.of != "person"), *pairs])
    asked = _person_asked_for(part, found, people)
    things = [_doer(found, phrase) for phrase in _things(phrases)]
    if len(things) == 1 and (whole := _thing_asked_for(part, found, things[0])):
        things = [whole]
    several = [phrase for phrase in phrases if phrase.kind == "several"]
    several = [p for p in several if not p.held] or [replace(p, sure=False) for p in several]
    outer = [p for p in phrases if not p.of and p.head not in _MEASURES]
    likely = [p for p in outer if p.proper] or [p for p in outer if not p.bare] or outer
    people = [asked] if asked and asked.sure else [*([asked] if asked else []), *people]
    return {"person": people, "thing": things, "several": several, "any": likely}


def _plain(found: list[_Phrase]) -> list[_Phrase]:
    """Return what stands after no preposition; all where there is nothing else."""
    return [phrase for phrase in found if not phrase.held] or found


def _things(phrases: Sequence[_Phrase]) -> list[_Phrase]:
    """Return what "it" may stand for; a lone name is one, and what stands after a preposition is never clear."""
    firms = [replace(p, sure=False) for p in phrases if p.kind == "person" and p.head in _FIRMS]
    mixed = [replace(p, sure=False) for p in phrases if p.kind == "several" and p.proper]
    owned = [p for p in phrases if p.kind == "thing" or (p.kind == "name" and p.of == "thing")]
    owned = [p for p in [*owned, *mixed] if p.head not in _MEASURES]
    things = [p for p in owned if not p.held and not p.bare]
    if things:
        return [*things, *(firms if any(p.of for p in things) else [])]
    named = [p for p in phrases if p.kind == "name" and not p.held]
    objects = [p for p in owned if p.bare]
    return [*named, *objects, *firms] or [replace(p, sure=False) for p in phrases if p.kind in {"thing", "name"}]


def _doer(found: list[Word], phrase: _Phrase) -> _Phrase:
    """Return a name that "what did X propose" asks of as one that is not sure: "it" may be what X proposed."""
    asks = [word.lower for word in found[:2]]
    is_doer = asks[:1] == ["what"] and asks[1:] and asks[1] in BASE_AFTER and phrase.kind == "name"
    return replace(phrase, sure=False) if is_doer else phrase


def _asking(found: list[Word]) -> int | None:
    """Return where a part asks "who" or "what", unless that begins a relative clause."""
    for k, word in enumerate(found[:8]):
        if word.lower in {"who", "what"} and (k == 0 or found[k - 1].lower in _LEADS or not found[k - 1].raw.isalnum()):
            return k
        if word.raw == ",":
            return None
    return None


def _person_asked_for(part: str, found: list[Word], named: list[_Phrase]) -> _Phrase | None:
    """Return whom a part asks for: "the person who" did it, or what it says that someone was.

    With another person in it, it is not clear; what someone made is none.
    """
    at = _asking(found)
    if at is None or found[at].lower != "who" or at + 2 >= len(found) or len(found) - at > _LONGEST_ASKED:
        return None
    first, second = found[at + 1], found[at + 2]
    if first.lower in {"was", "is"} and second.lower == "the":
        nouns = [phrase for phrase in named if phrase.kind == "person"]
        return _Phrase(part[second.start :].rstrip("?.! "), "person", 0, nouns[0].head if nouns else "")
    did = is_verb(second) if first.lower in {"was", "is"} else not AUXILIARY.fullmatch(first.lower)
    if not first.raw[0].isalpha() or (first.lower in {"was", "is"} and not did and begins_name(found, at + 2)):
        return None
    if not did or any(phrase.of or first.lower not in MAKING for phrase in named):
        return _Phrase("", "person", 0, sure=False)
    return _Phrase(f"the person who {part[first.start :].rstrip('?.! ')}", "person", 0)


def _thing_asked_for(part: str, found: list[Word], only: _Phrase) -> _Phrase | None:
    """Return "the ship that sank" of "What is the ship that sank": what a part asks for with its relative clause."""
    at = _asking(found)
    if at is None or found[at].lower != "what" or at + 2 >= len(found) or len(found) - at > _LONGEST_ASKED:
        return None
    begins = found[at + 1].lower in {"is", "was"} and found[at + 2].lower == "the"
    rest = part[found[at + 2].start :].rstrip("?.! ")
    if not begins or not rest.lower().startswith(only.text.lower()) or found[only.end - 1 :][1:2] == []:
        return None
    return replace(only, text=rest, sure=True) if found[only.end].lower in _RELATIVE else None


@dataclass(frozen=True, slots=True)
class _PhraseReader:
    """Reads the names and noun phrases of a part."""

    part: str
    found: list[Word]

    def phrases(self) -> Iterator[_Phrase]:
        """Yield the phrases in order; of "the X of Y" and "X's Y" both."""
        k = 0
        while k < len(self.found):
            read = self._read(k)
            yield from read
            k = max((phrase.end for phrase in read), default=k + 1)

    def _read(self, k: int) -> list[_Phrase]:
        word = self.found[k]
        held = k > 0 and self.found[k - 1].lower in PREPOSITIONS
        if is_quoted(self.found, k):
            return [_Phrase(word.raw, "thing", k + 1, held=held, proper=True)]
        determined = word.lower in ARTICLES | _POSSESSIVES and not begins_name(self.found, k)
        if determined or begins_name(self.found, k):
            return self._with_owner(k, k + determined, held=held)
        return self._bare(k, held=held)

    def _with_owner(self, start: int, k: int, *, held: bool) -> list[_Phrase]:
        """Read a name or "the X", then the noun of "X's Y", or the Y of "the X of Y"."""
        first = self._plain(start, k, held=held)
        if first is None or first.end >= len(self.found):
            return [first] if first else []
        if self.found[first.end - 1].lower.endswith(("'s", "’s")):
            end = self._without_verb(start, first.end, noun_end(self.found, first.end))
            if end > first.end:
                owned = self._phrase_of(start, end, self.found[end - 1].lower, held=held)
                owner = replace(first, of="person" if owned.kind == "person" else "owned", end=end)
                owned = replace(owned, sure=owned.sure and first.sure and owned.head not in ATTRIBUTES)
                return [owned] if first.kind == owned.kind == "thing" else [owned, owner]
        if self.found[first.end].lower != "of" or first.proper:
            return [first]
        return self._with_of(start, first)

    def _with_of(self, start: int, first: _Phrase) -> list[_Phrase]:
        k = first.end + 1
        k += k < len(self.found) and self.found[k].lower in ARTICLES
        inner = self._plain(first.end + 1, k, held=False) if k < len(self.found) else None
        if inner is None:
            return [replace(first, sure=False)]
        end = inner.end
        if not inner.proper:
            end = self._without_verb(start, k, end)
            inner = self._phrase_of(first.end + 1, end, self.found[end - 1].lower, held=False)
        if first.head in _EMPTY_HEADS:
            return [replace(inner, held=first.held)]
        whole = self._phrase_of(start, end, first.head, held=first.held)
        return [replace(whole, sure=whole.sure and inner.sure), replace(inner, of=first.kind)]

    def _plain(self, start: int, k: int, *, held: bool) -> _Phrase | None:
        """Read a name, common words, "the Apollo spacecraft" or "the film Titanic"."""
        if k >= len(self.found):
            return None
        if begins_name(self.found, k):
            return self._name(start, k, held=held)
        end = noun_end(self.found, k)
        end = self._without_verb(start, k, end) if start < k else end
        if end == k:
            return None
        phrase = self._phrase_of(start, end, self.found[end - 1].lower, held=held)
        if end < len(self.found) and (begins_name(self.found, end) or is_quoted(self.found, end)):
            called = end + 1 if is_quoted(self.found, end) else name_end(self.found, end)[0]
            sure = phrase.kind == "person" or is_quoted(self.found, end)
            return replace(self._phrase_of(start, called, phrase.head, held=held), sure=sure, proper=True)
        return phrase

    def _name(self, start: int, k: int, *, held: bool) -> _Phrase:
        end, joints = name_end(self.found, k)
        run = self.found[k:end]
        noun = self._without_verb(start, end, noun_end(self.found, end)) if start < k else end
        owner = run[-1].lower.endswith(("'s", "’s"))
        if noun > end and not owner:  # "the Apollo spacecraft"
            phrase = self._phrase_of(start, noun, self.found[noun - 1].lower, held=held)
            return replace(phrase, sure=phrase.sure and (phrase.kind != "thing" or self._closes(noun)))
        phrase = self._phrase_of(start, end, run[-1].lower, held=held)
        clear = all(joint.split()[0] in CLEAR | {","} for joint in joints)
        kind = kind_of_name(run, joints, begun=start < k)
        return replace(phrase, kind=kind, sure=phrase.sure and (clear or kind == "several"), proper=True)

    def _bare(self, k: int, *, held: bool) -> list[_Phrase]:
        """Read "radium" of "discovered radium", and "engine" of "which engine"."""
        before, end = self.found[k - 1].lower if k else "", noun_end(self.found, k)
        if end == k:
            return []
        asked = before in {"which", "what"}
        did = before in ORDERS or (k > 0 and is_verb(self.found[k - 1]) and before not in LINKING)
        phrase = self._phrase_of(k, end, self.found[end - 1].lower, held=held)
        if phrase.head.startswith("no."):  # "tank no. 2"
            return [replace(phrase, proper=True)]
        if asked:
            return [replace(phrase, kind="thing", sure=False, held=k > 1 and self.found[k - 2].lower in PREPOSITIONS)]
        return [replace(phrase, bare=True, sure=did)] if did or held else []

    def _phrase_of(self, start: int, end: int, head: str, *, held: bool) -> _Phrase:
        """Return the phrase of some words, with "the" for "a"."""
        run = self.found[start:end]
        text = self.part[run[0].start : run[-1].end].removesuffix("'s").removesuffix("’s")
        if run[0].lower in ARTICLES and (start == 0 or not run[0].raw[0].isupper()):
            text = f"the {text.partition(' ')[2]}"
        head = head.removesuffix("'s").removesuffix("’s")
        follows = self.found[end].lower if end < len(self.found) else ""
        sure = len(run) <= _LONGEST and run[0].lower not in _POSSESSIVES and follows not in _RELATIVE
        return _Phrase(text, kind_of(head), end, head, sure and not self._may_end_in_predicate(start, end), held)

    def _may_end_in_predicate(self, start: int, end: int) -> bool:
        """Return whether the last word may not belong to it, as in "was the tank empty"."""
        two = [word.raw[0].islower() for word in self.found[max(start, end - 2) : end]] == [True, True]
        if not two or end - start < 3 or start == 0 or not AUXILIARY.fullmatch(self.found[start - 1].lower):
            return False
        asks = start > 1 and self.found[start - 2].lower in {"what", "who"}
        return not asks and self.found[start - 1].lower not in BASE_AFTER and not self._closes(end)

    def _closes(self, end: int) -> bool:
        """Return whether a verb follows."""
        return end < len(self.found) and (is_verb(self.found[end]) or bool(AUXILIARY.fullmatch(self.found[end].lower)))

    def _without_verb(self, start: int, k: int, end: int) -> int:
        """Return an end without the verb that closes what stands after "did"."""
        asks = start > 0 and self.found[start - 1].lower in BASE_AFTER - {"to"}
        after = self.found[end].lower if end < len(self.found) else ""
        closes = after in BASES or (end < len(self.found) and is_verb(self.found[end]))
        ended = self.found[end - 1].lower.startswith("no.") or after.endswith("ly") or closes
        some = end - k > 1 or (end > k and any(word.raw[0].isupper() for word in self.found[start:k]))
        return end - 1 if asks and some and not ended else end


def _open(part: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Yield the first pronoun of each kind that stands for nothing named before it in the part."""
    for kind, pattern in _KINDS.items():
        match = pattern.search(part)
        if match and not _own(part[: match.start()], kind):
            yield kind, match


def _own(before: str, kind: str) -> bool:
    """Return whether a part names before its pronoun what that may stand for."""
    kinds = {"person": {"person", "name"}, "thing": {"thing"}, "several": {"several"}}[kind]
    found = words(before)
    if found and found[0].lower in {"what", "which"} and AUXILIARY.fullmatch(found[-1].lower):
        return False  # "what colour is it"
    named = [phrase for phrase in _PhraseReader(before, found).phrases() if phrase.kind in kinds]
    opened = {k for k, word in enumerate(found) if word.lower in _RELATIVE}  # "the river that" is not what "it" is
    return any(not phrase.held and phrase.head not in _MEASURES and phrase.end not in opened for phrase in named)


def _is_owned(phrase: _Phrase) -> bool:
    return phrase.text.partition(" ")[0].lower() in _POSSESSIVES


def _one(found: list[_Phrase], pronoun: str) -> str | None:
    """Return what a pronoun stands for if only one phrase fits."""
    if len({phrase.text for phrase in found}) != 1 or not found[0].sure:
        return None
    wrong = _FEMALE if pronoun in {"he", "him", "his"} else _MALE if pronoun in {"she", "her"} else frozenset()
    return None if found[0].head in wrong else found[0].text


def _put(part: str, match: re.Match[str], name: str) -> str | None:
    """Replace a pronoun by a name; None: it would have to stand in the genitive and can't."""
    after = words(part[match.end() : match.end() + 60])[:1]
    pronoun = match[0].lower()
    followed = bool(after) and after[0].raw[0].isalnum() and after[0].lower not in _AFTER_OBJECT
    if pronoun in _POSSESSIVES or (pronoun == "her" and followed):
        long = name.startswith("the ") and any(f" {word} " in name for word in ("of", "who", "that", "and", "on", "in"))
        if len(name.split()) > 6 or (long and name[4:5].islower()) or not name[-1].isalnum():
            return None
        name = f"{name}'" if name.endswith("s") and is_plural(name) else f"{name}'s"
    return f"{part[: match.start()]}{name}{part[match.end() :]}"
