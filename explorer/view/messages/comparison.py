"""Two runs side by side."""

from __future__ import annotations

from typing import Literal, TypedDict

from explorer.view.messages.badge import Badge
from explorer.wording.authors import Author

Side = Literal["A", "B", "both"]
# What only one of two runs has is marked by `only`; `row` is the place of a fact among all rows.
ComparedCitation = TypedDict("ComparedCitation", {"n": int, "row": int, "tip": str})
ComparedRun = TypedDict("ComparedRun", {"text": str, "cites": list[ComparedCitation]})
ComparedSentence = TypedDict("ComparedSentence", {"only": bool, "runs": list[ComparedRun]})
Idea = TypedDict("Idea", {"text": str, "only": bool})
Place = TypedDict("Place", {"lead": str, "text": str, "only": bool})  # `lead` says what it is, at the first of its kind
ComparedDocument = TypedDict("ComparedDocument", {"title": str, "only": bool, "places": list[Place]})
ComparedStep = TypedDict("ComparedStep", {"kind": str, "name": str, "text": str})


class ComparedSide(TypedDict):
    """One of the two runs; `name` is a person's, `none` says why it has no answer, `left` what it left out.

    `says` is whether its answer answers, as the badge beside it says, at the `level` of that; `reviewed` is the badge
    of what reviewers found.
    """

    iri: str
    name: str
    title: str
    question: str
    when: str
    spent: list[str]
    ended: str
    answer: list[ComparedSentence]
    none: str | None
    says: str
    level: str
    reviewed: Badge | None
    author: Author | None
    ideas: list[Idea]
    left: list[str]
    sources: list[ComparedDocument]
    steps: list[ComparedStep]


# What one run made of a fact: its number if it was kept, or that of what was kept `within` which its words are; the
# number that its answer has for that, if it cites it; and the place of the step that kept it.
Verdict = TypedDict(
    "Verdict",
    {
        "number": int | None,
        "within": int | None,
        "cited": int | None,
        "score": float | None,
        "why": str,
        "author": Author | None,
        "step": int | None,
    },
)
# A source of a fact: its words, which run kept the fact with it, and where it stands: document first in `where`, last
# in `found`.
ComparedSource = TypedDict(
    "ComparedSource", {"document": str, "title": str, "side": Side, "where": str, "found": str, "text": str}
)


class ComparedFact(TypedDict):
    """A fact or passage that one of the runs kept; `parts` are subject, predicate and object, or its words.

    `side` is which run kept it or its words; `kept` is which kept this very thing.
    """

    row: int
    kind: str
    side: Side
    kept: Side
    parts: list[str]
    label: str
    a: Verdict
    b: Verdict
    sources: list[ComparedSource]


Group = TypedDict("Group", {"side": Side, "title": str, "rows": list[ComparedFact]})


class Comparison(TypedDict):
    """Two runs side by side; `question` is that of both, if it is the same; `file` begins the names of saved files."""

    t: Literal["compare"]
    file: str
    heading: str
    column: str
    summary: str
    identical: bool
    question: str | None
    a: ComparedSide
    b: ComparedSide
    looked: str
    authors: list[Author]
    groups: list[Group]
