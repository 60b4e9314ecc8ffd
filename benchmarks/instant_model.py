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
_ID = re.compile(r'^\{"id": "([^"]+)"', re.MULTILINE)
_ANSWER = "It follows from two of the facts that were found [1][2]."


class Instant:
    """Names the phrases of a question as its concepts, scores and explains every id it is given, answers in a sentence.

    Its replies are read, and recorded, as those of any model.
    """

    name = "instant"

    def complete(self, messages: Sequence[Message], *, schema: Schema | None = None) -> Iterator[str | Usage]:
        """Yield the whole reply, and a usage."""
        prompt = messages[-1].text
        if schema is not None:
            ids = _ID.findall(prompt)
            yield "\n".join(json.dumps(_scored(key) if schema is SCORES else _explained(key)) for key in ids)
        elif "BEGIN DATA" in prompt:
            yield _ANSWER
        else:
            yield "\n".join(phrases(_ASKED.findall(prompt)[0]))
        yield Usage(len(prompt) // 4, 100, self.name)


def _scored(key: str) -> dict[str, str | int]:
    return {"id": key, "score": 1 + sum(key.encode()) % 10}


def _explained(key: str) -> dict[str, str | int]:
    return {"id": key, "reasoning": "Says something about what was asked for."}
