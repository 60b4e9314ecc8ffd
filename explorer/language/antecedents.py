"""What the pronouns of a question's part stand for, as the parts before it name it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from explorer.language.pipeline import parsed
from explorer.language.questions import ASKING, NUMBER, ORDERS, PERSON, TIME, kind_of, read, readable
from explorer.language.words import is_content

if TYPE_CHECKING:
    from explorer.language.pipeline import Doc, Token

_PERSON, _THING, _SEVERAL = "person", "thing", "several"
_PRONOUNS = {
    **dict.fromkeys(("he", "she", "him", "her", "his"), _PERSON),
    **dict.fromkeys(("it", "its"), _THING),
    **dict.fromkeys(("they", "them", "their"), _SEVERAL),
}
_POINTING = frozenset({"this", "that", "these", "those"})
_EMPTY = frozenset("name kind type sort".split())  # a pronoun means what has these
_GROUPS = frozenset("crew people police team family staff".split())
_LONGEST = 14  # words of a phrase
_NAMES = 3  # that are put in brackets where it is not clear what a pronoun stands for


@dataclass(frozen=True, slots=True)
class _Phrase:
    """What a part names, and the kinds of pronouns that may mean it.

    `is_foremost`: no preposition has it. `is_clear`: its words can stand for a pronoun.
    """

    text: str
    kinds: frozenset[str]
    is_foremost: bool = True
    is_clear: bool = True


@dataclass(frozen=True, slots=True)
class Antecedents:
    """The parts so far and what they have named, the latest last."""

    named: tuple[tuple[str, tuple[_Phrase, ...]], ...] = ()

    def after(self, part: str) -> Antecedents:
        """Return the antecedents for the part after this one; what was put into it is no new thing."""
        known = [one for _, phrases in self.named for one in phrases if one.text in part]
        new = (one for one in _phrases(parsed(readable(part))) if not any(one.text.startswith(k.text) for k in known))
        return Antecedents((*self.named, (part, (*known, *new))))

    def resolved(self, part: str) -> str:
        """Put what they stand for in the place of the first pronouns; if that is not clear, in brackets at the end."""
        doc = parsed(readable(part))
        text, likely = doc.text, list[str]()
        for kind, token in reversed([*_open(doc)] if self.named else []):
            fitting = self._fitting(kind)
            form = _form(token, fitting[0].text) if len(fitting) == 1 and fitting[0].is_clear else None
            if form is None:
                likely = [*likely, *([one.text for one in fitting] or self._about())]
            else:
                text = f"{text[: token.idx]}{form}{text[token.idx + len(token) :]}"
        return part if text == doc.text and not likely else with_names(f"{text[:1].upper()}{text[1:]}", likely)

    def _fitting(self, kind: str) -> list[_Phrase]:
        """Return what a pronoun may mean, of the latest part that names such; what no preposition has comes first."""
        for _, named in reversed(self.named):
            fitting = [one for one in named if kind in one.kinds]
            fitting = [one for one in fitting if len(one.kinds) == 1] or fitting
            if fitting:
                return [one for one in fitting if one.is_foremost] or [replace(one, is_clear=False) for one in fitting]
        return []

    def _about(self) -> Sequence[str]:
        return next((about for part, _ in reversed(self.named) if (about := read(part).names or read(part).phrases)), ())


def with_names(text: str, found: Sequence[str]) -> str:
    """Return a question with names in brackets at its end, so that a search finds them; not those it has."""
    new = [name for name in dict.fromkeys(found) if name.lower() not in text.lower()][:_NAMES]
    bare = text.rstrip("?.! ")
    return f"{bare} ({', '.join(new)}){text[len(bare) :].strip() or '?'}" if new else text


def is_open(text: str) -> bool:
    """Return whether a text speaks by a pronoun of something that it does not name itself."""
    return next(_open(parsed(readable(text))), None) is not None


def _open(doc: Doc) -> Iterator[tuple[str, Token]]:
    """Yield the pronouns, the first of each kind, that stand for nothing named before them in the part."""
    seen: set[str] = set()
    named = [(one, doc.text.find(one.text)) for one in _phrases(doc)]
    for token in doc:
        which = token.lower_ == "which" and token.dep_ == "nsubj" and token.head.lemma_ == "be"
        points = (token.lower_ in _POINTING and token.tag_ == "DT" and token.dep_ != "det") or which
        kind = "" if points else _PRONOUNS.get(token.lower_) if token.tag_ in {"PRP", "PRP$"} else None
        if kind is None or kind in seen or token.dep_ == "expl" or (which and token.head.dep_ == "relcl"):
            continue
        seen.add(kind)
        if not any(kind in one.kinds and one.is_foremost and 0 <= at < token.idx for one, at in named):
            yield kind, token


def _phrases(doc: Doc) -> Iterator[_Phrase]:
    """Yield what a part names, and whom it asks for, such as "the person who wrote it"."""
    if len(doc) > 2 and doc[0].lower_ == "who" and doc[1].pos_ == "VERB":
        yield _Phrase(_plain(f"the person who {doc[1:].text}").rstrip("?.! "), frozenset({_PERSON}))
    end = 0
    for chunk in doc.noun_chunks:
        root, asks = chunk.root, chunk[0].tag_ in ASKING
        if chunk.start < end or root.pos_ in {"PRON", "VERB"} or root.lower_ in ORDERS or _is_empty(root):
            continue
        kept = [one for one in root.rights if one.lower_ == "of" or one.dep_ in {"relcl", "conj", "nummod", "appos"}]
        end = max([chunk.end, *(one.right_edge.i + 1 for one in kept)])
        if chunk.start + asks < end <= chunk.start + _LONGEST and is_content(root.text):
            kinds, own = _kinds(root), [one for one in doc[root.i + 1 : end] if one.pos_ == "PROPN"]
            is_foremost = root.dep_ != "pobj" or (root.head.lower_ == "of" and _is_empty(root.head.head))
            is_clear = not asks and not (own and kinds == {_PERSON} and root.pos_ != "PROPN")
            yield _Phrase(_plain(doc[chunk.start + asks : end].text), kinds, is_foremost, is_clear)


def _is_empty(noun: Token) -> bool:
    """Return whether a pronoun seldom means a noun: what has a name, a weight or a time is meant, not these."""
    return kind_of(noun.lemma_.lower()) in {NUMBER, TIME} or noun.lemma_ in _EMPTY


def _kinds(root: Token) -> frozenset[str]:
    """Return which pronouns may mean a noun; both "he" and "it" where its form does not tell."""
    if root.tag_ in {"NNS", "NNPS"} or root.lemma_ in _GROUPS or any(child.dep_ == "conj" for child in root.children):
        return frozenset({_SEVERAL})
    if root.pos_ == "PROPN" and root.ent_type_ != "PERSON":
        is_thing = any(child.lower_ == "the" or child.like_num for child in root.children)
        return frozenset({_THING} if is_thing else {_PERSON, _THING})
    return frozenset({_PERSON if root.ent_type_ == "PERSON" or kind_of(root.lemma_.lower()) == PERSON else _THING})


def _plain(text: str) -> str:
    """Return a phrase as it can stand anywhere: with "the" for "a", and no lone quotation mark."""
    first, _, rest = text.strip("?! ").partition(" ")
    text = f"the {rest}" if first.lower() in {"a", "an"} and rest else text.strip("?! ")
    return text.replace('"', "") if text.count('"') % 2 else text


def _form(pronoun: Token, name: str) -> str | None:
    """Return a name in the form of a pronoun; None where it would have to stand in the genitive and can't."""
    if pronoun.tag_ != "PRP$":
        return name
    return None if " who " in name or not name[-1].isalnum() else f"{name}'" if name.endswith("s") else f"{name}'s"
