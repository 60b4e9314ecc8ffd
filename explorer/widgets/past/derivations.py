"""Records of others among the past runs: they are listed, and one of them is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.drawing.derived import places
from explorer.text import truncate

if TYPE_CHECKING:
    from explorer.record.derivations import Derivation
    from explorer.view.messages.past import Derived, PastRecord
    from explorer.workspace import Workspace

_MOST = 300  # nodes drawn
_LONGEST = 500  # letters of a value


def listed(ws: Workspace) -> list[PastRecord]:
    """Return a line for each record that was imported and is no run."""
    return [{"iri": one.iri, "label": truncate(one.label, _LONGEST), "holds": one.counts} for one in ws.imported()]


def drawn(found: Derivation) -> Derived:
    """Return the drawing of a record: each node with its place and what it says, and its relations."""
    shown = {node.iri: node for node in found.nodes[:_MOST]}
    arcs = [one for one in found.relations if one.source in shown and (one.target is None or one.target in shown)]
    at = places(list(shown), [(one.source, one.target) for one in arcs if one.target])
    return {
        "t": "derivation",
        "iri": found.iri,
        "nodes": [
            {"iri": node.iri, "label": truncate(node.label, _LONGEST), "kind": node.kind, "x": at.nodes[node.iri][0],
             "y": at.nodes[node.iri][1], "told": _cut(node.told)}
            for node in shown.values()
        ],
        "arcs": [
            {"from": one.source, "to": one.target, "verb": one.verb, "told": _cut(one.told),
             "past": [*at.past.get((one.source, one.target or ""), ())]}
            for one in arcs
        ],
        "more": len(found.nodes) - len(shown),
    }  # fmt: skip


def _cut(told: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    return [(name, truncate(value, _LONGEST)) for name, value in told]
