"""The drawings of a run once it is over, read from its answers.

What folds stand for unfolds in place: below the node that stands for it, and what was below that moves down. A drawing
that is not read anew, as its record has another shape, stays as it grew, and opens in place of the others.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from explorer.drawing.final import Reading
from explorer.drawing.final_agent import Work
from explorer.drawing.final_search import Search
from explorer.vocab import session_of

if TYPE_CHECKING:
    from explorer.dag import ProvenanceDag
    from explorer.drawing.folding import Drawings

_AROUND = 12.0  # above and below a run that is unfolded


def is_over(dag: ProvenanceDag) -> bool:
    """Return whether a run has its answer, or has broken off."""
    tops = {session_of(root.iri) for root in dag.roots}
    return dag.final is not None or any(session_of(node.iri) in tops for node in dag.nodes("Failure"))


def read(drawings: Drawings) -> Reading:
    """Return the final drawings of all searches and agents in a run that have come to an end."""
    held: dict[str, list[str]] = defaultdict(list)
    for iri, spots in drawings.spots.items():
        for level in spots:
            held[level].append(iri)
    reading = Reading()
    levels = [level for level in held if not drawings.paged(level)]
    heights: dict[str, tuple[float, ...]] = {}
    for level in levels:
        search = None if drawings.rows(level) else Search.of(drawings, level, held[level])
        if search is not None:
            heights[level] = search.draw(reading)
    bottoms: dict[str, tuple[float, ...]] = {}  # of a run within: where the row of its node ends
    for level in levels:
        work = Work.of(drawings, level, held[level]) if drawings.rows(level) else None
        if work is not None:
            heights[level] = work.draw(reading)
            bottoms |= work.bottoms
    for level, under in bottoms.items():
        if level in heights:
            reading.unfolds[level] = tuple(
                (y + _AROUND, high + 2 * _AROUND) for y, high in zip(under, heights[level], strict=True)
            )
    reading.levels |= heights.keys()
    reading.tell(drawings)
    reading.number(drawings.dag)
    return reading
