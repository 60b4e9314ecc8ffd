"""Questions that a sentence answers: its reason, its time, its sum or who did it becomes the question word.

Only plain statements are turned: one subject before one verb, and what is asked for at an end of the rest, so that what
is left reads as English (after Heilman and Smith 2010, "Good Question! Statistical Ranking for Question Generation").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from explorer.language.capitals import Capitals
from explorer.language.pipeline import parse, parsed
from explorer.language.questions import PERSON, kind_of

if TYPE_CHECKING:
    from explorer.language.pipeline import Doc, Token

_SUBJECTS = {"nsubj", "nsubjpass"}
_AUXILIARIES = {"aux", "auxpass"}
_DID = {"VBD": "did", "VBZ": "does", "VBP": "do"}
_REASONS = {"because", "since"}
_BEFORE_TIMES = {"on", "in", "at"}
_LASTING = frozenset(
    "second seconds minute minutes hour hours day days week weeks month months year years about".split()
)
_ELSEWHERE = frozenset("he she it they him her them his its their this that these those same other here there".split())
_COMMON = {"NN", "NNS", "VBN", "VBG"}  # tags of what is no name
_BEGINNING = {"det", "poss", "compound", "nummod"}  # of an object that is surely one, unlike "deep underwater"
_LIGHT = {"have", "do", "make", "take", "give", "get", "see", "mean"}  # verbs of which "what" asks little
_COMPLEMENTS = {"acomp", "ccomp", "oprd", "xcomp"}  # without which its object is not what a verb is about
_POINTING = {"PRON", "DET"}  # parts of speech of subjects that need the sentence before
_WITHIN_WORDS = {"-", "–", "/"}
_LONGEST_SUBJECT, _LONGEST_REST = 8, 14  # words
_FEWEST, _MOST = 5, 40  # words of a sentence
_LEAST = 3  # words of a question


def questions_from(sentences: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield questions with the sentence that answers each, in the order of the sentences.

    Raises ModelError without a parser.
    """
    texts = list(sentences)
    capitals = Capitals(" ".join(texts))
    for doc, sentence in parse((text, text) for text in texts):
        for question in _asked(doc, capitals):
            yield question, sentence


def ends_in_noun(words: str) -> bool:
    """Return whether a few words, as the head of a column, end in a noun: "opens" and "joined" do not."""
    doc = parsed(f"the {words}") if words else None
    alone = parsed(words) if words and " " not in words else None
    return doc is not None and doc[-1].pos_ in {"NOUN", "PROPN"} and not (alone and alone[-1].pos_ == "VERB")


def _asked(doc: Doc, capitals: Capitals) -> Iterator[str]:
    verb = next((token for token in doc if token.dep_ == "ROOT"), None)
    if verb is None or verb.pos_ not in {"VERB", "AUX"} or not _FEWEST <= len(doc) <= _MOST:
        return
    subjects = [child for child in verb.children if child.dep_ in _SUBJECTS]
    if len(subjects) != 1 or any(child.dep_ == "neg" for child in verb.children):
        return
    subject = list(subjects[0].subtree)
    helping = [child for child in verb.children if child.dep_ in _AUXILIARIES and child.i < verb.i]
    if not _is_plain(subjects[0], subject, helping, verb):
        return
    named = _named(subject, capitals)
    rest = [token for token in doc[verb.i + 1 :] if not token.is_punct or token.i < len(doc) - 1]
    parts = list(_parts(verb))
    for word, part in parts:
        left = _without(rest, part)
        if word == "What" and subjects[0].ent_type_ == "PERSON" and verb.lemma_ == "be":
            continue  # who it was is asked below
        if left is not None and (question := _turned(word, named, helping, verb, left)):
            yield question
    yield from _measured(named, helping, verb)
    if subjects[0].ent_type_ == "PERSON" and subjects[0].pos_ == "PROPN" and len(subject) > 1:
        times = [part for word, part in parts if word in {"Why", "When"}]
        left = _without(rest, times[0]) if times else _clause(rest)
        if left and not (verb.lemma_ == "be" and any(token.dep_ == "relcl" for token in left)):
            yield from _ended("Who", [token.text_with_ws for token in (*helping, verb, *left)])


def _named(subject: Sequence[Token], capitals: Capitals) -> str:
    """Return a subject as it stands inside a question: with a capital only if that is its own."""
    named = "".join(token.text_with_ws for token in subject).strip()
    begin = subject[0]
    in_name = begin.dep_ == "compound" and begin.head.pos_ == "PROPN" and begin.is_title
    is_small = begin.pos_ == "DET" or not (begin.ent_type_ or in_name or capitals.is_own(begin))
    is_small = is_small or (begin.tag_ in _COMMON and not begin.ent_type_ and not in_name)
    return begin.lower_ + named[len(begin.text) :] if is_small else named


def _measured(named: str, helping: Sequence[Token], verb: Token) -> Iterator[str]:
    """Yield what asks how many, how long, and by whom or what: what stands behind these is left away."""
    for child in verb.children:
        if child.i < verb.i:
            continue
        number = next((one for one in child.children if one.dep_ == "nummod" and one.i < child.i), None)
        inner = next((one for one in child.children if one.dep_ == "pobj"), None)
        is_count = child.dep_ == "dobj" and child.tag_ == "NNS" and number is not None and number.ent_type_ != "DATE"
        if is_count and number is not None and not _is_known(child) and not _has_complement(verb):
            things = "".join(token.text_with_ws for token in child.doc[number.i + 1 : child.i + 1]).strip()
            word = "How much" if number.ent_type_ == "MONEY" else f"How many {things}"
            yield from filter(None, [_turned(word, named, helping, verb, [])])
        elif child.dep_ == "prep" and child.lower_ == "for" and inner is not None and inner.lower_ in _LASTING:
            between = _clause(list(child.doc[verb.i + 1 : child.i]))
            is_once = between is not None and not any(one.lower_ == "for" for one in between)
            if between is not None and is_once and any(one.dep_ == "nummod" for one in inner.children):
                yield from filter(None, [_turned("How long", named, helping, verb, between)])
        elif child.dep_ == "agent" and inner is not None and inner.ent_type_ in {"PERSON", ""}:  # not of a firm
            was = [one for one in helping if one.lower_ in {"was", "were"}]
            is_past = was == helping and was and verb.text.endswith("ed")  # "was opened": "Who opened the library?"
            if is_past and inner.pos_ != "PRON":
                is_person = inner.ent_type_ == "PERSON" or kind_of(inner.lemma_.lower()) == PERSON
                yield from _ended("Who" if is_person else "What", [f"{verb.text} ", f"{named} "])


def _is_plain(head: Token, subject: Sequence[Token], helping: Sequence[Token], verb: Token) -> bool:
    """Return whether a sentence begins with its subject, which says by itself what it is, and its verb follows."""
    behind = [*helping, verb]
    is_alone = not any(token.lower_ in _ELSEWHERE or token.pos_ == "AUX" for token in subject)
    if not is_alone or subject[0].text[0].isdigit():
        return False
    if head.pos_ in _POINTING or len(subject) > _LONGEST_SUBJECT or any(token.is_punct for token in subject):
        return False
    begins = subject[0].i == 0 and subject[-1].i == subject[0].i + len(subject) - 1
    between = [token for token in head.doc[subject[-1].i + 1 : verb.i] if token not in behind]
    return begins and not between


def _is_known(thing: Token) -> bool:
    """Return whether a thing is one that was told of: "the three astronauts", "its three parts"."""
    return any(one.dep_ in {"det", "poss"} for one in thing.children)


def _has_complement(verb: Token) -> bool:
    """Return whether something is said of its object: "kept them alive", "asked two men to wait"."""
    return any(child.dep_ in _COMPLEMENTS for child in verb.children if child.i > verb.i)


def _parts(verb: Token) -> Iterator[tuple[str, list[Token]]]:
    """Yield the parts of a predicate that can be asked for, each with its question word."""
    for child in verb.children:
        part = list(child.subtree)
        if child.i < verb.i:
            continue
        if _is_reason(child):
            yield "Why", part
        elif child.dep_ == "prep" and child.lower_ in _BEFORE_TIMES and _is_time(part[1:]):
            yield "When", part
        elif child.dep_ in {"dobj", "attr"} and verb.lemma_ == "cost" and child.ent_type_ == "MONEY":
            yield "How much", part
        elif _is_told(child, verb, part[0]):
            yield "What", part


def _is_reason(part: Token) -> bool:
    if part.dep_ == "advcl":
        return any(one.lower_ in _REASONS and one.dep_ == "mark" for one in part.children)
    return part.dep_ == "prep" and part.lower_ in {"because", "due"} and part.n_rights > 0


def _is_told(part: Token, verb: Token, begin: Token) -> bool:
    """Return whether "what" asks for a part: what something is, or what its verb is about."""
    if begin.lower_ in _ELSEWHERE:
        return False
    if part.dep_ == "attr":
        if verb.tag_ == "VBD" and not any(one.pos_ == "PROPN" for one in verb.children if one.dep_ in _SUBJECTS):
            return False  # "the work was the main reason" does not tell what the work was
        is_said = not any(child.dep_ in _AUXILIARIES for child in verb.children)  # "must be a number"
        return verb.lemma_ == "be" and begin.dep_ == "det" and not part.ent_type_ and is_said
    is_thing = part.pos_ in {"NOUN", "PROPN"} and (begin.dep_ in _BEGINNING or part.tag_ == "NNS" or part.n_rights > 0)
    return part.dep_ == "dobj" and is_thing and verb.lemma_ not in _LIGHT and begin.i == verb.i + 1


def _is_time(tokens: Sequence[Token]) -> bool:
    """Return whether words name a time, and not how long something took."""
    if any(token.lower_ in _LASTING for token in tokens):
        return False
    return bool(tokens) and all(token.ent_type_ in {"DATE", "TIME"} or token.lower_ == "the" for token in tokens)


def _without(rest: Sequence[Token], part: Sequence[Token]) -> list[Token] | None:
    """Return what is left of a predicate before a part of it; None where more follows, or it needs other sentences."""
    begin, end = part[0].i, part[-1].i
    if any(token.like_num and token.head.dep_ == "prep" for token in rest if token.i < begin):
        return None  # "at 3 in the morning" is one time
    behind = [token for token in rest if token.i > end and not token.is_punct]
    return None if behind else _clause([token for token in rest if token.i < begin])


def _clause(rest: Sequence[Token]) -> list[Token] | None:
    """Return the rest of a predicate where it is one clause that is understood by itself; None for others."""
    signs = any(token.is_punct and token.text not in _WITHIN_WORDS for token in rest)
    joined = any(token.dep_ in {"conj", "advcl"} and token.pos_ in {"VERB", "AUX"} for token in rest)
    pointing = any(token.lower_ in _ELSEWHERE for token in rest)
    return None if signs or joined or pointing or len(rest) > _LONGEST_REST else list(rest)


def _turned(word: str, named: str, helping: Sequence[Token], verb: Token, left: Sequence[Token]) -> str | None:
    """Return a question: question word, helping verb, subject, verb, rest."""
    if helping:
        first, behind = helping[0].lower_, [f"{token.text} " for token in (*helping[1:], verb)]
    elif verb.lemma_ == "be":
        first, behind = verb.lower_, []
    elif verb.tag_ in _DID:
        first, behind = _DID[verb.tag_], [f"{verb.lemma_} "]
    else:
        return None
    words = [f"{first} ", f"{named} ", *behind, *(token.text_with_ws for token in left)]
    return next(_ended(word, words), None)


def _ended(word: str, words: Sequence[str]) -> Iterator[str]:
    """Yield a question of these words, where there are enough."""
    text = " ".join("".join(words).split()).rstrip(" ,;:.!")
    if len(text.split()) >= _LEAST:
        yield f"{word} {text}?"
