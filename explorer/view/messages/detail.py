"""The detail panel: what is looked up for a node once it is shown; its rows are in `wording.panel_rows`."""

from __future__ import annotations

from typing import Literal, TypedDict

from explorer.wording.panel_rows import Row

Detail = TypedDict("Detail", {"heading": str, "rows": list[Row]})
# Another run that kept the same; one without an IRI says how many more there are.
OtherRun = TypedDict("OtherRun", {"iri": str | None, "question": str, "how": str, "when": str})
# The triples of a node: predicate and object of each.
Record = TypedDict("Record", {"t": Literal["record"], "run": str, "node": str, "rows": list[tuple[str, str]]})
# Where a fact that was not kept comes from, and who took it down; `node` if that is in the graph.
FactSource = TypedDict("FactSource", {"text": str, "where": str, "hand": str, "node": str | None})
# What was looked up for a node: other runs, or the sources of a fact that was not kept.
Others = TypedDict(
    "Others", {"t": Literal["others"], "run": str, "node": str, "items": list[OtherRun] | list[FactSource]}
)
# A fact that can be corrected: its `key`, its words, and what was done with it by hand; `gone`: it was taken back.
Correctable = TypedDict("Correctable", {"key": str, "words": tuple[str, str, str], "by": str, "gone": bool})
# A fact or passage that was looked at and not kept, with the reason in words and where it is from; `iri` is that of its
# Candidate or of the passage, or the fact itself where it was not scored; `node` is that of its key idea; `fact` is
# None of a passage.
NotKeptItem = TypedDict(
    "NotKeptItem",
    {
        "iri": str,
        "text": str,
        "score": float | None,
        "why": str,
        "where": str,
        "idea": str | None,
        "node": str | None,
        "fact": Correctable | None,
    },
)


class NotKept(TypedDict):
    """All that a search looked at and did not keep: by score, what was not scored nearest first.

    `lowest` is the lowest score that was kept, `rest` says how many more there were of which the record is silent.
    """

    t: Literal["notkept"]
    run: str
    node: str
    lowest: float | None
    items: list[NotKeptItem]
    rest: str
