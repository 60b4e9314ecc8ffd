"""Parts of a question by its grammar: clauses with a question or order of their own, each made to stand alone.

What openings, joints and signs do not decide stays one part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from explorer.language.sentences import split
from explorer.reasoning.rules.openings import (
    ADVERBIAL,
    ASKING,
    AUXILIARY,
    BASE_AFTER,
    DETERMINERS,
    FILLERS,
    KNOWING,
    NOMINATIVES,
    ORDERS,
    Opening,
    Word,
    is_named,
    is_verb,
    words,
)
from explorer.reasoning.rules.openings import opening as opening_at
from explorer.reasoning.rules.pronouns import PRONOUN, Antecedents

LONGEST = 20_000  # characters: what is longer holds a document, and is not split
_MARKER = re.compile(r"(?:^|(?<=\s))\(?(\d{1,2}|[a-h])[.)]\s+", re.MULTILINE)
_BULLET = re.compile(r"^\s*(?:[-*•–]|\(?(?:\d{1,2}|[a-hA-H])[.)])\s+")
_AMOUNTS = re.compile(
    r"(?P<one>how (?:much|many)(?: [\w'’-]+){1,3}) and (?P<other>how (?:much|many)(?: [\w'’-]+){1,3}) "
    r"(?P<rest>(?:is|are|was|were|do|does|did|has|have|had|can|could|must|should|will|would)\b.+)", re.IGNORECASE
)  # fmt: skip
_LIST = 200  # words that are looked ahead for the end of a list
_FEW = 4  # words
_ENDS = "?？؟!"
_NO_STEP = frozenset("since by until back just even right now was were is are what who only if".split())  # … then


@dataclass(frozen=True, slots=True)
class QuestionPart:
    """A part of a question, and the steps of it in order: more than one where "then" or "after that" joins them."""

    text: str
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Piece:
    """A run of words, and how it asks; `prefix` completes it, `follows`: it is a step after the one before.

    `last`: it is one if the one before is a step too, as after "finally".
    """

    start: int
    end: int
    opening: Opening | None
    prefix: str = ""
    follows: bool = False
    last: bool = False
    back: bool = False  # asks nothing, and belongs to what stands before


def parts(question: str) -> list[QuestionPart]:
    """Return the parts of a question in order, at least one; a question of one part stays as it is."""
    whole = question.strip()
    if len(whole) > LONGEST:
        return [QuestionPart(whole, (whole,))]
    groups = [group for block in _blocks(whole) for group in _grouped(block)]
    if not groups or (len(groups) == 1 and len(groups[0].steps) == 1):
        return [QuestionPart(whole, (whole,))]
    return _alone(groups)


def _blocks(text: str) -> list[str]:
    """Return the lines and list items that ask; one that asks nothing goes with the next, at the end with the last."""
    lines: list[str] = []
    for line in filter(str.strip, text.splitlines()):
        wrapped = lines and line.strip()[0].islower() and lines[-1][-1] not in ".:;" + _ENDS
        if wrapped and not _BULLET.match(line):
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line.strip())
    found: list[str] = []
    context = ""
    for item in (item for line in lines for item in _items(line)):
        if found and not context and _is_short_of_a_clause(item):
            found[-1] += f" {item}"
        elif _asks(item):
            found.append(f"{context} {item}".strip())
            context = ""
        else:
            context = f"{context} {item}".strip()
    return [*found[:-1], f"{found[-1]} {context}".strip()] if found else []


def _items(line: str) -> list[str]:
    """Return the items of a list that stands in one line, if each of them asks."""
    bare = _BULLET.sub("", line) if len(_MARKER.findall(line)) < 2 else line
    marks = list(_MARKER.finditer(bare))
    if len(marks) < 2 or [mark[1] for mark in marks] not in ([*"abcdefgh"][: len(marks)], _numbers(len(marks))):
        return [bare] if bare else []
    ends = [*(mark.start() for mark in marks[1:]), len(bare)]
    items = [re.sub(r"[\s,;]+(?:and\s*)?$", "", bare[mark.end() : end]) for mark, end in zip(marks, ends, strict=True)]
    stem = bare[: marks[0].start()].strip()
    return [*filter(None, [stem]), *items] if all(map(_asks, items)) else [bare]


def _numbers(count: int) -> list[str]:
    return [str(number) for number in range(1, count + 1)]


def _asks(text: str) -> bool:
    found = words(text)
    at, _, _ = _begun(found, 0, len(found))
    return any(word.raw in _ENDS for word in found) or opening_at(found, at, len(found), first=True) is not None


def _is_short_of_a_clause(item: str) -> bool:
    """Return whether an item asks with a few words that only what stands before completes, as "when?"."""
    found = words(item)
    return len(found) <= _FEW + 1 and found[-1].raw in _ENDS and opening_at(found, 0, len(found), first=True) is None


def _grouped(block: str) -> list[QuestionPart]:
    """Return the parts of a line, steps that follow one another in one."""
    found = words(block)
    pieces = [piece for first, last in _sentences(block, found) for piece in _Cut(block, found, first, last).pieces()]
    groups: list[list[_Piece]] = []
    for piece in _attached(found, pieces):
        if groups and (piece.follows or (piece.last and len(groups[-1]) > 1)):
            groups[-1].append(piece)
        else:
            groups.append([piece])
    return [part for group in groups for part in _parts_of(block, found, group)]


def _parts_of(block: str, found: list[Word], group: list[_Piece]) -> list[QuestionPart]:
    steps = [text for piece in group for text in _texts(block, found, piece)]
    if len(group) == 1:
        return [QuestionPart(text, (text,)) for step in steps for text in _coordinated(step)]
    joined = replace(group[0], end=group[-1].end, prefix="", opening=None)
    ordered = group[-1].opening is not None and group[-1].opening.kind == "order"
    return [QuestionPart(_written(block, found, joined, "." if ordered else "?"), tuple(steps))]


def _sentences(block: str, found: list[Word]) -> Iterator[tuple[int, int]]:
    """Yield the runs of words that are sentences or stand between semicolons."""
    ends = iter([*(end for _, end in split(block)), len(block)])
    end, first = next(ends), 0
    for number, word in enumerate(found):
        while end < word.end:
            end = next(ends)
        after = found[number + 1].start if number + 1 < len(found) else len(block)
        closes = end <= after or word.raw == ";" or (word.raw in _ENDS and found[number + 1].raw not in _ENDS)
        if closes and (number + 1 == len(found) or found[number + 1].raw not in _ENDS):
            yield first, number + 1
            first = number + 1


def _attached(found: list[Word], pieces: Sequence[_Piece]) -> list[_Piece]:
    """Join what asks nothing to the next piece that asks, and what is short of a clause to the one before."""
    clauses: list[_Piece] = []
    waiting: int | None = None
    for piece in pieces:
        asks = piece.opening is not None or (found[piece.end - 1].raw in _ENDS and not (piece.back and clauses))
        if asks:
            clauses.append(piece if waiting is None else replace(piece, start=waiting))
            waiting = None
        elif clauses and piece.back:
            clauses[-1] = replace(clauses[-1], end=piece.end)
        else:
            waiting = piece.start if waiting is None else waiting
    if waiting is not None and clauses:
        clauses[-1] = replace(clauses[-1], end=len(found))
    return clauses


@dataclass(frozen=True, slots=True)
class _Joint:
    """What may stand between two clauses, and where the second would begin."""

    at: int
    comma: bool
    conjunction: str
    then: bool
    last: bool


def _joint(found: list[Word], i: int, end: int) -> _Joint | None:
    k = i
    comma = found[k].raw in ",:—–"
    k += comma
    conjunction = found[k].lower if k < end and found[k].lower in {"and", "or", "but", "&"} else ""
    k += bool(conjunction)
    if k == i and found[i - 1].lower in _NO_STEP:
        return None
    at, then, last = _begun(found, k, end, joined=k > i)
    return _Joint(at, comma, conjunction, then, last) if at > i else None


def _begun(found: list[Word], i: int, end: int, *, joined: bool = True) -> tuple[int, bool, bool]:
    """Skip what leads a clause in: "and", "first,", "then", "finally"; return its end, is it a step, the last."""
    k, then = i, False
    while k < min(end, i + 6):
        step = 2 if [word.lower for word in found[k : k + 2]] == ["after", "that"] else 1
        if step == 2 or found[k].lower in {"then", "afterwards", "thereafter"}:
            then = True
        elif not (
            (joined and found[k].lower in FILLERS)
            or (k > i and found[k].raw == ",")
            or (k == i and found[k].lower == "and" and (k == 0 or found[k - 1].raw in _ENDS))
        ):
            break
        k += step
    last = any(word.lower in {"finally", "lastly"} for word in found[i:k])
    return min(k, end), then, last


@dataclass(slots=True)
class _Cut:
    """One sentence being cut: where the present piece began, how it asks, and the words it has had."""

    block: str
    found: list[Word]
    start: int
    end: int
    opening: Opening | None = None
    prefix: str = ""
    head: tuple[str, str] | None = None  # of an indirect question, and the kind of what it heads
    follows: bool = False
    last: bool = False
    seen: set[str] = field(default_factory=set)

    def pieces(self) -> Iterator[_Piece]:
        """Yield the pieces; the last one holds the rest."""
        first = self.start
        at, then, last = _begun(self.found, first, self.end)
        opening = opening_at(self.found, at, self.end, first=True)
        if opening and opening.kind == "indirect":  # "When the tank failed, …", but "Which county borders Kent, …"
            asks = self.found[opening.at].lower not in ADVERBIAL
            opening = replace(opening, kind="question") if asks else None
        if opening:
            self.start, self.follows, self.last = at, then and first > 0, last and first > 0
        i = self._open(opening, at)
        while i < self.end:
            joint = _joint(self.found, i, self.end) if i > first else None
            if joint is None:
                self.seen.add(self.found[i].lower)
                i += 1
                continue
            opening = opening_at(self.found, joint.at, self.end, first=False)
            if self.opening is None and opening and opening.kind != "indirect" and (joint.comma or opening.inverted):
                i = self._open(opening, joint.at)
            elif self.opening and (new := self._next(opening, joint, i)):
                yield self._piece(i)
                self.prefix, self.start, self.follows, self.last = new[1], joint.at, joint.then, joint.last
                head = self.head
                i = self._open(new[0], joint.at)
                self.head = self.head or head
            else:
                i = joint.at
        yield self._piece(self.end)

    def _piece(self, end: int) -> _Piece:
        few = end - self.start <= _FEW or self.found[self.start].lower in {"and", "or", "but"}
        back = self.opening is None and (few or (self.start > 0 and self.found[self.start - 1].raw == ";"))
        return _Piece(self.start, end, self.opening, self.prefix, self.follows, self.last, back)

    def _open(self, opening: Opening | None, at: int) -> int:
        """Begin a piece, and give where its words go on."""
        self.opening, self.head = opening, None
        self.seen = {self.found[opening.at].lower} if opening and opening.kind == "yesno" else set()
        for k in range(at, min(at + 7, self.end)) if opening is None or opening.kind in {"order", "yesno"} else ():
            asked = self.found[k].lower in ASKING
            if asked and k > at and (self.found[k - 1].lower in KNOWING or (opening and opening.kind == "order")):
                knowing = opening or Opening("order", at)
                order_text = self.block[self.found[self.start].start : self.found[k].start].strip(" ,")
                polite = knowing.kind == "yesno" or self.found[at].lower in BASE_AFTER
                self.opening, self.head = knowing, (order_text, "yesno" if polite else "order")
                return k + 1
        return (opening.at if opening else at) + 1

    def _next(self, opening: Opening | None, joint: _Joint, i: int) -> tuple[Opening, str] | None:
        """Return how a new piece begins after a joint, and what completes it; None: the present one goes on."""
        now = self.opening
        if now is None or (i - now.at < 2 and now.kind != "question"):
            return None
        if opening is None:
            word = self.found[joint.at].lower if joint.at + 1 < self.end else ""
            takes = joint.then and now.kind == "order" and not self.head and word in DETERMINERS
            return (Opening("order", joint.at), self.prefix or self.found[now.at].raw) if takes else None
        if opening.kind == "indirect":
            return (replace(opening, kind=self.head[1]), self.head[0]) if self.head and joint.conjunction else None
        rules = {"order": self._orders, "yesno": self._inverts, "question": self._asks}
        return (opening, "") if rules[opening.kind](opening, joint, i) else None

    def _orders(self, opening: Opening, joint: _Joint, i: int) -> bool:
        before = self.found[i - 1].lower
        if before in ORDERS or (is_verb(self.found[i - 1]) and not joint.comma and not joint.then):
            return False
        return joint.comma or joint.then or not self.seen & BASE_AFTER

    def _inverts(self, opening: Opening, joint: _Joint, i: int) -> bool:
        if joint.conjunction not in {"and", "but"} and not joint.then:
            return False
        subject = self.found[opening.at + 1]
        if subject.lower in NOMINATIVES:
            return True
        if not (is_named(subject) or subject.lower in DETERMINERS):
            return False
        after = self.found[opening.at + 2].lower
        telling = (
            after in {"first", "last", "only", "most", "same"} or after.endswith("est") or subject.lower in {"a", "an"}
        )
        kind = self.opening.kind if self.opening else ""
        return kind == "yesno" or (joint.comma and not telling)

    def _asks(self, opening: Opening, joint: _Joint, i: int) -> bool:
        asked, near = self.found[opening.at].lower, self.found[opening.at : min(opening.at + 12, self.end)]
        points_back = any(PRONOUN.fullmatch(word.raw) for word in near)
        if not joint.conjunction and not joint.then and asked in {"who", "whom", "whose", "which"}:
            return points_back or bool(PRONOUN.fullmatch(self.found[i - 1].raw)) or self._is_list(opening.at)
        if asked not in {"who", "whom", "whose", "which"} or points_back:
            return True
        near_kin = {"that", "which", "whose"} if asked == "which" else {"who", "whom", "whose"}
        near_kin |= set() if joint.comma else {"that"}
        turned = opening.inverted and asked == "which" and not AUXILIARY.fullmatch(near[1].lower)
        return turned or not self.seen & near_kin

    def _is_list(self, at: int) -> bool:
        """Return whether questions stand in a list that ends here: "how …, who …, and when …"."""
        near = self.found[at : min(at + _LIST, self.end)]
        commas = [k for k, word in enumerate(near) if word.raw == ","]
        last = near[commas[-1] + 1 : commas[-1] + 3] if commas else []
        ends = len(last) == 2 and last[0].lower in {"and", "or"} and last[1].lower in ASKING
        return ends and not self.seen & {"who", "whom", "whose", "which", "that"}


def _texts(block: str, found: list[Word], piece: _Piece) -> list[str]:
    """Return the text of a piece; one for each question word that shares its clause."""
    opening = piece.opening
    mark = "." if opening is not None and opening.kind == "order" and not _is_polite(found, opening) else "?"
    if opening is None or not opening.shared:
        return [_written(block, found, piece, mark)]
    rest = replace(piece, start=opening.at + 1)
    return [_written(block, found, replace(rest, prefix=asked), mark) for asked in opening.shared]


def _coordinated(text: str) -> list[str]:
    """Return what a clause asks of two nouns, each by itself: "how much salt and how many eggs are needed"."""
    if match := _AMOUNTS.fullmatch(text):
        rest = match["rest"]
        return [f"{match['one']} {rest}", f"{match['other'][0].upper()}{match['other'][1:]} {rest}"]
    return [text]


def _is_polite(found: list[Word], opening: Opening) -> bool:
    return any(word.lower == "you" for word in found[max(0, opening.at - 2) : opening.at])


def _written(block: str, found: list[Word], piece: _Piece, mark: str) -> str:
    text = block[found[piece.start].start : found[piece.end - 1].end].strip(" \t\n,;:–—")
    bare = text.rstrip(f"{_ENDS} ")
    bare = bare.removesuffix(".") if bare == text else bare
    whole = " ".join(f"{piece.prefix} {bare}".split())
    return f"{whole[:1].upper()}{whole[1:]}{mark}"


def _alone(groups: Sequence[QuestionPart]) -> list[QuestionPart]:
    """Replace pronouns in parts and steps by the names in earlier ones."""
    earlier = Antecedents()
    found = []
    for group in groups:
        text = earlier.resolved(group.text)
        steps = [text] if len(group.steps) == 1 else []
        for step in group.steps if not steps else ():
            steps.append(earlier.resolved(step))
            earlier = earlier.after(steps[-1])
        earlier = earlier.after(text) if len(steps) == 1 else earlier
        found.append(QuestionPart(text, tuple(steps)))
    return found
