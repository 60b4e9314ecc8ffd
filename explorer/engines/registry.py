"""The engines by name, with their limits: a question is checked, then the engine it names is started."""

from __future__ import annotations

import importlib
import threading
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import TYPE_CHECKING

from explorer.engines.limits import AgentLimits, Limits, PassageLimits
from explorer.errors import ModelError, QuestionError
from explorer.events import Event
from explorer.models.embedding import Remembered
from explorer.reasoning.agent_protocol import PATTERNS, TaskType
from explorer.stores.fact_sources import of_passage
from explorer.text import truncate

if TYPE_CHECKING:
    from explorer.engines.agent.engine import AgentEngine
    from explorer.engines.setting import Setting
    from explorer.models.chat import ChatModel
    from explorer.models.embedding import Embedder
    from explorer.reasoning import Reasoner
    from explorer.reasoning.extractive.reasoner import ExtractiveReasoner
    from explorer.reasoning.prompted.reasoner import PromptedReasoner

EngineLimits = Limits | PassageLimits | AgentLimits
Limit = int | float | str | bool | Sequence[str] | None
LIMITS: dict[str, type[EngineLimits]] = {"graph-rag": Limits, "document-rag": PassageLimits, "agent": AgentLimits}
ENGINES = tuple(LIMITS)
LONGEST_QUESTION = 1_000_000
_LOADING = threading.Lock()
_SMALL_BATCH = 8  # of a model on this machine: small ones lose the form in replies about more


@dataclass(frozen=True, slots=True)
class Request:
    """A question that can be asked: its text, the limits of its engine, and for an agent tools and types of task."""

    text: str
    limits: EngineLimits
    tools: tuple[Callable[..., object], ...] = ()
    tasks: tuple[TaskType, ...] = ()


def run(request: Request, setting: Setting, chat: ChatModel | None, ids: Callable[[], str]) -> Iterator[Event]:
    """Start the engine that a request names, with a model or without; raises QuestionError for unusable tools."""
    from explorer.engines.facts.graph_rag import GraphRag
    from explorer.engines.outcomes import by_rules
    from explorer.engines.passages.document_rag import DocumentRag

    if chat is not None:
        from explorer.models.chat import OpenAIChat, context_of
        from explorer.reasoning.prompted.reasoner import PromptedReasoner

        chat = chat.for_run() if isinstance(chat, OpenAIChat) else chat  # whose time for it begins now
    embedder, limits = Remembered(setting.embedder), request.limits
    setting = replace(setting, embedder=embedder)

    def reasoner() -> ExtractiveReasoner | PromptedReasoner:
        if chat is not None:
            corrected = partial(of_passage, setting.stores.sources)
            return PromptedReasoner(
                chat, embedder, context=context_of(chat), batch=_batch(chat, limits), corrected=corrected
            )
        return by_rules(setting)

    match limits:
        case AgentLimits():
            events = _agent(request, setting, reasoner, ids, limits).run(request.text)
        case PassageLimits():
            events = DocumentRag(setting, reasoner(), limits).run(request.text)
        case Limits():
            events = GraphRag(setting, reasoner(), limits).run(request.text)
    return _after_loading(embedder, events)


def load(embedder: Embedder) -> None:
    """Load what every run reads with, once: the parser, what finds sentences, and the embedder.

    What can't be loaded is missed by the step that needs it, which says so.
    """
    from explorer.language import pipeline, sentences
    from explorer.models import embedding

    with _LOADING:
        with suppress(ModelError):
            importlib.import_module("numpy.ma")  # which numpy imports late, to sort out what is there twice
            pipeline.load()
            [*sentences.spans("A text. Another one.")]
        with suppress(Exception):  # of an embedder that somebody else wrote; it is asked again on record
            embedding.load(embedder)


def _after_loading(embedder: Embedder, events: Iterator[Event]) -> Iterator[Event]:
    """Yield a run that begins once all is loaded, so that no time for it is booked under a stage."""
    load(embedder)
    yield from events


def _batch(chat: ChatModel, limits: EngineLimits) -> int | None:
    """Return how many facts or passages a model scores in one reply; None: as many as its prompt holds."""
    from explorer.models.chat import OpenAIChat

    given = None if isinstance(limits, AgentLimits) else limits.score_batch
    return given or (_SMALL_BATCH if isinstance(chat, OpenAIChat) and chat.endpoint.is_here else None)


def _agent(
    request: Request,
    setting: Setting,
    reasoners: Callable[[], Reasoner],
    ids: Callable[[], str],
    limits: AgentLimits,
) -> AgentEngine:
    from explorer.engines.agent.engine import AgentEngine
    from explorer.engines.agent.functions import as_tools
    from explorer.engines.agent.searches import NAMES, sparql_tool
    from explorer.engines.agent.session import GENERAL

    sparql = sparql_tool(setting.stores.graph)
    own = as_tools(request.tools, taken=(*NAMES, sparql.name))
    known = {*NAMES, "default", "*", *(name for tool in (sparql, *own) for name in (tool.name, *tool.groups))}
    if unknown := [group for group in limits.groups if group not in known]:
        raise QuestionError(f"No tool is in the group {unknown[0]!r}; there are {', '.join(sorted(known))}.")
    return AgentEngine(setting, reasoners, ids, limits, (sparql, *own), request.tasks or (GENERAL,))


def checked(
    question: str,
    engine: str,
    limits: Mapping[str, Limit],
    tools: Sequence[Callable[..., object]] = (),
    tasks: Sequence[TaskType] = (),
) -> Request:
    """Return a question that can be asked; raises QuestionError for one that can't, before anything is recorded."""
    if engine not in ENGINES:
        raise QuestionError(f"There is no engine {engine!r}; choose {', '.join(ENGINES[:-1])} or {ENGINES[-1]}.")
    if engine != "agent" and (tools or tasks):
        raise QuestionError(f"{engine} has no tools and no task types; ask with engine='agent'.")
    _check_given("tools", tools, "functions")
    _check_given("task_types", tasks, "explorer.TaskType(…)")
    _check_tasks(tasks)
    return Request(_text(question), _limits(engine, limits), tuple(tools), tuple(tasks))


def _text(question: str) -> str:
    if not isinstance(question, str | None):
        raise QuestionError(f"A question is a text, not {type(question).__name__} ({truncate(repr(question), 60)}).")
    question = question or ""
    if not question.strip():
        raise QuestionError("The question is empty; type one, such as “Why did oxygen tank no. 2 fail?”")
    try:
        question.encode()
    except UnicodeEncodeError as error:
        message = f"The question has a character that is not text ({question[error.start]!r}); leave it out."
        raise QuestionError(message) from error
    if "\0" in question:
        raise QuestionError("The question has a NUL, which is no text; leave it out.")
    if len(question) > LONGEST_QUESTION:
        raise QuestionError(f"The question has {len(question):,} characters; ask in at most {LONGEST_QUESTION:,}.")
    return unicodedata.normalize("NFC", question.strip())


def _limits(engine: str, given: Mapping[str, Limit]) -> EngineLimits:
    made: Callable[..., EngineLimits] = LIMITS[engine]  # which checks the values itself
    known = [field.name for field in fields(LIMITS[engine])]
    unknown = [name for name in given if name not in known]
    if unknown:
        others = [name for name, cls in LIMITS.items() if unknown[0] in {field.name for field in fields(cls)}]
        whose = f"; {unknown[0]} is one of {' and '.join(others)}" if others else ""
        choose = f"choose among {', '.join(known)}" if known else "it has none"
        raise QuestionError(f"{engine} has no limit {unknown[0]!r}; {choose}{whose}.")
    return made(**given)


def _check_given(name: str, value: object, of: str) -> None:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise QuestionError(f"{name} must be a list of {of}, not {type(value).__name__}.")


def _check_tasks(tasks: Sequence[TaskType]) -> None:
    for task in tasks:
        given: object = task  # whatever the caller's program gave
        name: object = task.name if isinstance(given, TaskType) else None
        if not isinstance(name, str) or not name:
            raise QuestionError(f"{given!r} is not a task type; pass explorer.TaskType(name, description, …).")
        _check_given(f"patterns of the task type {task.name!r}", task.patterns, "patterns")
        if not task.patterns or not {*task.patterns} <= {*PATTERNS}:
            allowed = f"{task.name!r} allows {', '.join(task.patterns) or 'no pattern'}"
            raise QuestionError(f"The task type {allowed}; choose among {', '.join(PATTERNS)}.")
    names = [task.name for task in tasks]
    if twice := [name for name in names if names.count(name) > 1]:
        raise QuestionError(f"There are two task types {twice[0]!r}; give each a name of its own.")
