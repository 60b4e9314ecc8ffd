"""Whether a sentence says what a question that can be answered with yes or no asks, by the grammar of the sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from explorer.language.pipeline import parse
from explorer.language.words import is_content, stem, tokens

if TYPE_CHECKING:
    from explorer.language.pipeline import Token

_SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj"})
_COMPLEMENTS = frozenset({"attr", "acomp", "dobj", "oprd", "dative"})
_UNSURE = frozenset({"would", "could", "might", "may", "should", "can"})
_REPORTING = frozenset(
    "say claim think believe suspect fear plan expect hope want suggest argue ask wonder deny consider propose doubt "
    "intend try allege assume predict recommend seem appear".split()
)
_OPEN = frozenset({"if", "whether", "unless", "until"})
_NONE = frozenset({"no", "not", "n't", "n’t", "never", "nobody", "none", "nothing", "neither"})
_BEING = frozenset({"is", "are", "was", "were"})
_OF_HOW_MANY = frozenset("most all every each half majority only always both many few more less fewer or".split())
_ABLE = frozenset({"can", "could", "may", "is"})
_POSSIBLE = frozenset({"possible", "allowed", "permitted", "legal"})
_IMPOSSIBLE = frozenset({"impossible", "forbidden", "prohibited", "illegal"})
_JUDGED = re.compile(
    r"^(?:[\w’'-]+ ){1,4}?(?:(?P<denied>(?:do|does|did)(?: not|n['’]t)|never) )?"
    r"(?:consider|find|deem|judge|rate)(?:s|ed)? (?P<what>it|them|the (?:[\w-]+ ){0,2}?[\w-]+) (?:to be |as )?"
    r"(?P<rest>(?!that|to|whether|how|who|when|what)[a-z].*)$", re.IGNORECASE
)  # fmt: skip
_PRONOUN = re.compile(
    r"^(?:it|they|this|these)\b(?= (?:is|are|was|were|has|have|had|do|does|did|can|can['’]?not)\b)", re.IGNORECASE
)
_NUMBERED = re.compile(r"\bno\.\s+(?=\d)", re.IGNORECASE)  # the parser takes "no." for a denial, or for an end


def says(question: str, sentence: str, about: str = "") -> bool | None:
    """Return whether a sentence says that what a yes-or-no question asks is so; None where it says neither.

    One clause must have all content words of the question, its subject those that come first there, and the same voice.
    What is only planned, reported or conditional says neither; nor does one that lacks the question's "most" or "all",
    and none says whether it is one or the other. Somebody's judgement counts: "does not consider it dangerous".

    `about`: what the sentence is about, as a heading says; "it" in the sentence stands for that.
    """
    question, sentence = (_NUMBERED.sub("", text) for text in (question, sentence))
    sentence = _JUDGED.sub(_as_said, sentence)
    pronoun = _PRONOUN.search(sentence)
    meant = next((word for word in tokens(question)[1:] if is_content(word)), "")
    if pronoun and meant and stem(meant) in {stem(word) for word in tokens(about)}:
        sentence = f"The {meant}{sentence[pronoun.end() :]}"
    asked = [word.lower() for word in tokens(question)]
    verbs = {stem(word) for word in asked}
    places = {stem(word): place for place, word in reversed(list(enumerate(asked))) if is_content(word)}
    whole = {stem(word) for word in tokens(sentence)}
    if not asked or not places or len(places.keys() - whole) > 1:  # a verb may stand in another form
        return None
    if "or" in asked or not _OF_HOW_MANY.intersection(asked) <= {word.lower() for word in tokens(sentence)}:
        return None
    is_passive_asked = asked[0].removesuffix("n't").removesuffix("n’t") in _BEING
    is_denied = any(word in _NONE or word.endswith(("n't", "n’t")) for word in asked)
    [(told, _)] = parse([(" ".join(sentence.split()), None)])
    for verb in told:
        subject = _subject(verb) if verb.pos_ in {"VERB", "AUX"} else None
        if subject is None and (is_so := _is_possible(verb)) is not None and asked[0] in _ABLE:
            subject = next((child for child in verb.children if child.dep_ == "dobj"), None)
            rest = _stems(verb.subtree)
            if subject is not None and places.keys() <= rest and _stems([subject]) & places.keys():
                return is_so != is_denied
            continue
        if subject is None or _is_open(verb):
            continue
        is_passive = any(child.dep_ == "auxpass" for child in verb.children)
        is_turned = verb.lemma_ != "be" and is_passive != is_passive_asked
        doer = _by(verb) if is_passive else next((child for child in verb.children if child.dep_ == "dobj"), None)
        if is_turned and doer is None:
            continue
        first_named = doer if is_turned and doer is not None else subject
        of_subject = _stems(first_named.subtree)
        rest = _stems(word for word in [*verb.subtree, *subject.subtree] if word not in list(first_named.subtree))
        first = [places[key] for key in of_subject & places.keys()]
        then = [places[key] for key in (rest & places.keys()) - of_subject]
        if not places.keys() <= of_subject | rest or not first or not then or max(first) > min(then):
            continue
        if verb.lemma_ == "be" or {stem(verb.lower_), stem(verb.lemma_)} & verbs:
            return _denies(verb) == is_denied
    return None


def _as_said(judged: re.Match[str]) -> str:
    """Return what somebody holds of something as a sentence on that."""
    being = "are" if judged["what"] == "them" else "is"
    what = {"it": "It", "them": "They"}.get(judged["what"], judged["what"])
    return f"{what} {being}{' not' if judged['denied'] else ''} {judged['rest']}"


def _is_possible(verb: Token) -> bool | None:
    """Return whether a verb is said to be possible or not, as in "it is not possible to declare it"; else None."""
    if verb.dep_ != "xcomp" or verb.head.lemma_ != "be":
        return None
    said = {child.lower_ for child in verb.head.children if child.dep_ == "acomp"}
    if said & _IMPOSSIBLE:
        return _denies(verb.head)
    return not _denies(verb.head) if said & _POSSIBLE else None


def _stems(words: Iterable[Token]) -> frozenset[str]:
    return frozenset(stem(form) for token in words for form in (token.text, token.lemma_) if is_content(form))


def _subject(verb: Token) -> Token | None:
    """Return the subject of a verb; one without its own has that of the verb it is joined to."""
    own = next((child for child in verb.children if child.dep_ in _SUBJECTS), None)
    if own is None and verb.dep_ == "conj" and verb.head.pos_ in {"VERB", "AUX"}:
        return _subject(verb.head)
    return own


def _by(verb: Token) -> Token | None:
    """Return who does what a passive verb says."""
    agent = next((child for child in verb.children if child.dep_ == "agent"), None)
    return next((child for child in agent.children if child.dep_ == "pobj"), None) if agent is not None else None


def _is_open(verb: Token) -> bool:
    """Return whether a verb is only possible, conditional, or what somebody says or plans."""
    if any(child.lower_ in _UNSURE or (child.dep_ == "mark" and child.lower_ in _OPEN) for child in verb.children):
        return True
    return verb.dep_ in {"ccomp", "xcomp", "advcl"} and verb.head.lemma_.lower() in _REPORTING


def _denies(verb: Token) -> bool:
    """Return whether a verb, its subject or its complement is negated."""
    near = [child for child in verb.children if child.dep_ in _SUBJECTS | _COMPLEMENTS]
    return any(
        word.lower_ in _NONE for word in [*verb.children, *near, *(one for token in near for one in token.children)]
    )
