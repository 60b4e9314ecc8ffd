"""Parts of a question: what asks or orders something of its own, made to stand alone, and the sides of a comparison.

What the parse and the words between clauses do not decide stays one part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.language.pipeline import parsed
from explorer.language.questions import ASKING, ORDERS, PERSON, read, readable
from explorer.language.sentences import sentences
from explorer.language.words import phrases

if TYPE_CHECKING:
    from explorer.language.pipeline import Doc, Token

LONGEST = 20_000  # characters: what is longer holds a document, and is not split
_LONG = 2_000  # characters of a sentence or goal that are read; a longer one is no question
_FEW = 3  # words of what only the sentence before completes, as "When?"
_BULLET = re.compile(r"^\s*(?:[-*•–]|\(?(?:\d{1,2}|[a-hA-H])[.)])\s+")
_MARK = re.compile(r"(?:^|(?<=\s))\(?(?:\d{1,2}|[a-h])[.)]\s+")
_LEADING = frozenset("also please first firstly second secondly third next so and ,".split())
_POLITE = frozenset("please kindly can could would will do you i we like to".split())
_KNOWING = frozenset({"know", "wonder", "understand", "learn"})
_BOTH = re.compile(
    r"(where|when|why|how|how (?:much|many) \w+) and (where|when|why|how|how (?:much|many) \w+) "
    r"((?:is|are|was|were|do|does|did|has|have|had|can|could|will|would)\b[^?]+)", re.IGNORECASE
)  # fmt: skip
_COMPARED = re.compile(
    r"(?:please )?(?:compare|contrast)(?: and (?:contrast|compare))? (.{1,300})"
    r"|how (?:do|does|did) (.{1,300}?) (?:compare|differ)(?: (?:with|to|against|from) (.{1,300}))?"
    r"|(?:what (?:is|are) )?(?:the )?(?:comparison|differences?|similarit\w+) (?:of|between) (.{1,300})"
    r"|what (?:do|does|did) (.{1,300}) have in common", re.IGNORECASE
)  # fmt: skip
_LIKE = re.compile(r"(.{1,300}?),? (?:as )?compared (?:with|to) (.{1,300})", re.IGNORECASE)
_JOINED = re.compile(r"(?:,? (?:and|with|to|from|against|versus|vs\.?) |, )(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)(?![^“]*”)")
_THEN = frozenset("then afterwards thereafter finally lastly".split())
_PRONOUNS = frozenset("he she him her his it its they them their".split())
_WHOM = frozenset("he she him her his they them their".split())
_POINTING = frozenset({"this", "that", "these", "those"})
_NEAR = 8  # parts before, which may name what a pronoun means
_NAMES = 3  # that are put in brackets
_RELATIVE = frozenset({"who", "whom", "whose", "which"})
_ENDS = "?？؟!"
_ASKS, _TOLD, _ORDERS = "asks", "told", "orders"  # "why did it break", "why it broke", "find it"


@dataclass(slots=True)
class _Clause:
    """Where a clause is cut off: after `end` of the one before, at `start`; how it asks, and at which word."""

    end: int
    start: int
    asks: int
    kind: str
    follows: bool = False


def parts(question: str) -> list[tuple[str, ...]]:
    """Return the parts of a question, each as its steps: several where "then" joins them. One part stays as it is."""
    whole, before = question.strip(), list[str]()
    found: list[tuple[str, ...]] = []
    for text, follows in _clauses(_BOTH.sub(r"\1 \3, and \2 \3", whole)) if len(whole) <= LONGEST else ():
        pronoun = open_pronoun(text) if before else None
        step = with_names(text, _named(before)) if pronoun is not None else text
        is_whom = pronoun is not None and pronoun.lower_ in _WHOM and found and read(found[-1][0]).kind == PERSON
        if found and (follows or is_whom):  # "Who wrote it, and where was he born?"
            found[-1] += (step,)
        else:
            found.append((step,))
        before.append(step)
    return found if sum(map(len, found)) > 1 else [(whole,)]


def _named(before: Sequence[str]) -> Sequence[str]:
    """Return what the latest part names that names anything."""
    near = (part for part in before[:-_NEAR:-1] if len(part) < _LONG)
    return next(filter(None, (read(part).names or list(_phrases(part)) for part in near)), ())


def _phrases(part: str) -> Iterator[str]:
    """Yield the phrases of a part; after "did" the last word is its verb, which the parser may take for a noun."""
    doc = parsed(readable(part))
    last = doc[-2].text if len(doc) > 2 and "did" in doc.text and all(one.pos_ != "VERB" for one in doc) else ""
    for phrase in read(part).phrases or phrases(part):
        if bare := phrase.removesuffix(last).strip():
            yield bare


def with_names(text: str, found: Sequence[str]) -> str:
    """Return a question with names in brackets at its end, so that a search finds them; not those it has."""
    new = [name for name in dict.fromkeys(found) if name.lower() not in text.lower()][:_NAMES]
    bare = text.rstrip("?.! ")
    begun = f"{bare[:-1]}, " if bare.endswith(")") else f"{bare} ("
    return f"{begun}{', '.join(new)}){text[len(bare) :].strip() or '?'}" if new else text


def open_pronoun(text: str) -> Token | None:
    """Return the first pronoun that stands for nothing before it: no subject, if it is no object of the same verb."""
    doc = parsed(readable(text)[-_LONG:])
    subjects = [one for one in doc if one.dep_ in {"nsubj", "nsubjpass"} and one.pos_ in {"NOUN", "PROPN"}]
    for token in doc:
        verb = token.head if token.head.pos_ != "ADP" else token.head.head
        before = [one for one in subjects if one.i < token.i and (token.tag_ == "PRP$" or one.head != verb)]
        which = token.lower_ == "which" and token.dep_ == "nsubj" and token.head.dep_ != "relcl"
        points = token.lower_ in _POINTING and token.tag_ == "DT" and token.dep_ != "det"
        meant = token.tag_ in {"PRP", "PRP$"} and token.lower_ in _PRONOUNS and token.dep_ != "expl"
        if (meant and not before) or points or (which and token.head.lemma_ == "be"):
            return token
    return None


def _clauses(text: str) -> list[tuple[str, bool]]:
    """Return what asks, and whether it is a step after the one before; what asks nothing goes with the next."""
    found: list[tuple[str, bool]] = []
    context = ""
    for sentence in (one for item in _items(text) for one in sentences(item)):
        line = readable(sentence)
        asked = list(_read(parsed(line))) if len(line) <= _LONG else []
        if not asked and found and not context and (line.count(" ") < _FEW or line[:1].islower()):
            found[-1] = (f"{found[-1][0]} {line}", found[-1][1])
        elif asked or line[-1:] in _ENDS:
            (first, follows), *others = asked or [(line, False)]
            found, context = [*found, (f"{context} {first}".strip(), follows), *others], ""
        else:
            context = f"{context} {line}".strip()
    return [*found[:-1], (f"{found[-1][0]} {context}".strip(), found[-1][1])] if found else []


def _items(text: str) -> Iterator[str]:
    """Yield the items of a list, in lines or in one, and runs of other lines."""
    held = ""
    for line in filter(str.strip, text.splitlines()):
        marked = _MARK.split(line) if len(_MARK.findall(line)) > 1 else []
        items = [item.rstrip(" ,;").removesuffix(" and") for item in marked if item.strip()]
        if held and (items or _BULLET.match(line) or held[-1] in _ENDS):
            yield held
            held = ""
        yield from items
        held = held if items else f"{held} {_BULLET.sub('', line).strip()}".strip()
    yield held


def _read(doc: Doc) -> Iterator[tuple[str, bool]]:
    """Yield the clauses of a sentence, the first with what stands before it; none where nothing is asked."""
    cuts = _cuts(doc)
    order, mark = "", "?"
    for cut, end in zip(cuts, [*[cut.end for cut in cuts], len(doc)][1:], strict=True) if cuts else ():
        if cut.kind != _TOLD:
            order, mark = _head(doc, cut, end), "." if cut.kind == _ORDERS else "?"
        text = doc[cut.start : end].text.strip(" ,;:–—").rstrip(_ENDS + " ").removesuffix(".")
        text = f"{order} {text}" if cut.kind == _TOLD else text
        order = order or doc[cut.asks].text
        yield f"{text[:1].upper()}{text[1:]}{mark}", cut.follows


def _cuts(doc: Doc) -> list[_Clause]:
    """Find where clauses begin that ask or order something of their own."""
    cuts: list[_Clause] = []
    i = 0
    while i < len(doc):
        at, then = _led(doc, i)
        kind = _opening(doc, at, first=i == 0) if at > i or i == 0 else ""
        if not cuts and kind and kind != _TOLD:
            cuts.append(_Clause(0, at if i == 0 else 0, at, kind, then))
        elif cuts and (kind or then) and _is_apart(doc, cuts[-1], (i, at), kind, then=then):
            cuts.append(_Clause(i, at, at, kind or _TOLD, then))
        i = max(i + 1, at)
    return cuts


def _led(doc: Doc, i: int) -> tuple[int, bool]:
    """Pass over what joins a clause to the one before; return where it begins, and whether it is a step."""
    k, then = i, False
    while k < len(doc) and (doc[k].text in ",;:—–-&" or doc[k].tag_ == "CC"):
        k += 1
    while k < len(doc) and (k > i or i == 0 or doc[i - 1].pos_ not in {"ADP", "SCONJ", "AUX", "ADV"}):
        after = doc[k : k + 2].text.lower() == "after that"
        if not after and doc[k].lower_ not in _THEN and (k == i > 0 or doc[k].lower_ not in _LEADING):
            break
        then = then or after or doc[k].lower_ in _THEN
        k += 1 + after
    return k, then


def _opening(doc: Doc, at: int, *, first: bool) -> str:
    """Return how a clause asks or orders that begins at a word, if it does; a capital within is a title's."""
    if at >= len(doc) or (doc[at].is_title and not first):
        return ""
    asked = at + (doc[at].pos_ == "ADP" and at + 1 < len(doc))
    if doc[asked].tag_ in ASKING and doc[asked].lower_ != "that":
        return _of_question(doc, asked)
    return _ASKS if _is_inverted(doc[at]) else _ORDERS if _orders(doc[at], first=first) else ""


def _of_question(doc: Doc, asked: int) -> str:
    """Read on from a question word to the verb: an auxiliary asks, a subject before the verb tells."""
    takes_noun = doc[asked].lower_ in {"which", "what", "whose", "how"}
    for token in doc[asked + 1 : asked + 12]:
        if token.tag_ in {"CC", ","} or token.tag_ in ASKING:
            break
        if token.pos_ == "AUX" or (token.lower_ in {"do", "does", "did"} and token.i + 1 < len(doc)):
            return "" if doc[token.i + 1 : token.i + 2].text in "?.," else _ASKS
        if token.pos_ == "VERB":
            return _TOLD if doc[asked].lower_ in {"when", "where", "why"} else _ASKS
        is_subject = token.tag_ in {"PRP", "PRP$"} or (token.dep_ == "nsubj" and not takes_noun)
        if is_subject or (token.pos_ == "DET" and doc[token.i - 1].pos_ != "ADP"):
            return _TOLD
    return ""


def _is_inverted(token: Token) -> bool:
    """Return whether an auxiliary stands before its subject."""
    if token.pos_ != "AUX" and token.lower_ not in {"do", "does", "did", "has", "have", "had"}:
        return False
    verbs = {token.i, token.head.i} if token.dep_.startswith("aux") else {token.i}
    after = token.doc[token.i + 1 : token.i + 13]
    subject = any(one.dep_ in {"nsubj", "nsubjpass", "expl"} and one.head.i in verbs for one in after)
    return subject or (len(after) > 0 and after[0].pos_ == "DET" and after[0].head.dep_ == "attr")


def _orders(token: Token, *, first: bool) -> bool:
    """Return whether a verb orders: it has something to act on, and no subject."""
    after = token.doc[token.i + 1 : token.i + 2]
    if token.lower_ not in ORDERS or not after or after[0].is_punct or after[0].pos_ in {"AUX", "VERB"}:
        return False
    subjects = [one.lower_ for one in token.children if one.dep_ in {"aux", "nsubj"} and one.i < token.i]
    is_noun = first and token.pos_ == "NOUN" and after[0].pos_ == "NOUN"  # "Report cards"
    return after[0].lower_ != "of" and not is_noun and (first or not subjects or "you" in subjects)


def _is_apart(doc: Doc, now: _Clause, joint: tuple[int, int], kind: str, *, then: bool) -> bool:
    """Return whether a clause asks for itself, and does not go on with the one before."""
    i, at = joint
    comma, joined = doc[i].is_punct, then or any(token.lower_ in {"and", "but", "&"} for token in doc[i:at])
    if not kind:  # "then its founder"
        return now.kind != _ASKS and at < len(doc) and doc[at].pos_ in {"DET", "PRON"}
    if kind == _TOLD:
        return joined and bool(_head(doc, now, i))
    if kind == _ORDERS:
        return comma or then or (doc[i - 1].pos_ != "VERB" and doc[i - 1].lower_ not in ORDERS)
    near = doc[at : at + 12]
    if near[0].pos_ == "AUX":
        return joined and (doc[now.asks].pos_ == "AUX" or comma or near[1].tag_ == "PRP")
    if near[0].lower_ not in _RELATIVE or any(one.tag_ in {"PRP", "PRP$"} for one in near):
        return True
    if not joined:
        return doc[i - 1].pos_ not in {"NOUN", "PROPN", "NUM"}  # "…, who commanded Apollo 13" tells of it
    kin = {"that", "whose", *(("which",) if near[0].lower_ == "which" else ("who", "whom"))}
    told = len(_head(doc, now, i).split())
    return not {token.lower_ for token in doc[now.asks + 1 + told : i]} & kin


def _head(doc: Doc, cut: _Clause, end: int) -> str:
    """Return the words that tell of a question: "explain" of "explain why", "do you know" of "do you know who"."""
    tells = cut.kind == _ORDERS or doc[cut.asks].pos_ == "AUX"
    for token in doc[cut.asks + 1 : min(cut.asks + 7, end)] if tells else ():
        if token.tag_ in ASKING and (cut.kind == _ORDERS or token.nbor(-1).lemma_ in {"know", "tell", "say"}):
            return doc[cut.start : token.i].text.strip(" ,")
    return ""


def content(goal: str) -> str:
    """Return what a goal asks for, without the words that order it: "tell me who …", "do you know …"."""
    doc = parsed(readable(goal)[:_LONG])
    at = next((token.i for token in doc if token.lower_ not in _LEADING | _THEN | _POLITE), 0)
    rest = next((token.i for token in doc[at + 1 :] if token.lower_ not in {"me", "us", "out", "about"}), at)
    asks = rest > at and doc[rest].tag_ in ASKING
    knows = asks and doc[at].lower_ in _KNOWING
    if not knows and (rest == at or doc[at].lower_ not in ORDERS or not _opening(doc, at, first=True)):
        return goal
    return doc[rest:].text.rstrip(". " if asks else "?!. ")


def sides(goal: str) -> list[str]:
    """Return a question for each side of a comparison; the goal itself where there is none, or a side is no noun."""
    bare = goal.rstrip("?.! ")
    match = _COMPARED.fullmatch(bare)
    listed = [one for text in match.groups() if text for one in _JOINED.split(text)] if match else []
    if like := _LIKE.fullmatch(bare):
        first = parsed(like[1])
        named = next((first[token.left_edge.i :].text for token in first if token.pos_ == "PROPN"), "")
        return [f"{like[1]}?", f"{like[1].removesuffix(named)}{like[2]}?"] if named else [goal]
    words = [token for one in listed for token in parsed(one)]
    if len(listed) < 2 or (" of " in listed[-1] and " of " not in listed[0]) or any(map(_is_no_noun, words)):
        return [goal]
    of = listed[0].partition(" of ")[0] if " of " in listed[0] else ""
    listed = [f"{of} of {one}" if of and " of " not in one and not one.startswith("the ") else one for one in listed]
    return [_about(re.sub(r"^th(?:at|ose) of", f"{of} of", one)) for one in listed]


def _is_no_noun(token: Token) -> bool:
    return token.tag_ in ASKING or token.pos_ in {"VERB", "AUX"} or (token.pos_ == "ADP" and token.lower_ != "of")


def _about(side: str) -> str:
    noun, of, _ = side.partition(" of ")
    if not of or not noun.startswith("the "):
        return f"What is said about {side}?"
    return f"What {'are' if noun.endswith('s') else 'is'} {side}?"
