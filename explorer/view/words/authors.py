"""Authors: who or what made each statement that a node shows, with a sign and words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer import entities as e
from explorer.dag.nodes import kind_of
from explorer.models.chat import NO_LANGUAGE_MODEL
from explorer.view.messages.authors import Author
from explorer.wording.kinds import kind

if TYPE_CHECKING:
    from explorer.dag import ProvenanceDag
    from explorer.dag.nodes import Node
    from explorer.view.words.names import Names


def author(names: Names, node: Node) -> Author:
    """Return who stated what a node shows, as far as that is on record."""
    match node.entity:
        case e.Question() as asked if node.kind in ("Question", "Run"):
            within = asked.derived_from or node.kind == "Run"  # of a run that has no answer yet
            return {"sign": "✎", "text": "asked within the run" if within else "as it was asked"}
        case e.Failure():
            return {"sign": "⚙", "text": "recorded by the program that ran"}
        case e.Observation() | e.StepResult():
            return {"sign": "⚙", "text": "given back by the tool"}
        case e.Subgraph() as group:
            activity = names.dag.entities.get(group.generated_by or "")
            agent = activity.associated_with if isinstance(activity, e.Activity) else None
            if isinstance(activity, e.Activity) and activity.model:
                return by_model("taken from the passage", activity.model)
            return by_extractor(agent.rpartition("/")[2]) if agent else nobody()
        case e.Step() as step:
            return _of_step(names.dag, step)
    if kind(node.kind).read:
        return {"sign": "”", "text": "as it was read"}
    if node.kind == "NotKept":
        compared = sum(isinstance(member, e.Candidate) for member in node.members)
        by_whom = scored(names.dag, names.dag.entities.get(node.iri.partition("#")[0]))
        if not 0 < compared < (node.count or 0):
            return by_whom
        return {**by_whom, "text": f"{compared:,} {by_whom['text']}; the others are ranked by nearness alone"}
    above = names.dag.entities.get(node.iri.partition("#")[0])
    return _of_step(names.dag, above) if isinstance(above, e.Step) and node.entity is None else nobody()


def names_reasoner(dag: ProvenanceDag) -> bool:
    """Return whether the record names who reasons; a step of it that names no model was done without one."""
    return any(isinstance(node.entity, e.Question) and node.entity.reasoner for node in dag.nodes("Question"))


def by(dag: ProvenanceDag, model: str | None, verb: str, otherwise: Author) -> Author:
    """Name the model as the author; without one `otherwise`, if the record tells that there was none."""
    if model:
        return by_model(verb, model)
    return otherwise if names_reasoner(dag) else nobody()


def scored(dag: ProvenanceDag, focus: e.Entity | None) -> Author:
    """Return who scored facts or passages: a model, if the step they were kept in names one."""
    return by(dag, focus.model if isinstance(focus, e.Focus) else None, "scored", by_measure())


def _of_step(dag: ProvenanceDag, step: e.Step) -> Author:
    verb = kind(kind_of(step)).verb
    if isinstance(step, e.Grounding):
        return by(dag, step.model, verb, by_rules("taken from the question"))
    if isinstance(step, e.Exploration):
        looked = f"looked up by similarity, words and links, {NO_LANGUAGE_MODEL}"
        return by(dag, step.model, verb, {"sign": "≈", "text": looked})
    return by_model(verb, step.model) if step.model else by_rules(verb) if step.rule else nobody()


def by_model(verb: str, model: str) -> Author:
    """Name a model as the author."""
    return {"sign": "✦", "text": f"{verb} by {model}"}


def nobody() -> Author:
    """Return that the record names no author."""
    return {"sign": "·", "text": "author not on record"}


def by_measure() -> Author:
    """Name the measure as the one who chose."""
    return {"sign": "≈", "text": f"measured by similarity and shared words, {NO_LANGUAGE_MODEL}"}


def by_rules(verb: str) -> Author:
    """Name fixed rules as the author."""
    return {"sign": "⚙", "text": f"{verb} by rules, {NO_LANGUAGE_MODEL}"}


def by_extractor(agent: str) -> Author:
    """Name who took a fact from its words."""
    match agent:
        case "curator":
            return {"sign": "✎", "text": "written down by a person"}
        case "import":
            return {"sign": "⚙", "text": "came with imported data"}
        case "rules":
            return by_rules("taken from the sentence")
        case "model":
            return by_model("taken from the passage", "a model")
        case _:
            named = f" by {agent}" if agent not in {"", "unknown"} else ""
            return {"sign": "⚙", "text": f"taken from the sentence{named}"}


def hand(agent: str) -> str:
    """Name who took a fact from its words, in two words."""
    known = {"rules": "⚙ by rules", "model": "✦ by a model", "curator": "✎ by a person", "import": "⚙ imported"}
    return known.get(agent, f"⚙ by {agent}")
