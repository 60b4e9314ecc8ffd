"""The strategies for a question: the engines, and the patterns of an agent, each with its word."""

from __future__ import annotations

from dataclasses import dataclass

from explorer import entities as e
from explorer.vocab import DEFAULT_ENGINE


@dataclass(frozen=True, slots=True)
class Engine:
    """One engine: its word, its kind of question, what it does, and its word for a sub-run.

    `noun` is what it selects; empty for one that selects facts and passages.
    """

    word: str
    question: type[e.Question]
    about: str
    within: str
    noun: str = ""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One pattern of an agent: its word, what it does, and the step that it begins with."""

    word: str
    about: str
    first: type[e.Step]


ENGINES = {
    "graph-rag": Engine("Graph search", e.GraphRagQuestion,
                        "Graph search: from facts to an answer", "Graph search"),
    "document-rag": Engine("Passage search", e.DocRagQuestion,
                           "Passage search: from passages to an answer", "Passage search",
                           "passage"),
    "agent": Engine("Agent", e.AgentQuestion,
                    "Agent: calls tools step by step, by a plan or as a team, then answers",
                    "Agent for this part"),
}  # fmt: skip
PATTERNS = {
    "react": Pattern("step by step", "step by step: look something up, see what came back, decide again", e.Analysis),
    "plan-then-execute": Pattern("plan first", "with a plan first, whose steps are then taken in order", e.Plan),
    "supervisor": Pattern("as a team", "as a team, with an agent for each part of the question", e.Decomposition),
}
CHOICES: dict[str, dict[str, str]] = {  # what the ask bar offers: the words, and the arguments of `ws.ask`
    **{engine.word: {"engine": name} for name, engine in ENGINES.items()},
    **{f"{ENGINES['agent'].word}, {pattern.word}": {"engine": "agent", "pattern": name}
       for name, pattern in PATTERNS.items()},
}  # fmt: skip
CHOICE_ABOUT = {  # and what each does
    **{engine.word: engine.about for engine in ENGINES.values()},
    ENGINES["agent"].word: "Agent: it chooses step by step, plan first or team, and says which",
    **{f"{ENGINES['agent'].word}, {pattern.word}": f"Agent, {pattern.about}" for pattern in PATTERNS.values()},
}
TOOLS = {
    "knowledge-query": ENGINES["graph-rag"].word,
    "document-query": ENGINES["document-rag"].word,
    "text-completion": "The model alone",
    "sparql-query": "Query of the graph",
}


def method(engine: str, pattern: str | None = None) -> str:
    """Return how a question is worked at, in words: "Graph search", "Agent, as a team"."""
    word = ENGINES[engine].word if engine in ENGINES else engine
    return f"{word}, {pattern_word(pattern)}" if pattern else word


def engine_of(question: e.Question) -> str:
    """Return the engine that ran: as recorded, else by the kind of question."""
    if question.engine:
        return question.engine.split("/")[0]
    return next((name for name, engine in ENGINES.items() if type(question) is engine.question), DEFAULT_ENGINE)


def pattern_word(pattern: str | None) -> str:
    """Return the word of a pattern; one that is not known by its own name, none as an empty text."""
    return PATTERNS[pattern].word if pattern in PATTERNS else pattern or ""


def search_word(question: e.Entity | None) -> str:
    """Return what a run within an agent's run is called, by its question."""
    return next((engine.within for engine in ENGINES.values() if type(question) is engine.question), "Search")


def tool(name: str | None) -> str:
    """Return the word of a tool: of those built in what they do, of others their names."""
    return TOOLS.get(name or "", name or "no tool")
