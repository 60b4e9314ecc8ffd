"""What the final drawings of a run have that differs from how it grew: places, nodes, arcs, folds, looks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from explorer.dag.nodes import Arc
from explorer.dag.sentences import first_source, numbers
from explorer.drawing.column_heads import heads
from explorer.entities import Citation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.dag import ProvenanceDag
    from explorer.dag.nodes import Node
    from explorer.drawing.column_heads import Head, Words
    from explorer.drawing.columns import Place, Spot
    from explorer.drawing.folding import Drawings, Fold
    from explorer.wording.node_words import Styled

Opening = tuple[float, float]  # where what is unfolded begins in the drawing around it, and how far that moves down


@dataclass(slots=True)
class Reading:
    """What the final drawings of a run have that differs from how it grew.

    `levels` are the drawings drawn anew; `places` the places of all nodes in them, one for each set of columns, None
    where a set has none for it; `nodes`, `arcs` and `folds` what they add; `lines` and `kinds` how nodes look now;
    `unfolds` says of a fold, for each set of columns, where its drawing begins in the one that it stands in.
    """

    levels: set[str] = field(default_factory=set)
    places: dict[str, dict[str, Spot]] = field(default_factory=dict)
    nodes: dict[str, Node] = field(default_factory=dict)
    arcs: list[Arc] = field(default_factory=list)
    folds: dict[str, Fold] = field(default_factory=dict)
    heads: list[Head] = field(default_factory=list)
    lines: dict[str, Styled] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    unfolds: dict[str, tuple[Opening, ...]] = field(default_factory=dict)
    told: dict[str, dict[str, list[Node]]] = field(default_factory=dict)  # by drawing the sentences of each answer
    numbers: dict[str, list[int]] = field(default_factory=dict)  # in the answer's text, also of its sentences

    def spots(self, drawings: Drawings, iri: str) -> dict[str, Spot]:
        """Return where a node stands in each drawing, those drawn anew first."""
        grown = drawings.spots.get(iri, {}).items()
        return {**self.places.get(iri, {}), **{level: spot for level, spot in grown if level not in self.levels}}

    def all_heads(self, drawings: Drawings) -> list[Head]:
        """Return what stands above the columns of all drawings."""
        return [*heads(drawings, [level for level in drawings.kinds if level not in self.levels]), *self.heads]

    def add(self, level: str, sheets: Sequence[tuple[dict[str, Place], list[Words]]]) -> None:
        """Add a drawing: the places and the heads of its columns for each set of columns."""
        for iri in dict.fromkeys(iri for places, _ in sheets for iri in places):
            self.places.setdefault(iri, {})[level] = tuple(places.get(iri) for places, _ in sheets)
        self.heads += [(*head, level, number) for number, (_, heads) in enumerate(sheets) for head in heads]

    def tell(self, drawings: Drawings) -> None:
        """Add the sentences of all answers, each joined to what it cites, and to each fold that this lies in."""
        for level, answers in self.told.items():
            for answer, node in ((answer, one) for answer, some in answers.items() for one in some):
                self.nodes[node.iri] = node
                self.arcs.append(Arc(answer, node.iri, "says"))
                cites = node.entity.cites if isinstance(node.entity, Citation) else ()
                aligned = node.entity.aligned if isinstance(node.entity, Citation) else ()
                joined = {
                    name: key in aligned
                    for key in cites if key in drawings.dag.graph for name in self._up(drawings, key, level)
                }  # fmt: skip
                self.arcs += [Arc(name, node.iri, "cites", is_aligned=one) for name, one in joined.items()]

    def number(self, dag: ProvenanceDag) -> None:
        """Give what the answer cites, with the passage it was taken from, and its sentences the numbers of its text."""
        given = numbers(dag)
        for iri, number in given.items():
            self.numbers[iri] = [number]
            if (passage := first_source(dag, iri)) is not None:
                self.numbers.setdefault(passage, [number])
        for node in (one for answers in self.told.values() for some in answers.values() for one in some):
            cites = node.entity.cites if isinstance(node.entity, Citation) else ()
            if found := [*dict.fromkeys(given[key] for key in cites if key in given)]:
                self.numbers[node.iri] = found

    def _up(self, drawings: Drawings, iri: str, top: str) -> list[str]:
        """Return a node and the folds that it lies in, up to a drawing; none where it lies in another."""
        found, seen, name = [iri], set[str](), iri
        level = next(iter(self.places.get(iri, {})), None)
        level = drawings.level(iri) if level is None else level
        while level != top:
            fold = self.folds.get(level) or drawings.folds.get(level)
            if fold is None or level in seen:
                return []
            seen.add(level)
            name, level = level, fold.parent
            found.append(name)
        return found
