"""Parts of a question: clauses with a question or order of their own, each made to stand alone.

What the parse and the words between clauses do not decide stays one part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from explorer.language.pipeline import parsed
from explorer.language.questions import readable
from explorer.language.sentences import sentences
from explorer.reasoning.rules.openings import ASKING, ASKS, BARE, KNOWING, ORDER, ORDERS, TOLD, YES_NO, opening
from explorer.reasoning.rules.pronouns import Antecedents

if TYPE_CHECKING:
    from explorer.language.pipeline import Doc

LONGEST = 20_000  # characters: what is longer holds a document, and is not split
_MOST_WORDS = 400  # of a sentence; a longer one is no question
_FEW = 5  # words and marks of what only the sentence before completes, as "When?"
_ITEM = re.compile(r"^\s*(?:[-*•–]|\(?(?:\d{1,2}|[a-hA-H])[.)])\s+")
_INLINE = re.compile(r"(?:^|(?<=\s))\(?(?:\d{1,2}|[a-h])[.)]\s+")
_HELD = re.compile(r"“[^“”]{0,300}”|\"[^\"]{0,300}\"|«[^«»]{0,300}»|\([^()]{0,300}\)")
_LEADING = frozenset("also please finally lastly first firstly second secondly third next so".split())
_THEN = frozenset({"then", "afterwards", "thereafter"})
_RELATIVE = frozenset({"who", "whom", "whose", "which"})
_JOINTS = frozenset(",;:—–-&")
_THING = "thing"  # of the order before: "then its founder"
_OWN = frozenset({"DET", "PRON"})
_ENDS = "?？؟!"


@dataclass(frozen=True, slots=True)
class QuestionPart:
    """A part of a question, and the steps of it in order: more than one where "then" or "after that" joins them."""

    text: str
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Cut:
    """Where a clause is cut off: after `end` of the one before, at `start`; how it asks, and at which word."""

    end: int
    start: int
    asks: int
    kind: str | None
    then: bool = False
    last: bool = False


@dataclass(frozen=True, slots=True)
class _Clause:
    """A run of words, and how it asks; `follows`: it is a step after the one before, `last`: if that is one too."""

    text: str
    kind: str | None
    follows: bool = False
    last: bool = False


def parts(question: str) -> list[QuestionPart]:
    """Return the parts of a question in order, at least one; a question of one part stays as it is."""
    whole = question.strip()
    groups: list[list[_Clause]] = []
    for clause in _clauses(whole) if len(whole) <= LONGEST else ():
        if groups and (clause.follows or (clause.last and len(groups[-1]) > 1)):
            groups[-1].append(clause)
        else:
            groups.append([clause])
    if sum(map(len, groups)) < 2:
        return [QuestionPart(whole, (whole,))]
    return _alone(groups)


def _alone(groups: Sequence[Sequence[_Clause]]) -> list[QuestionPart]:
    """Replace pronouns in parts and steps by the names in earlier ones."""
    earlier, found = Antecedents(), []
    for group in groups:
        steps: list[str] = []
        for clause in group:
            steps.append(earlier.resolved(clause.text))
            earlier = earlier.after(steps[-1])
        found.append(QuestionPart(", then ".join(_joined(steps)) if len(steps) > 1 else steps[0], tuple(steps)))
    return found


def _joined(steps: Sequence[str]) -> Iterator[str]:
    for number, step in enumerate(steps):
        last = number == len(steps) - 1
        text = step if last else step.rstrip("?.")
        yield text if number == 0 else text[0].lower() + text[1:]


def _clauses(text: str) -> list[_Clause]:
    """Return what asks; a sentence that asks nothing goes with the next one, at the end with the last."""
    found: list[_Clause] = []
    context = ""
    for sentence in (one for item in _items(text) for one in sentences(item)):
        doc = parsed(readable(sentence))
        read = list(_read(doc)) if len(doc) <= _MOST_WORDS else [_Clause(doc.text, None)]
        if found and not context and len(doc) <= _FEW and all(one.kind in {None, BARE} for one in read):
            found[-1] = replace(found[-1], text=f"{found[-1].text} {doc.text}")
        elif all(one.kind is None for one in read) and doc.text[-1:] not in _ENDS:
            context = f"{context} {doc.text}".strip()
        else:
            read[0] = replace(read[0], text=f"{context} {read[0].text}".strip())
            found, context = [*found, *read], ""
    if found and context:
        found[-1] = replace(found[-1], text=f"{found[-1].text} {context}")
    return found


def _items(text: str) -> Iterator[str]:
    """Yield the items of a list, in lines or in one, and runs of other lines."""
    held: list[str] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        marks = list(_INLINE.finditer(line))
        if held and (_ITEM.match(line) or len(marks) > 1):
            yield " ".join(held)
            held = []
        if len(marks) > 1:
            starts = [0, *(mark.start() for mark in marks), len(line)]
            cut = [_INLINE.sub("", line[a:b].strip(), count=1) for a, b in zip(starts, starts[1:], strict=False)]
            yield from (re.sub(r"[\s,;]+(?:and)?$", "", one) for one in cut if one)
        else:
            held.append(_ITEM.sub("", line))
    if held:
        yield from held if len(text.splitlines()) > 1 and all(one[-1] in _ENDS for one in held) else [" ".join(held)]


def _read(doc: Doc) -> Iterator[_Clause]:
    """Yield the clauses of a sentence, the first with what stands before it."""
    cuts = _cuts(doc)
    ends = [*(cut.end for cut in cuts[1:]), len(doc)]
    order, prefix, mark = "", "", "?"
    for number, (cut, end) in enumerate(zip(cuts, ends, strict=True)):
        text = doc[cut.start : end].text.strip(" ,;:–—")
        if cut.kind == BARE and (verb := _predicate(doc, cuts[number + 1 :])):
            text = f"{text} {verb}"
        if cut.kind not in {TOLD, _THING}:
            polite = cut.kind == ORDER and doc[cut.asks].lower_ not in ORDERS
            prefix, mark = _head(doc, cut, end), "." if cut.kind == ORDER and not polite else "?"
            order = doc[cut.asks].text
        before = {TOLD: prefix, _THING: order}.get(cut.kind or "", "")
        bare = f"{before} {text.rstrip(_ENDS + ' ').removesuffix('.')}".strip()
        yield _Clause(f"{bare[:1].upper()}{bare[1:]}{mark}", cut.kind, cut.then and number + cut.start > 0, cut.last)


def _cuts(doc: Doc) -> list[_Cut]:
    """Find where clauses begin that ask or order something of their own."""
    spans = (doc.char_span(*held.span(), alignment_mode="expand") for held in _HELD.finditer(doc.text))
    closed = {token.i for span in spans if span is not None for token in span}
    at, then, last = _led(doc, 0)
    kind = opening(doc, at, first=True)
    kind = None if kind == TOLD else kind
    cuts, i = [_Cut(0, at if kind else 0, at, kind, then, last)], at + 1
    while i < len(doc):
        at, then, last = (i, False, False) if i in closed else _led(doc, i)
        new = opening(doc, at) if at > i and at not in closed else None
        now = cuts[-1]
        if at > i and new is None and then and now.kind in {ORDER, _THING} and doc[min(at, len(doc) - 1)].pos_ in _OWN:
            new = _THING
        if new is not None and now.kind is None and new not in {TOLD, BARE}:
            cuts[-1] = replace(now, asks=at, kind=new)
        elif new is not None and now.kind is not None and _is_apart(doc, now, (i, at), new, then=then):
            cuts.append(_Cut(i, at, at, new, then, last))
        i = max(i + 1, at)
    return cuts


def _led(doc: Doc, i: int) -> tuple[int, bool, bool]:
    """Pass over what joins a clause to the one before; return where it begins, whether it is a step, and the last."""
    k = i
    while k < len(doc) and (doc[k].text in _JOINTS or doc[k].tag_ == "CC"):
        k += 1
    then = last = False
    while k < len(doc) and (k > i or i == 0 or doc[i - 1].pos_ not in {"ADP", "AUX", "ADV"}):
        step = 2 if doc[k : k + 2].text.lower() == "after that" else 1
        word = doc[k].lower_
        if step == 2 or word in _THEN:
            then = True
        elif not ((k > i or i == 0) and (word in _LEADING or (word in {",", "and"} and k > i))):
            break
        last = last or word in {"finally", "lastly"}
        k += step
    return k, then, last


def _is_apart(doc: Doc, now: _Cut, joint: tuple[int, int], new: str, *, then: bool) -> bool:
    """Return whether a clause asks for itself, and does not go on with the one before."""
    i, at = joint
    comma, joined = doc[i].is_punct, then or any(token.tag_ == "CC" for token in doc[i:at])
    if new == TOLD:
        return joined and bool(_head(doc, now, i))
    if new == BARE or now.kind == BARE:
        return now.kind == BARE
    if new == _THING:
        return not _head(doc, now, i)
    if new == ORDER:
        return comma or then or (doc[i - 1].pos_ != "VERB" and doc[i - 1].lower_ not in ORDERS)
    near = doc[at : at + 12]
    points_back = any(token.tag_ in {"PRP", "PRP$"} and token.lower_ not in {"you", "i", "we"} for token in near)
    if new == YES_NO:
        return joined and (now.kind == YES_NO or comma or doc[at + 1].tag_ == "PRP")
    if near[0].lower_ not in _RELATIVE:  # "and in which country is it", but not "and in which it is"
        return near[0].pos_ != "ADP" or near[1].lower_ not in _RELATIVE or near[2].pos_ == "NOUN"
    if not joined:
        return points_back or _is_list(doc, at)
    kin = {"who", "whom", "whose"} if near[0].lower_.startswith("who") else {"which", "whose", "that"}
    kin |= set() if comma else {"that"}
    told = len(_head(doc, now, i).split())
    seen = {token.lower_ for token in doc[now.asks + 1 + told : i]}
    return points_back or not seen & kin


def _is_list(doc: Doc, at: int) -> bool:
    """Return whether questions stand in a list that ends here: "how …, who …, and when …"."""
    rest = [token.i for token in doc[at:] if token.text == ","]
    return bool(rest) and doc[rest[-1] : rest[-1] + 3][-1].tag_ in ASKING and doc[rest[-1] + 1].tag_ == "CC"


def _head(doc: Doc, cut: _Cut, end: int) -> str:
    """Return the words that tell of a question: "explain" of "explain why", "do you know" of "do you know who"."""
    for token in doc[cut.asks + 1 : min(cut.asks + 7, end)] if cut.kind in {ORDER, YES_NO} else ():
        if token.tag_ in ASKING and (cut.kind == ORDER or doc[token.i - 1].lemma_ in KNOWING):
            return doc[cut.start : token.i].text.strip(" ,")
    return ""


def _predicate(doc: Doc, cuts: Sequence[_Cut]) -> str:
    """Return what a question's first words share with the next: "was Curie born" of "when and where was Curie born"."""
    asks = next((number for number, cut in enumerate(cuts) if cut.kind == ASKS), None)
    if asks is None:
        return ""
    end = cuts[asks + 1].end if asks + 1 < len(cuts) else len(doc)
    verb = next((token.i for token in doc[cuts[asks].asks : end] if token.pos_ in {"AUX", "VERB"}), end)
    return doc[verb:end].text.rstrip(_ENDS + " ,;")
