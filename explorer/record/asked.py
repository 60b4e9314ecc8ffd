"""By which engine and which model a question was asked, as far as that is on record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.models.chat import NO_MODEL
from explorer.wording.ways import ENGINES

if TYPE_CHECKING:
    from explorer.entities import Question


def engine_of(question: Question) -> str:
    """Return the engine that ran: as recorded, else by the kind of question."""
    if question.engine:
        return question.engine.split("/")[0]
    return next((name for name, engine in ENGINES.items() if type(question) is engine.question), "graph-rag")


def model_of(reasoner: str | None) -> str | None:
    """Return the model that reasoned, "no model" for the extractive reasoner; None where no reasoner was recorded."""
    return NO_MODEL if reasoner and reasoner.startswith("extractive") else reasoner or None
