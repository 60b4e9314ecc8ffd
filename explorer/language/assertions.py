"""What sentences assert: of each main clause what is, may, must or should be so, or is denied, and within what limits.

The labels are those of spaCy's English models (CLEAR: nsubj, dobj, pobj, agent …).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from explorer.language.words import stem

if TYPE_CHECKING:
    from explorer.language.pipeline import Doc, Token

IS, CAN, MUST, SHOULD = "is", "can", "must", "should"
PAST, PRESENT, FUTURE = "past", "present", "future"
_MODALS = {"can": CAN, "ca": CAN, "may": CAN, "must": MUST, "shall": MUST, "need": MUST, "should": SHOULD,
           "ought": SHOULD, "will": IS, "wo": IS}  # fmt: skip
_UNREAL = frozenset({"would", "could", "might", "'d", "’d"})
_ALLOWED = frozenset("allow permit possible permissible legal lawful let enable".split())
_FORBIDDEN = frozenset("forbid prohibit ban disallow outlaw illegal unlawful".split())
_REQUIRED = frozenset("require oblige need compel necessary mandatory compulsory obligatory".split())
_FREE = frozenset({"optional", "voluntary", "unnecessary"})
_ENDING = frozenset({"stop", "cease", "quit"})
_ENTITLED = frozenset("able free entitle authorise authorize license licence".split())
_GOING_ON = frozenset({"continue", "begin", "start", "manage"})
_NOT_DOING = frozenset({"fail", "refuse", "decline", "neglect"})
_MEANINGS: dict[str, tuple[str | None, bool]] = {
    **dict.fromkeys(_ALLOWED | _ENTITLED, (CAN, False)),
    **dict.fromkeys(_FORBIDDEN | {"unable", "impossible"}, (CAN, True)),
    **dict.fromkeys(_REQUIRED | {"have"}, (MUST, False)),
    **dict.fromkeys(_FREE, (MUST, True)),
    **dict.fromkeys(_GOING_ON, (None, False)),
    **dict.fromkeys(_ENDING | _NOT_DOING, (None, True)),
}
"""What a word says of what is behind it: that it may or must be so, or only is, and whether that is turned round."""
_OF_DEEDS = _ENTITLED | _GOING_ON | _ENDING | _NOT_DOING | {"have", "unable"}
"""Words that say so only of what is done: "licensed for drinking water" is a state."""
_DEEPEST = 3  # verbs within each other: "has stopped allowing users to copy"
_TOLD = frozenset(
    "show find prove demonstrate discover learn reveal confirm establish specify stipulate provide note".split()
)
_FACTUAL = frozenset({"because", "although", "though", "since", "while", "whereas"})
_NOT = frozenset({"not", "n't", "n’t", "never"})
NOBODY = frozenset({"nobody", "none", "nothing", "neither", "no-one"})
_DENYING = _NOT | NOBODY | {"no", "nor"}
_SCOPES = frozenset(
    "only just merely simply solely necessarily all every everyone everybody everything always both entirely fully "
    "completely wholly quite exactly very really particularly especially too so enough".split()
)
_HEDGES = frozenset(
    "probably possibly perhaps maybe likely reportedly allegedly apparently supposedly presumably seemingly sometimes "
    "often usually rarely seldom occasionally generally normally typically mostly partly partially almost nearly "
    "hardly scarcely barely theoretically".split()
)
_SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass"})
_VERBS = frozenset({"VERB", "AUX"})
_ADJUNCTS = frozenset({"prep", "agent", "advcl", "npadvmod", "advmod"})
PLACES = frozenset({"in", "into", "at", "on", "onto", "inside", "within"})


@dataclass(frozen=True, slots=True)
class Assertion:
    """What one clause asserts.

    `force`: `IS`, `CAN`, `MUST` or `SHOULD`. `verb`: what is done; None where a thing itself is allowed or required.
    `doer` and `done_to`: who does it and what it is done to, also of passive verbs. `path`: the verbs and adjectives
    that say it, from the first to the last. `is_barred`: denied by an order, or as not allowed, not as impossible.
    `is_turned`: a word of the path denies what is behind it. `has_ended`: it was so until it stopped.
    """

    force: str
    is_denied: bool
    verb: Token | None
    doer: Token | None
    done_to: Token | None
    path: tuple[Token, ...]
    tense: str
    is_barred: bool = False
    is_turned: bool = False
    has_ended: bool = False

    @property
    def words(self) -> list[Token]:
        """All that belongs to it, without clauses that are joined to it."""
        tops = [self.doer, self.done_to, self.verb, *self.path]
        found = {token.i: token for top in tops if top is not None for token in _inside(top)}
        return [found[i] for i in sorted(found)]

    @property
    def is_of_existence(self) -> bool:
        """Whether it says that there is something, or is not."""
        return any(child.dep_ == "expl" for child in self.path[0].children)

    @property
    def adjuncts(self) -> list[Token]:
        """The heads of the phrases and clauses that say when, where, how or on what condition."""
        known = {token.i for token in (*self.path, self.verb, self.doer, self.done_to) if token is not None}
        said = [token for token in (self.verb, self.done_to) if token is not None]
        of = {token.i: token for token in (*self.path, *said) if token in self.path or token == self.verb
              or token.dep_ == "acomp"}  # fmt: skip
        kinds = _ADJUNCTS if self.verb is not None else _ADJUNCTS | {"xcomp", "relcl"}
        if self.is_of_existence and self.doer is not None:  # "there is no lift in the building"
            found = [child for child in self.doer.children if child.dep_ == "prep" and child.lower_ in PLACES]
        else:
            found = []
        return [child for child in (*found, *(one for token in of.values() for one in token.children))
                if (child in found or child.dep_ in kinds) and child.i not in known
                and not any(one.dep_ == "pcomp" and one.i in known for one in child.children)]  # fmt: skip


def assertions(doc: Doc) -> Iterator[Assertion]:
    """Yield what a sentence asserts; nothing of what is only supposed, reported, planned or asked."""
    for token in doc:
        if token.pos_ in _VERBS and token.dep_ not in {"aux", "auxpass"} and _is_asserted(token):
            yield from _of_clause(token)
        elif token.dep_ == "ROOT" and token.pos_ in {"NOUN", "PROPN"} and _is_notice(token):
            yield Assertion(CAN, is_denied=True, verb=None, doer=None, done_to=token, path=(token,), tense=PRESENT,
                            is_barred=True)  # fmt: skip


def _is_notice(noun: Token) -> bool:
    """Return whether a noun stands on a sign: "No dogs on the ferry"."""
    return any(child.lower_ == "no" and child.dep_ == "det" for child in noun.children) and not any(
        token.pos_ in _VERBS for token in noun.doc
    )


def _is_asserted(verb: Token) -> bool:
    """Return whether a verb stands in a main clause, or in one that is said to be true."""
    if verb.dep_ == "ROOT":
        return True
    head, marks = verb.head, {child.lower_ for child in verb.children if child.dep_ == "mark"}
    if verb.dep_ == "conj":
        return head.pos_ in _VERBS and _is_asserted(head)
    if verb.dep_ == "advcl":
        return bool(marks & _FACTUAL) and _is_asserted(head)
    if verb.dep_ != "ccomp" or head.pos_ not in _VERBS or not _is_asserted(head):
        return False
    if verb.i < head.i:
        return any(token.text in {";", ":"} for token in verb.doc[verb.i : head.i])
    is_said = head.lemma_ in _TOLD and not any(child.lower_ in _DENYING | _UNREAL for child in head.children)
    return is_said and marks <= {"that"} and not any(child.lower_ in _DENYING for token in head.lefts
                                                     for child in token.subtree)  # fmt: skip


def _of_clause(verb: Token) -> Iterator[Assertion]:
    """Yield what a clause asserts: as it stands, and, of what is allowed, required or begun, that as well."""
    shared = _shared(verb)
    helpers = [child for child in shared.children if child.dep_ in {"aux", "auxpass"} and child.i < verb.i]
    said = {child.lower_ for child in helpers}
    if said & _UNREAL or (said & _MODALS.keys() - {"will", "wo"} and "have" in said) or _is_one_of_several(verb):
        return
    force = next((_MODALS[child.lower_] for child in helpers if child.lower_ in _MODALS), IS)
    subject = _subject(verb)
    if subject is None:
        if not _is_order(verb):
            return
        force = MUST
    is_passive = _is_passive(verb)
    doer, done_to = (_agent(verb), subject) if is_passive else (subject, _object(verb))
    whole = Assertion(force, is_denied=False, verb=verb, doer=doer, done_to=done_to, path=(verb,),
                      tense=_tense(verb, helpers))  # fmt: skip
    for found in [whole, *(_within(whole) if force == IS or "shall" in said else ())]:
        if (told := _denied(found)) is not None:
            yield told


def _within(whole: Assertion) -> Iterator[Assertion]:
    """Yield what is allowed, forbidden, required, ended or begun by a clause, from the outside to the inside."""
    subject, told = _subject(whole.path[0]), whole
    for _ in range(_DEEPEST):
        said = _predicate(told.path[-1])
        word, inner = said.lemma_.lower(), _inner(told.path[-1]) or _inner(said)
        if word not in _MEANINGS or (inner is None and word in _OF_DEEDS):
            return
        force, is_turned = _MEANINGS[word]
        path = (*told.path, said) if said != told.path[-1] else told.path
        told = replace(told, force=force or told.force, path=path, is_turned=is_turned, has_ended=word in _ENDING)
        is_active = said.pos_ == "VERB" and not _is_passive(said) and force is not None
        is_needing = is_active and word in {"need", "have"}
        thing = _object(said) if is_active else subject
        if inner is None or (word in _REQUIRED and not _is_empty(subject)):  # "a permit is required to fish"
            whose = subject if is_needing else None
            yield from [replace(told, verb=None, doer=whose, done_to=thing)] if thing is not None else []
        if inner is None:
            return
        own = next((child for child in inner.children if child.dep_ in _SUBJECTS), None)
        who = own or (_for(said) if _is_empty(subject) else thing if is_active and not is_needing else subject)
        doer, done_to = (_agent(inner), who) if _is_passive(inner) else (who, _object(inner))
        told = replace(told, verb=inner, doer=doer, done_to=done_to, path=(*path, inner))
        yield told


def _is_empty(subject: Token | None) -> bool:
    """Return whether a subject stands for what follows: "it is possible to enter"."""
    return subject is not None and subject.lower_ == "it"


def _denied(told: Assertion) -> Assertion | None:
    """Return an assertion with whether it is denied; None where that is unclear: it is denied twice, or in part."""
    first = told.path[0]
    verbs = {token.i: token for token in (*told.path, _shared(first))}
    near = [child for token in verbs.values() for child in token.children if child.dep_ in {"attr", "acomp", "dobj"}]
    parts = [part for part in (_subject(first), told.doer, told.done_to, *near) if part is not None]
    found = {one.i for token in verbs.values() for one in _negations(token)}
    found |= {one.i for part in parts for one in (part, *part.children) if one.lower_ in _DENYING and one.dep_ != "cc"}
    loose = {token.i for token in told.words if token.lower_ in _DENYING and not _is_condition(token, told)} - found
    cancels = any(token.lemma_.lower() in _FORBIDDEN | _FREE for token in told.path)
    if loose or len(found) + told.is_turned > (2 if cancels else 1):
        return None
    is_denied = (len(found) + told.is_turned) % 2 == 1
    able = {"can", "ca", "able", "unable", "possible"}
    is_barred = is_denied and told.force != IS and not any(token.lower_ in able for token in told.words)
    is_order = is_denied and told.force == MUST and (_subject(first) is None or _is_modal(first, {"must", "shall"}))
    return replace(told, force=CAN if is_order else told.force, is_denied=is_denied, is_barred=is_barred)


def _inner(word: Token) -> Token | None:
    """Return the verb that completes a word: "allowed to enter", "prohibited from entering"."""
    behind = [child for child in word.children if child.dep_ in {"xcomp", "advcl", "ccomp", "relcl"}]
    behind += [
        one for child in word.children if child.lower_ == "from" for one in child.children if one.dep_ == "pcomp"
    ]
    return next(filter(_is_bare, behind), None)


def _is_modal(verb: Token, which: set[str]) -> bool:
    return any(child.lower_ in which and child.dep_ == "aux" for child in _shared(verb).children)


def limited(told: Assertion) -> set[str]:
    """Return the words that limit or hedge what is asserted: "often", "not only", "most"."""
    doc = told.path[0].doc
    found = set()
    for token in told.words:
        if token.lower_ in _HEDGES and not _is_condition(token, told):
            found.add(token.lower_)
        following = doc[token.i + 1] if token.i + 1 < len(doc) else None
        if token.lower_ in _NOT and following is not None and following.lower_ in _SCOPES:
            found.add(following.lower_)
    return found


def _is_condition(token: Token, told: Assertion) -> bool:
    """Return whether a word stands in a clause that only says when, why or on what condition."""
    return any(token.i in {one.i for one in top.subtree} for top in told.adjuncts if top.dep_ == "advcl")


def _inside(top: Token) -> Iterator[Token]:
    """Yield a word and what belongs to it, without clauses joined to it."""
    yield top
    for child in top.children:
        is_clause = child.dep_ in {"conj", "ccomp", "parataxis"} and child.pos_ in _VERBS and top.pos_ in _VERBS
        if not is_clause and child.dep_ not in {"cc", "punct"}:
            yield from _inside(child)


def _negations(verb: Token) -> list[Token]:
    near = [child for child in verb.children if child.dep_ == "neg" or child.lower_ in _NOT]
    return near + [one for child in verb.children if child.lower_ in {"longer", "more"}
                   for one in child.children if one.lower_ in {"no", "not"}]  # fmt: skip


def _shared(verb: Token) -> Token:
    """Return the verb whose auxiliaries count: "may not smoke or drink"."""
    own = any(child.dep_ in {"aux", "auxpass"} | _SUBJECTS for child in verb.children)
    if verb.dep_ == "conj" and not own and verb.tag_ in {"VB", "VBN", "VBG"} and verb.head.tag_ == verb.tag_:
        return _shared(verb.head)
    return verb


def _is_one_of_several(verb: Token) -> bool:
    """Return whether a verb is one of two of which one is so: "stops or slows"."""
    joined = [*verb.conjuncts]
    return any(child.lower_ in {"or", "either"} and child.dep_ in {"cc", "preconj"} for token in (verb, *joined)
               for child in token.children) and any(token.pos_ in _VERBS for token in joined)  # fmt: skip


def _subject(verb: Token) -> Token | None:
    """Return the subject of a verb; one without its own has that of the verb it is joined to."""
    own = next((child for child in verb.children if child.dep_ in _SUBJECTS), None)
    if own is None and any(child.dep_ == "expl" for child in verb.children):  # "there is no fee"
        own = next((child for child in verb.children if child.dep_ == "attr"), None)
    if own is None and verb.dep_ == "conj" and verb.head.pos_ in _VERBS:
        return _subject(verb.head)
    return own


def _is_order(verb: Token) -> bool:
    helpers = {child.lower_ for child in verb.children if child.dep_ in {"aux", "auxpass"}}
    return verb.dep_ == "ROOT" and verb.tag_ in {"VB", "VBP"} and helpers <= {"do"} and verb.pos_ == "VERB"


def _tense(verb: Token, helpers: Iterable[Token]) -> str:
    first = next(iter(helpers), verb)
    if first.lower_ in {"will", "wo", "shall"}:
        return FUTURE
    is_bare = first == verb and verb.tag_ == "VBN"  # the parser takes "leaked" for a participle
    return PAST if first.tag_ == "VBD" or is_bare or first.lower_ in {"did", "was", "were", "had"} else PRESENT


def _is_passive(verb: Token) -> bool:
    own, shared = verb.children, _shared(verb)
    is_shared = shared != verb and any(child.dep_ == "auxpass" for child in shared.children)
    return is_shared or any(child.dep_ in {"auxpass", "nsubjpass"} for child in own)


def _predicate(verb: Token) -> Token:
    """Return the adjective behind "be", or the verb itself."""
    if verb.lemma_ != "be":
        return verb
    return next((child for child in verb.children if child.dep_ == "acomp"), verb)


def _is_bare(verb: Token) -> bool:
    """Return whether a verb has "to", or ends in "-ing"."""
    return (
        verb.tag_ == "VBG"
        or (verb.tag_ == "VB" and any(child.lower_ == "to" for child in verb.children))
        or (verb.tag_ in {"VBN", "JJ"} and any(child.lower_ == "to" and child.dep_ == "aux" for child in verb.children))
    )


def _object(verb: Token) -> Token | None:
    kinds = {"attr", "acomp"} if verb.lemma_ == "be" else {"dobj", "oprd"}
    return next((child for child in verb.children if child.dep_ in kinds), None)


def _agent(verb: Token) -> Token | None:
    """Return who does what a passive verb says."""
    agent = next((child for child in verb.children if child.dep_ == "agent"), None)
    return next((child for child in agent.children if child.dep_ == "pobj"), None) if agent is not None else None


def _for(word: Token) -> Token | None:
    """Return for whom something is possible."""
    found = next((child for child in word.children if child.dep_ == "prep" and child.lower_ == "for"), None)
    return next((child for child in found.children if child.dep_ == "pobj"), None) if found is not None else None


def forms(token: Token) -> set[str]:
    """Return the stems of a word as it stands and of its base form."""
    return {stem(token.text), stem(token.lemma_)}
