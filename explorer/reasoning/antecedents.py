"""Antecedents: what the pronouns of a question's part stand for, as its earlier parts name it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from explorer.reasoning.openings import AUXILIARY, DETERMINERS, ORDERS, PREPOSITIONS, Word, is_verb, words
from explorer.reasoning.words import STOP, is_name, is_telling

PRONOUN = re.compile(r"\b(he|she|it|they|him|her|them|his|its|their)\b", re.IGNORECASE)
_KINDS = {
    "person": re.compile(r"\b(he|she|him|his|her)\b", re.IGNORECASE),
    "thing": re.compile(r"\b(it|its)\b", re.IGNORECASE),
    "several": re.compile(r"\b(they|them|their)\b", re.IGNORECASE),
}
_EMPTY = re.compile(r"\bit (?:true|likely|possible|clear|known|take|took|that|rain)\b|\btak\w+ it\b", re.IGNORECASE)
_POINTING = re.compile(r"\b(this|these)\b", re.IGNORECASE)
_POSSESSIVES = frozenset("his its their".split())
_COLLECTIVES = frozenset("crew people police team family men women children staff".split())
_BODIES = frozenset(
    "academy agency association bank board bridge center centre church college committee company corporation council "
    "county court department institute library ministry mission module museum party program project river school "
    "society union university war".split()
)
_MODALS = frozenset("do does did can could will would shall should may might must".split())
_ROLE = re.compile(r"(?:[eo]r|ist|ian|man|ess|king|queen|president|pilot|captain|scientist|assistant)$")
_MONTHS = frozenset("January February March April May June July August September October November December".split())
_NAMES = 3  # that are put in brackets where it is not clear what a pronoun stands for
_LONGEST_ASKED = 16  # words
_AFTER_OBJECT = PREPOSITIONS | frozenset("and or but when where why how then".split())


@dataclass(frozen=True, slots=True)
class Mentioned:
    """What a part names: people, things and several ones, as phrases to put for a pronoun; and its names."""

    person: tuple[str, ...] = ()
    thing: tuple[str, ...] = ()
    several: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    def one(self, kind: str) -> str | None:
        """Give what a pronoun of a kind stands for, if only one thing fits."""
        fitting = {"person": self.person, "thing": self.thing, "several": self.several}[kind]
        return fitting[0] if len(set(fitting)) == 1 else None


@dataclass(frozen=True, slots=True)
class Antecedents:
    """What the parts so far have named, the latest last."""

    mentioned: tuple[Mentioned, ...] = ()

    def after(self, part: str) -> Antecedents:
        """Give the antecedents for the part after this one."""
        return Antecedents((*self.mentioned, mentioned(part)))

    def resolved(self, part: str, *, added: bool = True) -> str:
        """Put names for the first pronoun of each kind; where none is clear, and `added`, put them in brackets."""
        unclear = bool(_POINTING.search(part))
        for kind, pattern in _KINDS.items():
            match = pattern.search(part)
            if match is None or _own(part[: match.start()], kind):
                continue
            name = None if _EMPTY.search(part) else self._one(kind)
            put = name and _put(part, match, name)
            unclear = unclear or put is None
            part = put or part
        return with_names(part, self._names()) if unclear and added else part

    def _one(self, kind: str) -> str | None:
        for earlier in reversed(self.mentioned):
            if name := earlier.one(kind):
                return name
        return None

    def _names(self) -> tuple[str, ...]:
        return next((earlier.names for earlier in self.mentioned if earlier.names), ())


def with_names(text: str, found: tuple[str, ...] | list[str]) -> str:
    """Give a question with names in brackets at its end, so that a search finds them; not those it has."""
    new = [name for name in found if name.lower() not in text.lower()][:_NAMES]
    if not new:
        return text
    bare = text.rstrip("?.! ")
    return f"{bare} ({', '.join(new)}){text[len(bare) :].strip() or '?'}"


def has_pronoun(text: str) -> bool:
    """Say whether a text speaks of something by a pronoun."""
    return PRONOUN.search(text) is not None


def mentioned(part: str) -> Mentioned:
    """Read what a part names."""
    found = words(part)
    runs = _runs(found)
    called = [text for text, is_person in runs if is_person]
    things = [text for text, is_person in runs if not is_person]
    nouns = _noun_phrases(part, found)
    several = [noun for noun in nouns if _is_several(noun)]
    single = [noun for noun in nouns if not _is_several(noun)]
    roles = [noun for noun in single if _ROLE.search(noun.partition(" of ")[0])]
    people = [*roles, *(name for name in called if not any(name in role for role in roles))]
    bare = _bare_nouns(found)
    objects = [word.raw for word, before in bare if is_verb(before) or AUXILIARY.fullmatch(before.lower)]
    asked = _asked_for(part, found)
    return Mentioned(
        tuple([asked[1]] if asked and asked[0] == "who" else people),
        tuple([asked[1]] if asked and asked[0] == "what" else [*things, *single] or called or objects),
        tuple(several),
        tuple(
            [text.removeprefix("the ") for text, _ in runs][:_NAMES] or nouns[:1] or [word.raw for word, _ in bare[:1]]
        ),
    )


def _bare_nouns(found: list[Word]) -> list[tuple[Word, Word]]:
    """Give the telling words that may be nouns, each with the word before it."""
    return [
        (word, before)
        for before, word in pairwise(found)
        if is_telling(word.raw) and word.raw[0].isalpha() and not is_verb(word) and before.lower != "how"
        and word.lower not in ORDERS
    ]  # fmt: skip


def _asked_for(part: str, found: list[Word]) -> tuple[str, str] | None:
    """Give whom or what a part asks for: "the person who" did it, or what it says that someone or something was."""
    asked = next((k for k, word in enumerate(found) if word.lower in {"who", "what"}), None)
    if asked is None or asked + 2 >= len(found) or len(found) - asked > _LONGEST_ASKED:
        return None
    kind, first, second = found[asked].lower, found[asked + 1], found[asked + 2]
    if first.lower in {"was", "is"} and second.lower == "the":
        return kind, part[second.start :].rstrip("?.! ")
    did = is_verb(second) if first.lower in {"was", "is"} else not AUXILIARY.fullmatch(first.lower)
    if kind == "what" or not did or not first.raw[0].isalpha():
        return None
    return kind, f"the person who {part[first.start :].rstrip('?.! ')}"


def _runs(found: list[Word]) -> list[tuple[str, bool]]:
    """Give the names of a part, with "the" before them, and whether each may be a person's."""
    runs: list[list[Word]] = []
    for k, word in enumerate(found):
        starts = k == 0 or found[k - 1].raw in ".?!"
        named = is_name(word.raw) and not (starts and word.lower in STOP | ORDERS) and word.raw not in _MONTHS
        if named and runs and runs[-1][-1] is found[k - 1]:
            runs[-1].append(word)
        elif named and not word.raw[0].isdigit():
            begun = k > 0 and found[k - 1].lower == "the"
            runs.append([found[k - 1], word] if begun else [word])
    return [(_joined(run), _is_person(run)) for run in runs]


def _joined(run: list[Word]) -> str:
    text = " ".join(word.raw for word in run).removesuffix("'s").removesuffix("’s")
    return f"the {text[4:]}" if text.startswith("The ") else text


def _is_person(run: list[Word]) -> bool:
    numbered = any(word.raw[0].isdigit() for word in run)
    return run[0].lower != "the" and not numbered and run[-1].lower not in _BODIES


def _noun_phrases(part: str, found: list[Word]) -> list[str]:
    """Give the phrases of "the" and common words whose ends are clear, with "of …"; those after
    prepositions only if there are no others.
    """
    plain: list[str] = []
    after_preposition: list[str] = []
    for k, word in enumerate(found):
        if word.lower not in {"the", "a", "an"} or k + 1 >= len(found) or found[k + 1].raw[0].isupper():
            continue
        if k > 1 and found[k - 1].lower == "of":
            continue  # it belongs to what stands before
        end = _noun_end(found, k + 1)
        if k > 0 and found[k - 1].lower in _MODALS and (end >= len(found) or not _is_base(found[end])):
            end -= 1  # the verb went with it
        if end < len(found) and found[end].lower in {"that", "which", "who", "whose", "where"}:
            continue
        if end < len(found) and found[end].lower == "of":
            end = _of_end(found, end + 1)
        if end > k + 1:
            text = part[word.start : found[end - 1].end].removesuffix("'s").removesuffix("’s")
            held = k > 0 and found[k - 1].lower in PREPOSITIONS
            (after_preposition if held else plain).append(f"the {text.partition(' ')[2]}")
    return plain or after_preposition


def _noun_end(found: list[Word], k: int) -> int:
    while k < len(found) and found[k].raw[0].isalnum() and not found[k].raw[0].isupper():
        if (found[k].lower in STOP and found[k].lower not in {"first", "last"}) or is_verb(found[k]):
            break
        if found[k].lower.endswith(("'s", "’s")):
            return k + 1
        k += 1
    return k + (k < len(found) and found[k].lower.startswith("no."))


def _of_end(found: list[Word], k: int) -> int:
    """Give where the name or noun after "of" ends."""
    k += k < len(found) and found[k].lower in DETERMINERS
    if k < len(found) and is_name(found[k].raw):
        while k < len(found) and is_name(found[k].raw):
            k += 1
        return k
    return _noun_end(found, k)


def _is_base(word: Word) -> bool:
    return word.lower in STOP and word.lower not in PREPOSITIONS


def _is_several(noun: str) -> bool:
    head = noun.partition(" of ")[0].rpartition(" ")[2].lower()
    return head in _COLLECTIVES or (head.endswith("s") and not head.endswith(("ss", "us", "is")))


def _own(before: str, kind: str) -> bool:
    """Say whether a part names before its pronoun what that may stand for."""
    found = words(before)
    runs, nouns = _runs(found), _noun_phrases(before, found)
    several = any(map(_is_several, nouns))
    people = any(is_person for _, is_person in runs)
    things = any(not is_person for _, is_person in runs) or any(not _is_several(noun) for noun in nouns)
    return {"person": people, "thing": things, "several": several}[kind]


def _put(part: str, match: re.Match[str], name: str) -> str | None:
    """Put a name for a pronoun; None: it would have to stand in the genitive and is too long for it."""
    after = words(part[match.end() : match.end() + 60])[:1]
    pronoun = match[0].lower()
    followed = bool(after) and after[0].raw[0].isalnum() and after[0].lower not in _AFTER_OBJECT
    if pronoun in _POSSESSIVES or (pronoun == "her" and followed):
        if len(name.split()) > 6:
            return None
        name = f"{name}'" if name.endswith("s") and _is_several(name) else f"{name}'s"
    return f"{part[: match.start()]}{name}{part[match.end() :]}"
