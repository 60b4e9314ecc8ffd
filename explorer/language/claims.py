"""What clauses say: of each verb who does it, to whom or what, with what else, and whether it is denied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from explorer.language.pipeline import parse, parsed
from explorer.language.questions import ASKING, readable
from explorer.language.words import is_content, stem

if TYPE_CHECKING:
    from explorer.language.pipeline import Token

_SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj"})
_OBJECTS = frozenset({"dobj", "attr", "oprd", "acomp"})
_NO_PARTS = _SUBJECTS | {"aux", "auxpass", "punct", "cc", "conj", "advcl", "mark"}
_VERBS = frozenset({"VERB", "AUX"})
_DENYING = frozenset({"no", "not", "n't", "n’t", "never", "nobody", "none", "nothing", "neither", "nor", "hardly"})


@dataclass(frozen=True, slots=True)
class Claim:
    """What one verb of a sentence says; parts are stems of content words.

    `verb`: in its base form; `forms`: stems of the verb as it stands and of its base form. `doer` and `done_to`: who
    does it and what it is done to, also of passive verbs; `rest`: what else belongs to it. `is_denied`: it is said
    not to be so. `asked`: "doer" or "done_to" where that is asked for.
    """

    verb: str
    forms: frozenset[str]
    doer: frozenset[str]
    done_to: frozenset[str]
    rest: frozenset[str]
    is_denied: bool
    asked: str = ""

    @property
    def parts(self) -> frozenset[str]:
        """All that belongs to the verb."""
        return self.doer | self.done_to | self.rest


@lru_cache(maxsize=512)
def claims(text: str) -> tuple[Claim, ...]:
    """Return what the verbs of a sentence or question say, in order."""
    [(doc, _)] = parse([(" ".join(text.split()), None)])
    return tuple(_claim(token) for token in doc if token.pos_ in _VERBS and token.dep_ not in {"aux", "auxpass"})


@lru_cache(maxsize=256)
def asked_claims(question: str) -> tuple[Claim, ...]:
    """Return what a question takes for granted: the claims of the verb it asks about, and of those that complete it.

    "Why did they decide to build it?" takes for granted that they decided, and that what they decided is to build.
    """
    doc = parsed(readable(question))
    verb = next((token for token in doc if token.dep_ == "ROOT" and token.pos_ in _VERBS), None)
    found = []
    while verb is not None:
        found.append(_claim(verb))
        verb = next((one for one in verb.children if one.dep_ == "xcomp" and one.pos_ == "VERB"), None)
    return tuple(found)


def _claim(verb: Token) -> Claim:
    doer: list[Token] = []
    done_to: list[Token] = []
    rest: list[Token] = []
    subject = _subject(verb)
    is_passive = any(child.dep_ in {"auxpass", "nsubjpass"} for child in verb.children) or (
        verb.dep_ == "acl" and verb.tag_ == "VBN"
    )
    if subject is not None:
        (done_to if is_passive else doer).append(subject)
    for child in verb.children:
        if child.dep_ in _OBJECTS:
            done_to.append(child)
        elif child.dep_ == "agent":
            doer += [one for one in child.children if one.dep_ == "pobj"]
        elif child.dep_ not in _NO_PARTS:
            rest.append(child)
    if verb.dep_ == "relcl" and verb.head.i < verb.i:  # "the man that led it"
        gap = next((child for child in verb.children if child.tag_ in ASKING or child.lower_ == "that"), None)
        (doer if gap is not None and gap.dep_ == "nsubj" else done_to).append(verb.head)
    asked = next((name for name, of in (("doer", doer), ("done_to", done_to)) if any(_asks(one) for one in of)), "")
    near = [*verb.children, *(one for child in [*doer, *done_to] for one in [child, *child.children])]
    forms = frozenset({stem(verb.text), stem(verb.lemma_)})
    own = {verb.i}
    return Claim(
        verb.lemma_.lower(), forms, _stems(doer, own), _stems(done_to, own), _stems(rest, own),
        any(one.lower_ in _DENYING for one in near), asked,
    )  # fmt: skip


def _asks(token: Token) -> bool:
    return token.tag_ in ASKING or any(child.tag_ in ASKING for child in token.children)


def _subject(verb: Token) -> Token | None:
    """Return the subject of a verb; one without its own has that of the verb it is joined to, or that it completes."""
    own = next((child for child in verb.children if child.dep_ in _SUBJECTS), None)
    if own is not None:
        return own
    if verb.dep_ == "acl" and verb.head.pos_ in {"NOUN", "PROPN", "PRON"}:
        return verb.head
    if verb.dep_ in {"conj", "xcomp", "advcl"} and verb.head.pos_ in _VERBS:
        return _subject(verb.head)
    return None


def _stems(tokens: Iterable[Token], but: set[int]) -> frozenset[str]:
    """Return the stems of what belongs to some words, without clauses of their own behind them."""
    return frozenset(
        stem(form)
        for top in tokens
        for token in _phrase(top)
        for form in (token.text, token.lemma_)
        if token.i not in but and (is_content(form) or token.like_num) and token.tag_ not in ASKING
    )


def _phrase(top: Token) -> Iterator[Token]:
    yield top
    for child in top.children:
        has_object = child.dep_ == "acl" and any(one.dep_ in _OBJECTS for one in child.children)
        if child.dep_ not in {"relcl", "advcl"} and not has_object:  # "advertisements targeting a competitor"
            yield from _phrase(child)
