"""What is said of the end of a run that broke off."""

from __future__ import annotations

from explorer import entities as e
from explorer.dag import ProvenanceDag
from explorer.dag.nodes import Node
from explorer.wording import panel_rows
from explorer.wording.authors import Author
from explorer.wording.endings import ENDINGS, of_failure
from explorer.wording.kinds import Kind, kind
from explorer.wording.names import Names
from explorer.wording.node_words import Said, entity_of, parents
from explorer.wording.panel_rows import Rows

_SEARCH = ("Question", "Grounding", "Exploration", "Focus", "Synthesis")  # the stages of a search, in their order


class Failure(Said):
    """How a run broke off, and why."""

    def lines(self, dag: ProvenanceDag, node: Node, *, ranked: bool = False) -> tuple[str, ...]:
        step = entity_of(node, e.Failure)
        return (of_failure(step).word.capitalize(), step.error or "no reason recorded")

    def name(self, names: Names, node: Node) -> str:
        return self.lines(names.dag, node)[0]

    def heading(self, names: Names, node: Node) -> str:
        return of_failure(entity_of(node, e.Failure)).heading

    def rows(self, names: Names, node: Node) -> Rows:
        step = entity_of(node, e.Failure)
        ended, above = of_failure(step), [*names.parents(node)]
        at_work = [stage for one in above if (stage := _next_stage(one)) is not None]
        return [
            panel_rows.trouble(step.error),
            panel_rows.text("How it ended", None if ended.about == step.error else ended.about),
            panel_rows.text("Was at work on", at_work and f"{at_work[0].word} ({at_work[0].term})"),
            panel_rows.listing("Last step before", parents(names, node)),
            *panel_rows.spent(names.dag, step),
            panel_rows.text(
                "What there is", "All steps up to here are on record, with what they found: click them to read it."
            ),
            panel_rows.text("What to do", ended.then),
        ]

    def author(self, names: Names, node: Node) -> Author:
        return {"sign": "⚙", "text": "recorded by the program that ran"}

    def came(self, dag: ProvenanceDag, node: Node) -> str:
        """Return how it broke off; the reason alone where it begins so."""
        how, reason = self.lines(dag, node)
        return reason if reason.startswith(how) else f"{how}: {reason}"

    def progress(self, dag: ProvenanceDag, node: Node) -> str:
        return of_failure(entity_of(node, e.Failure)).word

    def lesson(self, dag: ProvenanceDag, node: Node) -> str:
        step = entity_of(node, e.Failure)
        said = f" {step.error.rstrip('.')}." if step.error and of_failure(step) is ENDINGS["error"] else ""
        return f"{of_failure(step).about}{said}"


def _next_stage(node: Node) -> Kind | None:
    """Return the stage of a search that follows a step of it; None after any other."""
    if isinstance(node.entity, e.AgentQuestion) or node.kind not in _SEARCH[:-1]:
        return None
    return kind(_SEARCH[_SEARCH.index(node.kind) + 1])
