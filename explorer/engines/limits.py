"""The limits of each engine, such as how many facts it looks at; checked before a run begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from explorer.errors import QuestionError
from explorer.reasoning.agent_protocol import PATTERNS

MODES = ("vector", "keyword", "hybrid")
SELECTORS = ("passages", "reasoning", "rerank")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How far to look; names and defaults are TrustGraph's.

    `entity_limit`: seed entities in all; `triple_limit`: facts from one node in one direction;
    `max_subgraph_size`: facts looked at; `max_path_length`: hops from a seed; `edge_score_limit`: facts scored;
    `edge_limit`: facts selected. `score_batch`: facts that a model scores, or reasons about, in one reply, by default 8
    for one on this machine and all at once for others. `selector`: "passages", the default, has a model select, by one
    call without scores, among the sentences and facts of the 20 passages that a walk came nearest to, and answer from
    these passages whole: `edge_score_limit` is then how many facts it is shown, `edge_limit` how many are kept; without
    a model it is "reasoning", which keeps what is quoted and what is close to that. With a model "reasoning" scores
    what the walk came near to; "rerank" scores at each hop, only selected facts lead on, and the limits of facts looked
    at, scored and selected are per hop. Both are TrustGraph's.
    Raises QuestionError for what can't be meant.
    """

    entity_limit: int = 50
    triple_limit: int = 30
    max_subgraph_size: int = 150
    max_path_length: int = 2
    edge_score_limit: int = 30
    edge_limit: int = 25
    score_batch: int | None = None
    selector: str = "passages"

    def __post_init__(self) -> None:
        counts = asdict(self)
        _check_one_of("selector", counts.pop("selector"), SELECTORS)
        for name, value in counts.items():
            if name != "score_batch" or value is not None:
                _check_count(name, value)


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageLimits:
    """Which passages to read, and how many; names are TrustGraph's.

    `mode`: "vector" (near in meaning), "keyword" (the same words) or "hybrid"; hybrid is the default, since each finds
    what the other misses (a paraphrase, a name), and both work without a model. `doc_limit`: passages to answer from;
    `fetch_limit`: passages looked at, if more, before they are reranked, by default three times as many. `rerank`: have
    the reasoner score what was found, and record a Focus with the scores. `mmr`: prefer passages unlike those chosen
    before; `mmr_lambda` is the share of relevance in that, 0 to 1. `score_batch`: passages that a model scores in one
    reply, by default 8 for one on this machine and all at once for others. Raises QuestionError for what can't be
    meant.
    """

    mode: str = "hybrid"
    doc_limit: int = 10
    fetch_limit: int | None = None
    rerank: bool = True
    mmr: bool = False
    mmr_lambda: float = 0.7
    score_batch: int | None = None

    def __post_init__(self) -> None:
        _check_one_of("mode", self.mode, MODES)
        _check_count("doc_limit", self.doc_limit)
        for name, value in {"fetch_limit": self.fetch_limit, "score_batch": self.score_batch}.items():
            if value is not None:
                _check_count(name, value)
        for name, value in {"rerank": self.rerank, "mmr": self.mmr}.items():
            _check(name, value, "True or False", fits=isinstance(value, bool))
        share = self.mmr_lambda
        _check("mmr_lambda", share, "a number from 0 to 1", fits=_is_number(share) and 0 <= share <= 1)
        if self.mmr and not self.rerank:
            raise QuestionError("mmr chooses among passages that were scored; leave rerank on.")

    @property
    def fetched(self) -> int:
        """How many passages to look at: those to answer from, or more to choose among when they are reranked."""
        return max(self.fetch_limit or 3 * self.doc_limit, self.doc_limit) if self.rerank else self.doc_limit


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentLimits:
    """How an agent may work; names and defaults are TrustGraph's where it has them.

    `pattern`: "react", "plan-then-execute" or "supervisor"; by default the agent chooses. `max_iterations`: steps of an
    agent that works step by step; `max_steps`: steps of a plan; `max_subagents`: parts of a question. `tool_timeout`:
    seconds that one of your functions or a SPARQL query may take. `parallel`: how many steps or sub-agents work side by
    side, by default 5 with a model and 1 without. `groups`: the groups of tools that are offered, "*" for all; a tool's
    name stands for that tool. `state`: the state that tools are first offered in. `selector`: how its searches of the
    knowledge graph select, as in `Limits`; with a model and "passages" a sub-agent searches at once with its part, as
    does a step of a plan that is to search and needs no other, and the model is asked only where nothing is found.
    Raises QuestionError for what can't be meant.
    """

    pattern: str | None = None
    max_iterations: int = 10
    max_steps: int = 20
    max_subagents: int = 5
    tool_timeout: float = 60.0
    parallel: int | None = None
    groups: Sequence[str] = ("default",)
    state: str = ""
    selector: str = "passages"

    def __post_init__(self) -> None:
        if self.pattern is not None:
            _check_one_of("pattern", self.pattern, tuple(PATTERNS))
        _check_one_of("selector", self.selector, SELECTORS)
        counts = {"max_iterations": self.max_iterations, "max_steps": self.max_steps}
        for name, value in {**counts, "max_subagents": self.max_subagents}.items():
            _check_count(name, value)
        if self.parallel is not None:
            _check_count("parallel", self.parallel)
        seconds = self.tool_timeout
        groups: object = self.groups  # whatever the caller's program gave
        fits = _is_number(seconds) and 0 < seconds < float("inf")
        _check("tool_timeout", seconds, "a number of seconds above 0", fits=fits)
        fits = isinstance(groups, Sequence) and not isinstance(groups, str) and all(isinstance(g, str) for g in groups)
        _check("groups", groups, "a list of texts", fits=fits)
        _check("state", self.state, "a text", fits=isinstance(self.state, str))


def _check(name: str, value: object, wanted: str, *, fits: bool) -> None:
    if not fits:
        raise QuestionError(f"{name} must be {wanted}, not {value!r}.")


def _check_count(name: str, value: object) -> None:
    fits = isinstance(value, int) and not isinstance(value, bool) and value >= 1
    _check(name, value, "a whole number of at least 1", fits=fits)


def _check_one_of(name: str, value: object, known: tuple[str, ...]) -> None:
    _check(name, value, f"{', '.join(known[:-1])} or {known[-1]}", fits=value in known)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
