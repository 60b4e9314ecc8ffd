"""Small sessions of agents, written anew: step by step with a search inside, by a plan, and as a team."""

from __future__ import annotations

from pyoxigraph import Literal, NamedNode, Triple

from explorer import entities as e
from explorer import rdf
from explorer.events import Explain
from explorer.vocab import entity_iri, iri

EDGE = Triple(NamedNode(entity_iri("tank")), NamedNode(entity_iri("holds")), Literal("oxygen", language="en"))
TIME = "2026-01-15T10:30:00Z"


def told(entity, *parts):
    return Explain(entity.iri, tuple(rdf.triples(entity, "trustgraph", parts=parts)))


def search(session, parent=None, edges=1):
    """A search through the graph, as TrustGraph tells it."""
    node = {kind: iri(kind, session) for kind in ("question", "grounding", "exploration", "focus", "synthesis")}
    above = (parent,) if parent else ()
    selections = [
        e.EdgeSelection(iri=iri("edge", session, number), edge=EDGE, concept="tank", score=0.5, reasoning="It fits.")
        for number in range(edges)
    ]
    chosen = tuple(selection.iri for selection in selections)
    return [
        told(e.GraphRagQuestion(iri=node["question"], query="What?", started_at=TIME, derived_from=above)),
        told(e.Grounding(iri=node["grounding"], derived_from=(node["question"],), concepts=("tank",))),
        told(e.Exploration(iri=node["exploration"], derived_from=(node["grounding"],), edge_count=edges + 5)),
        told(e.Focus(iri=node["focus"], derived_from=(node["exploration"],), selected_edges=chosen), *selections),
        told(e.Synthesis(iri=node["synthesis"], derived_from=(node["focus"],), document=iri("answer", session))),
    ]


def reacting(session, number, parent, inner=None):
    """One step of an agent: Analysis with its Thought, the search inside if any, and the Observation."""
    node, thought = iri("analysis", session, number), iri("thought", session, number)
    analysis = e.Analysis(
        iri=node, action="knowledge-query", step_number=number, derived_from=(parent,), thought=thought
    )
    found = search(inner, node) if inner else []
    seen = e.Observation(
        iri=iri("observation", session, number),
        derived_from=(iri("synthesis", inner) if inner else node,),
        document=iri("observation", session, number),
    )
    return [told(analysis, e.Thought(iri=thought, derived_from=(node,), document=thought)), *found, told(seen)]


def react(session="a", parent=None):
    """Two steps, the first with a search in it, and a conclusion; the decision comes before its session."""
    asked, decided = iri("agent-question", session), iri("pattern-decision", session)
    return [
        told(e.PatternDecision(iri=decided, label="Pattern: react", pattern="react", derived_from=(asked,))),
        told(e.AgentQuestion(iri=asked, query="Why?", started_at=TIME, derived_from=(parent,) if parent else ())),
        *reacting(session, 1, decided, f"{session}-search"),
        *reacting(session, 2, iri("observation", session, 1)),
        told(
            e.Conclusion(
                iri=iri("conclusion", session),
                derived_from=(iri("observation", session, 2),),
                document=iri("agent-answer", session),
                termination_reason="final-answer",
            )
        ),
    ]


def planned(session="p", steps=3):
    """A plan of steps that are all its children, with a search that comes before the step it belongs to."""
    asked, plan = iri("agent-question", session), iri("plan", session)
    done = [
        told(e.StepResult(iri=iri("step-result", session, number), goal=f"g{number}", derived_from=(plan,)))
        for number in range(steps)
    ]
    last = iri("step-result", session, steps - 1)
    return [
        told(e.AgentQuestion(iri=asked, query="Why?", started_at=TIME)),
        told(e.Plan(iri=plan, derived_from=(asked,), steps=tuple(f"g{number}" for number in range(steps)))),
        *search(f"{session}-search", iri("step-result", session, 0)),
        *done,
        told(
            e.Synthesis(iri=iri("agent-synthesis", session), derived_from=(last,), termination_reason="plan-complete")
        ),
    ]


def team(session="t", members=2):
    """A question split into parts, each with an agent of its own, and one answer from all findings."""
    asked, split = iri("agent-question", session), iri("decomposition", session)
    findings = [
        told(
            e.Finding(
                iri=iri("finding", session, number), goal=f"g{number}",
                derived_from=(iri("conclusion", f"{session}-{number}"),),
            )
        )
        for number in range(members)
    ]  # fmt: skip
    found = tuple(finding.iri for finding in findings)
    return [
        told(e.AgentQuestion(iri=asked, query="Why?", started_at=TIME)),
        told(e.Decomposition(iri=split, derived_from=(asked,), goals=tuple(f"g{number}" for number in range(members)))),
        *(event for number in range(members) for event in react(f"{session}-{number}", split)),
        *findings,
        told(e.Synthesis(iri=iri("agent-synthesis", session), derived_from=found, document="urn:doc:1")),
    ]


SESSIONS = {"search": search("q"), "react": react(), "planned": planned(), "team": team()}
