"""What the pronouns of a question's part stand for, as its earlier parts name it.

A phrase is put for a pronoun only where one fits best; else the pronoun stays, with likely names after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.language.pipeline import parsed
from explorer.language.questions import NUMBER, PERSON, TIME, kind_of, read, readable
from explorer.language.words import is_content
from explorer.reasoning.rules.openings import ASKING, ORDERS

if TYPE_CHECKING:
    from explorer.language.pipeline import Doc, Token

_PERSON, _THING, _SEVERAL = "person", "thing", "several"
_PRONOUNS = {
    **dict.fromkeys(("he", "she", "him", "her", "his"), _PERSON),
    **dict.fromkeys(("it", "its"), _THING),
    **dict.fromkeys(("they", "them", "their"), _SEVERAL),
}
_EMPTY = re.compile(r"\bit (?:true|likely|possible|clear|known|take|took|that|rain)\b|\btak\w+ it\b", re.IGNORECASE)
_POINTING = re.compile(
    r"\b(?:this|these|those)\b|\b(?:is|was|does|did|do|has|had|will|would|can|could) that\b|\bthat[?.!\s]*$"
    r"|\bwhich (?:one )?(?:is|was|are|were) (?:more|less|worse|\w+er)\b",
    re.IGNORECASE,
)
_ROLE = re.compile(r"\w{2,}(?:[eo]r|ist|ian|man|ess)")
_GROUPS = frozenset("crew people police team family men women children staff".split())
_EMPTY_HEADS = frozenset("name kind type sort identity".split())  # a pronoun means what has these, not these
_KIN = frozenset("spouse child partner widow friend heir".split())
_MAKING = frozenset(
    "write direct compose paint found invent discover build design create produce publish sing record make draw".split()
)  # what is made so is no person
_SUBJECTS = frozenset({"nsubj", "nsubjpass"})
_LONGEST = 14  # words of a phrase
_LONGEST_OWNER = 6
_NAMES = 3  # that are put in brackets where it is not clear what a pronoun stands for


@dataclass(frozen=True, slots=True)
class _Phrase:
    """What a part names, and the kinds of pronouns that may mean it.

    `rank` is lower where it stands in the foreground: a subject before an object, both before what a preposition has.
    """

    text: str
    kinds: frozenset[str]
    rank: int
    is_inner: bool = False
    is_name: bool = False
    is_sure: bool = True


@dataclass(frozen=True, slots=True)
class Antecedents:
    """What the parts so far have named, the latest last."""

    named: tuple[tuple[_Phrase, ...], ...] = ()

    def after(self, part: str) -> Antecedents:
        """Return the antecedents for the part after this one."""
        known = [one for named in self.named for one in named if one.text in part]
        found = [next((old for old in known if new.text.startswith(old.text)), new)
                 for new in _phrases(parsed(readable(part)))]  # fmt: skip
        return Antecedents((*self.named, tuple(dict.fromkeys(found))))

    def resolved(self, part: str) -> str:
        """Replace the pronouns of each kind by a name; where none is clear append the likely ones in brackets."""
        doc = parsed(readable(part))
        put: list[tuple[Token, str]] = []
        likely = self._any() if _POINTING.search(part) else []
        for kind, pronoun in _open(doc):
            fitting = self._fitting(kind)
            best = [one for one in fitting if one.rank == min(other.rank for other in fitting)]
            name = _form(pronoun, best[0].text) if len(best) == 1 and _is_clear(best[0], fitting) else None
            if name is None or _EMPTY.search(part) or any(name == other for _, other in put):
                likely += [one.text for one in fitting] or self._any()
            else:
                put.append((pronoun, name))
        if not (put or likely):
            return part
        text = doc.text
        for pronoun, name in sorted(put, key=lambda one: -one[0].idx):
            text = f"{text[: pronoun.idx]}{name}{text[pronoun.idx + len(pronoun) :]}"
        return with_names(text[:1].upper() + text[1:], likely)

    def _fitting(self, kind: str) -> list[_Phrase]:
        """Return what a pronoun may mean in the latest part that names such; what all of it belongs to comes first."""
        for named in reversed(self.named):
            fitting = [one for one in named if kind in one.kinds]
            fitting = [one for one in fitting if len(one.kinds) == 1] or fitting
            if fitting:
                return [one for one in fitting if not one.is_inner] or fitting
        return []

    def _any(self) -> list[str]:
        for named in self.named:
            outer = [one for one in named if not one.is_inner] or [*named]
            if outer:
                return [one.text for one in outer if one.is_name] or [one.text for one in outer]
        return []


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
    return _POINTING.search(text) is not None or next(_open(parsed(readable(text))), None) is not None


def _open(doc: Doc) -> Iterator[tuple[str, Token]]:
    """Yield the pronouns, the first of each kind, that stand for nothing named before them in the part."""
    named = list(_phrases(doc))
    seen: set[str] = set()
    for token in doc:
        kind = _PRONOUNS.get(token.lower_) if token.tag_ in {"PRP", "PRP$"} else None
        if kind is None or kind in seen:
            continue
        seen.add(kind)
        before = doc[: token.i].text.lower()
        if not any(kind in one.kinds and one.rank < 2 and one.text.lower() in before for one in named):
            yield kind, token


def _phrases(doc: Doc) -> Iterator[_Phrase]:
    """Yield what a part names, and whom it asks for, such as "the person who wrote it"."""
    names = [doc.text.find(name) + len(name) for name in read(doc.text).names]
    asked = _whom(doc)
    ends = len(doc) if asked is not None and doc[1].pos_ == "AUX" else 0
    if asked is not None:
        yield asked
    for chunk in doc.noun_chunks:
        root, start, end = chunk.root, chunk.start, _end(chunk.root, chunk.end, names)
        asks = doc[start].tag_ in ASKING
        if root.pos_ in {"PRON", "VERB"} or root.dep_ == "conj" or root.lower_ in ORDERS or _is_empty(root):
            continue
        is_inner, ends = start < ends, max(ends, end)
        if 0 < start and end < len(doc) and doc[start - 1].is_quote and doc[end].is_quote:
            start, end = start - 1, end + 1
        if start + asks < end <= start + _LONGEST and is_content(root.text):
            text = _plain(doc[start + asks : end].text)
            yield _Phrase(text, _kinds(root), _rank(root), is_inner, root.pos_ == "PROPN", not asks)


def _is_empty(root: Token) -> bool:
    """Return whether a pronoun seldom means a noun: what has a name, a weight or a time is meant, not these."""
    noun = root.lemma_.lower()
    return noun in _EMPTY_HEADS or kind_of(noun) in {NUMBER, TIME}


def _whom(doc: Doc) -> _Phrase | None:
    """Return the person that "who wrote it" or "who was the first to fly" asks for."""
    if len(doc) < 3 or doc[0].lower_ != "who":
        return None
    if doc[1].pos_ == "VERB":
        made = doc[1].lemma_ in _MAKING
        person = any(_PERSON in _kinds(one.root) for one in doc.noun_chunks if one.root.pos_ in {"NOUN", "PROPN"})
        return _Phrase(_plain(f"the person who {doc[1:].text}"), frozenset({_PERSON}), 0 if made or not person else 1)
    is_role = doc[1].lower_ in {"is", "was"} and doc[2].lower_ == "the"
    return _Phrase(_plain(doc[2:].text), frozenset({_PERSON}), 0) if is_role else None


def _rank(root: Token) -> int:
    if root.dep_ in _SUBJECTS or (root.dep_ == "attr" and root.head.lemma_ == "be"):
        return 0
    return 2 if root.dep_ == "pobj" else 1


def _end(root: Token, end: int, names: Sequence[int]) -> int:
    """Return where a phrase ends: with its whole name or number, what it is joined to, "of …", and which one is meant."""
    doc = root.doc
    whole = [one for one in names if root.idx < one and doc[end - 1].idx < one]
    span = doc.char_span(root.idx, min(whole), alignment_mode="expand") if whole else None
    if span is not None and root.pos_ == "PROPN" and span.end - end < _LONGEST_OWNER:
        end = max(end, span.end)
    kept = [one for one in root.children if one.i >= root.i and (one.lower_ == "of" or one.dep_ in {"relcl", "conj"})]
    return max([end, *(one.right_edge.i + 1 for one in kept)])


def _kinds(root: Token) -> frozenset[str]:
    """Return which pronouns may mean a noun; both "he" and "it" where its form does not tell."""
    noun = root.lemma_.lower()
    if root.tag_ in {"NNS", "NNPS"} or noun in _GROUPS or any(child.dep_ == "conj" for child in root.children):
        return frozenset({_SEVERAL})
    if root.pos_ == "PROPN":
        is_thing = any(child.lower_ == "the" or child.like_num for child in root.children)
        kinds = {_PERSON} if root.ent_type_ == "PERSON" else {_THING} if is_thing else {_PERSON, _THING}
        return frozenset(kinds)
    if kind_of(noun) == PERSON or noun in _KIN:
        return frozenset({_PERSON})
    return frozenset({_PERSON, _THING} if _ROLE.fullmatch(noun) else {_THING})


def _plain(text: str) -> str:
    """Return a phrase as it can stand anywhere: with "the" for "a"."""
    text = text.rstrip("?.! ").removesuffix("'s").removesuffix("’s")
    first, _, rest = text.partition(" ")
    return f"the {rest}" if first in {"a", "an", "A", "An"} and rest else text


def _is_clear(best: _Phrase, fitting: Sequence[_Phrase]) -> bool:
    """Return whether a phrase is meant: it is the only one, or stands in the foreground."""
    return best.is_sure and (best.rank == 0 or (len(fitting) == 1 and (best.rank < 2 or best.is_inner)))


def _form(pronoun: Token, name: str) -> str | None:
    """Return a name in the form of a pronoun; None where it would have to stand in the genitive and can't."""
    if pronoun.tag_ != "PRP$":
        return name
    long = len(name.split()) > _LONGEST_OWNER or " of the " in name or " who " in name or " that " in name
    return None if long or not name[-1].isalnum() else f"{name}'" if name.endswith("s") and name[:1].islower() else f"{name}'s"
