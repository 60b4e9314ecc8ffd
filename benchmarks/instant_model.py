"""A chat model that replies without delay: a run with it takes as long as the engine takes by itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from explorer.events import Usage
from explorer.language.words import phrases
from explorer.models.chat import Message, Schema
from explorer.reasoning.prompted.prompts import SCORES

_ASKED = re.compile(r"^Question: (.*)$", re.MULTILINE)
_ROW = re.compile(r'^\{"(?P<of>id|n)": "?(?P<key>[^",]+)', re.MULTILINE)
_ANSWER = "It follows from two of the facts that were found [1][2]."


class Instant:
    """Names the phrases of a question as its concepts, scores, explains or finds supported every row it is given,
    and answers in a sentence.

    Its replies are read, and recorded, as those of any model.
    """

    name = "instant"

    def complete(self, messages: Sequence[Message], *, schema: Schema | None = None) -> Iterator[str | Usage]:
        """Yield the whole reply, and a usage."""
        prompt = messages[-1].text
        if schema is not None:
            rows = _ROW.finditer(prompt)
            yield "\n".join(
                json.dumps(_scored(row["key"]) if schema is SCORES else _told(**row.groupdict())) for row in rows
            )
        elif "BEGIN DATA" in prompt:
            yield _ANSWER
        else:
            yield "\n".join(phrases(_ASKED.findall(prompt)[0]))
        yield Usage(len(prompt) // 4, 100, self.name)


def _scored(key: str) -> dict[str, str | int]:
    return {"id": key, "score": 1 + sum(key.encode()) % 10}


def _told(of: str, key: str) -> dict[str, str | int]:
    if of == "n":
        return {"n": int(key), "verdict": "supported"}
    return {"id": int(key) if key.isdecimal() else key, "reasoning": "Says something about what was asked for."}
