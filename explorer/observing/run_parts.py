"""What a part of a run is, whoever tells it: a library that calls back, or a span of a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from explorer.observing.retrieved import Retrieved

RETRIEVER, RERANKER, MODEL, TOOL, AGENT, CHAIN = "retriever", "reranker", "model", "tool", "agent", "chain"


@dataclass(frozen=True, slots=True)
class Call:
    """A call to a model: what it was given, what came back, by which model, and its tokens where they are known."""

    prompt: str = ""
    reply: str = ""
    model: str | None = None
    in_tokens: int | None = None
    out_tokens: int | None = None
    message: object = None  # the reply as it came
    cost: float | None = None  # in US dollars


@dataclass(frozen=True, slots=True)
class Part:
    """What a part is of a run: its role, and what is told in it; what is not told is empty or None.

    `before` are the passages that a reranker was given, `textless` counts those of either that have no text.
    """

    role: str
    name: str = ""
    question: str = ""
    answer: str = ""
    passages: Sequence[Retrieved] = ()
    before: Sequence[Retrieved] = ()
    textless: int = 0
    call: Call | None = None
    arguments: object = None
    result: object = None

    @property
    def tells(self) -> bool:
        """Whether it says anything of a run."""
        return bool(self.question or self.answer) or self.role != CHAIN
