"""Authors: who or what made each statement that a node shows, with a sign and words."""

from __future__ import annotations

from typing import TypedDict

from explorer import entities as e
from explorer.dag import ProvenanceDag
from explorer.models.chat import NO_LANGUAGE_MODEL


class Author(TypedDict):
    """Who made a statement: a sign in a ring, and words."""

    sign: str
    text: str


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
            return {"sign": "✎", "text": "fact written down by a person"}
        case "import":
            return {"sign": "⚙", "text": "came with imported data"}
        case "pipeline":
            return {"sign": "·", "text": "as the run recorded it"}
        case "rules":
            return by_rules("taken from the sentence")
        case "model":
            return by_model("taken from the passage", "a model")
        case _:
            named = f" by {agent}" if agent not in {"", "unknown"} else ""
            return {"sign": "⚙", "text": f"taken from the sentence{named}"}


def hand(agent: str) -> str:
    """Name who took a fact from its words, in two words."""
    known = {"rules": "⚙ by rules", "model": "✦ by a model", "curator": "✎ by a person", "import": "⚙ imported",
             "pipeline": "· as recorded"}  # fmt: skip
    return known.get(agent, f"⚙ by {agent}")
