"""The list of past runs."""

from __future__ import annotations

from typing import Literal, TypedDict

from explorer.view.messages.run import Title

Mark = TypedDict("Mark", {"text": str, "level": str})  # whether its answer answers, as the badge beside it says
# A line of the list of past runs; `became` says what became of what its answer rests on or tells of, `differs` what
# tells it apart from other runs of its question, if there are any, and `found` where the words of a search stand if its
# question has them not, `snippet` them with what is around.
PastRun = TypedDict(
    "PastRun",
    {
        "name": str,
        "tags": list[str],
        "note": str,
        "reviewed": str,
        "became": str,
        "differs": str,
        "found": str,
        "snippet": tuple[str, str, str] | None,
        "iri": str,
        "runs": int,
        "question": str,
        "how": str,
        "model": str,
        "when": str,
        "by": str,
        "trouble": str,
        "failed": str,
        "bad": bool,
        "mark": Mark | None,
    },
)


# How many runs are deleted now, and when the last of them was; of what they said nothing is left.
Gone = TypedDict("Gone", {"count": int, "last": str})

# A record of others that is no run, and one that is drawn: `told` are names with values, `more` nodes are not drawn. An
# arc goes `past` columns between, from right to left.
PastRecord = TypedDict("PastRecord", {"iri": str, "label": str, "holds": str})
DerivedNode = TypedDict(
    "DerivedNode", {"iri": str, "label": str, "kind": str, "x": int, "y": int, "told": list[tuple[str, str]]}
)
DerivedArc = TypedDict(
    "DerivedArc",
    {"from": str, "to": str | None, "verb": str, "told": list[tuple[str, str]], "past": list[tuple[int, int]]},
)
Derived = TypedDict(
    "Derived",
    {"t": Literal["derivation"], "iri": str, "nodes": list[DerivedNode], "arcs": list[DerivedArc], "more": int},
)


class Runs(TypedDict):
    """The past runs that a search and filters find; `n` is the sign of the request, `engines` are names and words.

    `ticked` are those of the ticked runs that are on record still.
    """

    t: Literal["runs"]
    n: int
    runs: list[PastRun]
    more: bool
    total: int
    engines: list[tuple[str, str]]
    models: list[str]
    tags: list[str]
    people: list[str]
    gone: Gone
    records: list[PastRecord]
    ticked: list[str]


# The list of past runs has changed; `deleted` were last, so many, and can be brought back. `title` is what stands above
# the one that is open, with what was written at it.
Ran = TypedDict("Ran", {"t": Literal["ran"], "deleted": int, "title": Title | None})
