"""What clauses say: of each verb who does it, to whom or what, with what else, and whether it is denied."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from explorer.language.pipeline import parse, parsed
from explorer.language.questions import readable
from explorer.language.words import is_content, stem, tokens

if TYPE_CHECKING:
    from explorer.language.pipeline import Doc, Token

_SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj"})
_OBJECTS = frozenset({"dobj", "attr", "oprd", "acomp"})
_NO_PARTS = _SUBJECTS | {"aux", "auxpass", "punct", "cc", "conj", "advcl", "mark"}
_VERBS = frozenset({"VERB", "AUX"})
_NAMING = frozenset("call name christen title dub know nickname".split())
_HAVING = frozenset("carry bear have get receive be".split())
_ARTICLES = frozenset({"a", "an", "the", "any"})
_ASKING = frozenset({"WDT", "WP", "WP$", "WRB"})
_ABOUT = ("about", "on", "regarding", "concerning", "of", "in", "against")
_FEWEST = 4  # words of a question with "did", its doer and its verb
_ALONE = 4  # of these, how many are followed by a topic of one word
_PARTICLES = frozenset("for against before after with without on off in out up down over under".split())
_NAME_BEFORE = re.compile(
    r"\b(?:did|does|do) (?:the )?(?:[A-Z][\w’'-]*|\d+)(?: (?:[A-Z][\w’'-]*|\d+))* (?P<verb>[a-z]{3,})\b"
)  # "When did Apollo 13 land?": behind a name the parser may take the verb for a noun
_DID = re.compile(r"(?:when|where|why|how)\b(?: \w+){0,3}? (?P<did>did|does|do) (?!you\b|we\b|I\b)", re.IGNORECASE)
_UNREAL = frozenset({"would", "could", "might", "'d", "’d"})
_DENYING = frozenset({"no", "not", "n't", "n’t", "never", "nobody", "none", "nothing", "neither", "nor", "hardly"})
_THINKING = frozenset(
    "suspect believe think fear assume guess suppose expect hope doubt imagine speculate wonder presume".split()
)


@dataclass(frozen=True, slots=True)
class Claim:
    """What one verb of a sentence says; parts are stems of content words.

    `verb`: in its base form; `forms`: stems of the verb as it stands and of its base form. `doer` and `done_to`: who
    does it and what it is done to, also of passive verbs; `rest`: what else belongs to it. `is_denied`: it is said
    not to be so. `particles`: small words that belong to it, as "against". `asked`: "doer" or "done_to" where that
    is asked for; `word`: the verb as it stands. `is_unreal`: it is said of what would, could or might be, or was
    merely thought.
    """

    verb: str
    forms: frozenset[str]
    doer: frozenset[str]
    done_to: frozenset[str]
    rest: frozenset[str]
    is_denied: bool
    particles: frozenset[str]
    asked: str = ""
    word: str = ""
    behind: frozenset[tuple[str, str]] = frozenset()
    is_unreal: bool = False

    @property
    def parts(self) -> frozenset[str]:
        """All that belongs to the verb."""
        return self.doer | self.done_to | self.rest


@lru_cache(maxsize=512)
def claims(text: str) -> tuple[Claim, ...]:
    """Return what the verbs of a sentence or question say, in order."""
    [(doc, _)] = parse([(" ".join(text.split()), None)])
    return tuple(_claim(token) for token in doc if token.pos_ in _VERBS and token.dep_ not in {"aux", "auxpass"})


@lru_cache(maxsize=512)
def is_instruction(text: str) -> bool:
    """Return whether a sentence tells to do something: "Hold both buttons for two seconds"."""
    [(doc, _)] = parse([(" ".join(text.split()), None)])
    roots = (token for token in doc if token.dep_ == "ROOT")
    return any(root.tag_ in {"VB", "VBP"} and _subject(root) is None for root in roots)


@lru_cache(maxsize=512)
def is_explained(text: str, keys: frozenset[str]) -> bool:
    """Return whether a sentence says beside a noun, by its stems, what that is: "pericynthion, the point nearest"."""
    if not keys <= {stem(word) for word in tokens(text)}:
        return False
    [(doc, _)] = parse([(" ".join(text.split()), None)])
    for token in doc[:-3]:  # the parser may miss it
        after = doc[token.i + 1 : token.i + 4]
        is_beside = after[0].text == "," and after[1].lower_ in _ARTICLES and after[2].pos_ in {"NOUN", "PROPN", "ADJ"}
        if is_beside and stem(token.text) in keys and any(one.pos_ in _VERBS for one in doc[: token.i]):
            return True
    return any(
        child.dep_ == "appos" and any(one.lower_ in _ARTICLES for one in child.children)
        for token in doc
        for child in token.children
        if doc[child.left_edge.i - 1].text == "," and keys <= {stem(one.text) for one in (token, *token.lefts)}
    )


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
    if all(claim.verb == "do" for claim in found) and (taken := _taken_for_noun(doc)) is not None:
        return (_behind_doer(*taken),)
    return tuple(found)


def _taken_for_noun(doc: Doc) -> tuple[Token, Token] | None:
    """Return "did" and the verb behind it that the parser takes for a noun: "When did Apollo 13 land?"."""
    behind = _NAME_BEFORE.search(doc.text)
    for token in doc:
        helping = next((one for one in token.children if one.dep_ == "aux" and one.lemma_ == "do"), None)
        is_noun = token.i > 0 and doc[token.i - 1].lower_ in _ARTICLES  # "the boat", but not "the crew land"
        if token.tag_ == "NN" and token.dep_ == "ROOT" and helping is not None and not is_noun:
            return helping, token
        if token.tag_ == "NN" and behind is not None and token.idx == behind.start("verb"):
            return next(one for one in doc if one.idx == behind.start()), token
    return _last_for_verb(doc)


def _last_for_verb(doc: Doc) -> tuple[Token, Token] | None:
    """Return "did" and the last word where no other can be its verb: "How long did the fire in the old mill burn?"."""
    asks = _DID.match(doc.text)
    helping = next((one for one in doc if asks is not None and one.idx == asks.start("did")), None)
    words = [token for token in doc if token.is_alpha and token.lower_ not in _PARTICLES]
    is_open = helping is not None and not any(
        token.pos_ == "VERB" or token.lemma_ == "do" for token in doc[helping.i + 1 :]
    )
    if helping is None or not is_open or len(words) < _FEWEST or words[-1].i < helping.i + 2:
        return None
    return (helping, words[-1]) if words[-1].tag_ in {"NN", "VB", "VBP", "JJ"} and words[-1].is_lower else None


def _behind_doer(helping: Token, verb: Token) -> Claim:
    """Return the claim of such a verb, between who does it and what else belongs to it."""
    doc, forms = verb.doc, frozenset({stem(verb.text), stem(verb.lemma_)})
    doer, rest = (
        frozenset(stem(one.text) for one in part if is_content(one.text) and one.tag_ not in _ASKING)
        for part in (doc[helping.i + 1 : verb.i], doc[verb.i + 1 :])
    )
    return Claim(
        verb.lemma_.lower(), forms, doer, frozenset(), rest, is_denied=False, particles=frozenset(), word=verb.text
    )


def _names(token: Token, before: Token) -> bool:
    """Return whether a token begins a name that stands beside the noun before it."""
    top = token
    while top.dep_ in {"compound", "amod", "nmod"} and top.head.i > token.i:
        top = top.head
    is_beside = top.head.i == before.i and top.dep_ in {"appos", "nmod"}
    return token.pos_ == "PROPN" and token.text[0].isupper() and (is_beside or before.head.i == top.i)


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
    particles = {child.lower_ for child in verb.children if child.lower_ in _PARTICLES}
    for child in verb.children:
        if child.dep_ in _OBJECTS:
            done_to.append(child)
        elif child.dep_ == "agent":
            doer += [one for one in child.children if one.dep_ == "pobj"]
        elif child.dep_ in {"prep", "prt"} or child.dep_ not in {
            *_SUBJECTS,
            "aux",
            "auxpass",
            "punct",
            "cc",
            "conj",
            "advcl",
            "mark",
        }:
            rest.append(child)
    if verb.dep_ == "relcl" and verb.head.i < verb.i:  # "the man that led it"
        gap = next((child for child in verb.children if child.tag_ in _ASKING or child.lower_ == "that"), None)
        (doer if gap is not None and gap.dep_ == "nsubj" else done_to).append(verb.head)
    asked = next((name for name, of in (("doer", doer), ("done_to", done_to)) if any(_asks(one) for one in of)), "")
    near = [*verb.children, *(one for child in [*doer, *done_to] for one in [child, *child.children])]
    forms = frozenset({stem(verb.text), stem(verb.lemma_)})
    own = {verb.i}
    return Claim(
        verb.lemma_.lower(), forms, _stems(doer, own), _stems(done_to, own), _stems(rest, own),
        any(one.lower_ in _DENYING for one in near), frozenset(particles), asked, verb.text,
        frozenset((one.lower_, key) for one in rest if one.dep_ == "prep" for key in _stems(one.children, own)),
        _is_only_thought(verb) or any(child.dep_ == "aux" and child.lower_ in _UNREAL for child in verb.children),
    )  # fmt: skip


def _asks(token: Token) -> bool:
    return token.tag_ in _ASKING or any(child.tag_ in _ASKING for child in token.children)


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
        if token.i not in but and is_content(form) and token.tag_ not in _ASKING
    )


def _phrase(top: Token) -> Iterator[Token]:
    yield top
    for child in top.children:
        has_object = child.dep_ == "acl" and any(one.dep_ in _OBJECTS for one in child.children)
        if child.dep_ not in {"relcl", "advcl"} and not has_object:  # "advertisements targeting a competitor"
            yield from _phrase(child)


def _is_only_thought(verb: Token) -> bool:
    """“suspected that a stone had hit it”, “hoped to land”: what a clause says that somebody merely thought."""
    clause = verb
    while clause.dep_ in {"conj", "xcomp"} and clause.head.lemma_ not in _THINKING and clause.head.pos_ == "VERB":
        clause = clause.head
    return clause.dep_ in {"ccomp", "xcomp"} and clause.head.lemma_ in _THINKING
