"""What is left out when a run is asked again, and what mattered for an answer."""

from __future__ import annotations

from typing import Literal, TypedDict

from explorer.wording.authors import Author

MatterState = Literal["going", "done", "stopped", "error"]
# Something that is left out; `nodes` of the runs on show are those that show it, `also` the
# facts that go with it, since they were taken from the same words alone, `quoted` says which sentences of the answer
# quote words that go with it.
LeftOutItem = TypedDict(
    "LeftOutItem", {"key": str, "noun": str, "text": str, "nodes": list[str], "also": list[str], "quoted": str}
)
# A fact, passage or document: the share of the answer's sentences that are lost without it, None if it was not tried;
# `nodes` show it, the first of them where a click leads, and `numbers` are those that the answer has for what is in it.
MatteredItem = TypedDict(
    "MatteredItem",
    {
        "text": str,
        "node": str | None,
        "nodes": list[str],
        "numbers": list[int],
        "change": float | None,
        "verdict": str,
        "cited": bool,
    },
)


class Mattered(TypedDict):
    """What mattered for the answer of a run; while it is found out `made` runs of `of` are over, `now` is left out.

    `said` is what was found, in a sentence or two, `more` how that was, and what else is to be known of it.
    """

    t: Literal["mattered"]
    run: str
    over: str
    state: MatterState
    made: int
    of: int
    now: str
    items: list[MatteredItem]
    said: list[str]
    more: list[str]
    author: Author | None
