"""TrustGraph's provenance builders as they would be called, each making entities of ours from the same arguments."""

from __future__ import annotations

import json

from pyoxigraph import Literal, NamedNode, Triple

from explorer import entities as e
from explorer.vocab import PROV, RDF, iri

ACTIVITY = "https://trustgraph.ai/activity/00000000-0000-4000-8000-000000000001"  # drawn at random where it was made


def term(wire):
    match wire["t"]:
        case "i":
            return NamedNode(wire["i"])
        case "l" if wire.get("ln"):
            return Literal(wire["v"], language=wire["ln"])
        case "l" if wire.get("dt"):
            return Literal(wire["v"], datatype=NamedNode(wire["dt"]))
        case "l":
            return Literal(wire["v"])
        case "t":
            return Triple(*(term(wire["tr"][part]) for part in "spo"))


def edge(parts):
    return Triple(*(term(part["__term__"]) for part in parts))


def parents(*nodes):
    return tuple(node for node in nodes if node)


def used(given):
    """What every stage may carry of tokens and model."""
    return {name: given.get(name) for name in ("in_token", "out_token", "model")}


def question(cls):
    def build(given):
        node = given.get("question_uri") or given["session_uri"]
        time = given["timestamp"]
        return [cls(iri=node, query=given["query"], started_at=time, derived_from=parents(given.get("parent_uri")))]

    return build


def grounding(given):
    concepts = tuple(given["concepts"])
    node, above = given["grounding_uri"], parents(given["question_uri"])
    return [e.Grounding(iri=node, derived_from=above, concepts=concepts, ordered=list(concepts), **used(given))]


def exploration(given):
    return [
        e.Exploration(
            iri=given["exploration_uri"],
            derived_from=parents(given["grounding_uri"]),
            edge_count=given.get("edge_count"),
            entities=tuple(given.get("entities") or ()),
            chunk_count=given.get("chunk_count"),
            selected_chunks=tuple(given.get("chunk_ids") or ()),
        )
    ]


def focus(given):
    selections = [
        e.EdgeSelection(
            iri=iri("edge", given["session_id"], number),
            edge=edge(item["edge"]),
            concept=item.get("concept") or None,
            score=item.get("score"),
            reasoning=item.get("reasoning") or None,
        )
        for number, item in enumerate(given["selected_edges_with_reasoning"])
    ]
    chosen = tuple(selection.iri for selection in selections)
    above = parents(given["exploration_uri"])
    return [e.Focus(iri=given["focus_uri"], derived_from=above, selected_edges=chosen, **used(given)), *selections]


def chunk_focus(given):
    selections = [
        e.ChunkSelection(
            iri=iri("chunk-selection", given["session_id"], number), document=item["chunk_id"], score=item["score"]
        )
        for number, item in enumerate(given["selected_chunks_with_scores"])
        if item["chunk_id"]
    ]
    chosen = tuple(selection.iri for selection in selections)
    above = parents(given["exploration_uri"])
    stage = e.Focus(iri=given["focus_uri"], label="Chunk Selection", derived_from=above, selected_chunks=chosen)
    return [stage, *selections]


def synthesis(given):
    node = given.get("synthesis_uri") or given["uri"]
    above = given.get("focus_uri") or given.get("exploration_uri") or given["previous_uris"]
    above = (above,) if isinstance(above, str) else tuple(above)
    ended, document = given.get("termination_reason"), given.get("document_id")
    return [e.Synthesis(iri=node, derived_from=above, document=document, termination_reason=ended, **used(given))]


def decision(given):
    node, pattern, task = given["uri"], given["pattern"], given.get("task_type") or None
    above = parents(given["session_uri"])
    return [
        e.PatternDecision(
            iri=node, label=f"Pattern: {pattern}", pattern=pattern, task_type=task, derived_from=above, in_token=None
        )
    ]


def iteration(given):
    node, action = given["iteration_uri"], given.get("action", "")
    thought = given.get("thought_uri")
    analysis = e.Analysis(
        iri=node,
        label=f"Analysis: {action}",
        action=action,
        arguments=json.dumps(given.get("arguments") or {}),
        tool_candidates=tuple(given.get("tool_candidates") or ()),
        step_number=given.get("step_number"),
        llm_duration_ms=given.get("llm_duration_ms"),
        derived_from=parents(given.get("question_uri") or given.get("previous_uri")),
        thought=thought,
        **used(given),
    )
    said = e.Thought(iri=thought, derived_from=(node,), document=given.get("thought_document_id")) if thought else None
    return [analysis, said] if said else [analysis]


def observation(given):
    return [
        e.Observation(
            iri=given["observation_uri"],
            derived_from=parents(given["iteration_uri"]),
            document=given.get("document_id"),
            tool_duration_ms=given.get("tool_duration_ms"),
            error=given.get("tool_error"),
        )
    ]


def conclusion(given):
    return [
        e.Conclusion(
            iri=given["final_uri"],
            derived_from=parents(given.get("question_uri"), given.get("previous_uri")),
            document=given.get("document_id"),
            termination_reason=given.get("termination_reason"),
            **used(given),
        )
    ]


def decomposition(given):
    goals, above = tuple(given["goals"]), parents(given["session_uri"])
    label = f"Decomposed into {len(goals)} research threads"
    return [e.Decomposition(iri=given["uri"], label=label, derived_from=above, goals=goals, **used(given))]


def plan(given):
    steps, above = tuple(given["steps"]), parents(given["session_uri"])
    label = f"Plan with {len(steps)} steps"
    return [e.Plan(iri=given["uri"], label=label, derived_from=above, steps=steps, **used(given))]


def finding(given):
    goal, above = given["goal"], parents(given["decomposition_uri"])
    label, document = f"Finding: {goal[:60]}", given.get("document_id")
    return [e.Finding(iri=given["uri"], label=label, goal=goal, derived_from=above, document=document)]


def step_result(given):
    goal, above = given["goal"], parents(given["plan_uri"])
    label, document = f"Step result: {goal[:60]}", given.get("document_id")
    return [
        e.StepResult(iri=given["uri"], label=label, goal=goal, derived_from=above, document=document, **used(given))
    ]


def document(given):
    names = ("title", "source", "date", "creator", "page_count", "mime_type")
    told = {name: given.get(name) for name in names}
    return [e.Document(iri=given["doc_uri"], label=given.get("title"), **told)]


def extracted_by(given, source, **more):
    """The activity that made something, and its agent; `more` is what only some activities say."""
    name = given["component_name"]
    agent = e.Agent(iri=iri("agent", name), label=name)
    return [
        e.Activity(
            iri=ACTIVITY,
            label=f"{name} extraction",
            used=(source,),
            associated_with=agent.iri,
            started_at=given["timestamp"],
            version=given["component_version"],
            **more,
        ),
        agent,
    ]


def derived(given):
    node, above = given["entity_uri"], parents(given["parent_uri"])
    where = {name: given.get(name) for name in ("char_offset", "char_length")}
    made = {name: given.get(name) for name in ("mime_type", "element_types", "table_count", "image_count")}
    told = {"iri": node, "label": given.get("label"), "derived_from": above, "generated_by": ACTIVITY}
    if given.get("section"):
        entity = e.Section(**told, **where, **made)
    elif given.get("page_number") is not None:
        entity = e.Page(**told, **where, **made, number=given["page_number"])
    elif given.get("chunk_index") is not None:
        entity = e.Chunk(**told, **where, index=given["chunk_index"])
    else:  # of no class of its own
        about = ((RDF.type, PROV.Entity), (PROV.wasGeneratedBy, NamedNode(ACTIVITY)))
        entity = e.Entity(iri=node, derived_from=above, other=tuple(Triple(NamedNode(node), p, o) for p, o in about))
    sizes = {name: given.get(name) for name in ("chunk_size", "chunk_overlap")}
    return [entity, *extracted_by(given, given["parent_uri"], **sizes)]


def subgraph(given):
    contains = tuple(Triple(*(term(item["__triple__"][part]) for part in "spo")) for item in given["extracted_triples"])
    chunk = given["chunk_uri"]
    group = e.Subgraph(iri=given["subgraph_uri"], contains=contains, derived_from=(chunk,), generated_by=ACTIVITY)
    more = {"model": given.get("llm_model"), "ontology": given.get("ontology_uri")}
    return [group, *extracted_by(given, chunk, **more)]


BUILDERS = {
    "question_triples": question(e.GraphRagQuestion),
    "docrag_question_triples": question(e.DocRagQuestion),
    "agent_session_triples": question(e.AgentQuestion),
    "grounding_triples": grounding,
    "exploration_triples": exploration,
    "docrag_exploration_triples": exploration,
    "focus_triples": focus,
    "docrag_chunk_selection_triples": chunk_focus,
    "synthesis_triples": synthesis,
    "docrag_synthesis_triples": synthesis,
    "agent_synthesis_triples": synthesis,
    "agent_pattern_decision_triples": decision,
    "agent_iteration_triples": iteration,
    "agent_observation_triples": observation,
    "agent_final_triples": conclusion,
    "agent_decomposition_triples": decomposition,
    "agent_plan_triples": plan,
    "agent_finding_triples": finding,
    "agent_step_result_triples": step_result,
    "document_triples": document,
    "derived_entity_triples": derived,
    "subgraph_provenance_triples": subgraph,
}


def called(signature, args, kwargs):
    """The arguments of a call by the names in its signature; an optional one that is not given is left out."""
    names = [name.partition("=")[0] for name in signature]
    return dict(zip(names, args, strict=False)) | kwargs
