"""The check of an answer: one call reads each of its sentences beside the words that it cites."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence

from explorer.errors import ModelError
from explorer.models.chat import Message
from explorer.reasoning.prompted.prompts import Task, form, listed
from explorer.reasoning.protocol import Checked
from explorer.reasoning.replies.parsing import objects, unthought
from explorer.text import one_line

VERDICTS = ("supported", "partly", "not")
_EACH = 60  # letters of a reply for one sentence
_CHECK = """\
You check an answer. Each row has a sentence of it, with a number n, and the words of the sources that it cites with
some that stand around them. Say for each whether these words alone bear it out: "supported" if all that it says follows
from them, "partly" if only a part does, "not" if none does, or if they say otherwise. Look at who did what to whom, at
names, numbers and times, at what an attribute belongs to, at opposites, and at "not" and "never". Reply with
{"items": [{"n": <number>, "verdict": "<supported, partly or not>"}, ...]} and nothing else, each row once."""
TASK = Task(
    _CHECK,
    "Give the verdict on each sentence by its number.",
    schema=listed("verdicts", form({"n": {"type": "integer"}, "verdict": {"type": "string", "enum": [*VERDICTS]}})),
)


def check(
    question: str,
    sentences: Sequence[tuple[str, Sequence[str]]],
    room: int,
    reply: Callable[[Sequence[Message]], str],
) -> Checked:
    """Ask about the sentences, each with the words it cites, that fit in `room` characters; a failing or unreadable
    call leaves all unchecked, and says so.
    """
    rows = fitting([row(number, *sentence) for number, sentence in enumerate(sentences, 1)], room)
    try:
        found = verdicts(reply(TASK.ask(question, rows)), range(1, len(rows) + 1)) if rows else {}
    except ModelError as error:
        return Checked({}, one_line(str(error)))
    if not found:
        return Checked({}, "the reply had no verdict" if rows else "its first sentence is too long for the model")
    left = len(sentences) - len(found)
    return Checked({n - 1: verdict for n, verdict in found.items()}, f"{left} of its sentences" if left else None)


def row(number: int, sentence: str, cited: Sequence[str]) -> str:
    """Write a sentence beside the words that it cites as one line of JSON."""
    told = {"n": number, "sentence": one_line(sentence), "cites": [one_line(words) for words in cited]}
    return json.dumps(told, ensure_ascii=False)


def fitting(rows: Sequence[str], room: int) -> list[str]:
    """Return the first rows that fit with what is replied to them."""
    kept = list[str]()
    for one in rows:
        room -= len(one) + _EACH
        if room < 0:
            break
        kept.append(one)
    return kept


def verdicts(reply: str, known: Collection[int]) -> dict[int, str]:
    """Read {"n", "verdict"} objects: the verdict on each known number; of several the first counts."""
    found: dict[int, str] = {}
    for item in objects(unthought(reply)):
        number, verdict = str(item.get("n")).strip(" []#"), str(item.get("verdict")).strip().lower()
        if number.isdecimal() and len(number) < 6 and int(number) in known and verdict in VERDICTS:
            found.setdefault(int(number), verdict)
    return found
