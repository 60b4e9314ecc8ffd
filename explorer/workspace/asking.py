"""What a workspace does with questions: ask them, again and in several ways, and choose who answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.errors import QuestionError, WorkspaceError
from explorer.events import Event
from explorer.models.choice import Models, known_models, model_at
from explorer.record.person import person
from explorer.record.trace import Trace
from explorer.stores.default_graph import facts
from explorer.stores.document_names import HasIri, named_documents
from explorer.stores.left_out import LeftOut, Without, named
from explorer.version import __version__
from explorer.view.shown_trace import ShownTrace
from explorer.vocab import DEFAULT_ENGINE, FACTS, session_of
from explorer.workspace.opened import Opened

if TYPE_CHECKING:
    from explorer.engines.registry import Limit
    from explorer.evaluation.gaps import Gaps
    from explorer.evaluation.results import Evaluation
    from explorer.evaluation.ways import Limitations, Way
    from explorer.reasoning.agent_protocol import TaskType
    from explorer.record.influence import Attempt, Influence
    from explorer.record.run_estimates import Estimate
    from explorer.stores.collection import Collection


class Asking(Opened):
    """Questions: asked once, again without some things, or many from a file; and the models that answer."""

    def ask(
        self,
        question: str,
        engine: str = DEFAULT_ENGINE,
        *,
        model: str | None = None,
        tools: Sequence[Callable[..., object]] = (),
        task_types: Sequence[TaskType] = (),
        without: Iterable[Without] = (),
        documents: Iterable[str | HasIri] = (),
        by: str | None = None,
        **limits: Limit,
    ) -> Iterator[Event]:
        """Answer a question, yielding each step once it is on record.

        Engines are "graph-rag", with the arguments of `Limits`, "document-rag", with those of `PassageLimits`, and
        "agent", with those of `AgentLimits`. `model` names a model behind the workspace's address for this run, by
        default the one it was opened with; "no model" runs without. An agent may also call `tools`, functions of yours
        with typed arguments (see `explorer.tool`) and those of MCP servers (see `explorer.mcp_tools`), and choose how
        to work among what `task_types` allow. A what-if
        leaves out `without` before it looks: facts with the sentences they were taken from, passages, documents, and
        entities, as values of a run or as IRIs. `documents`, named as `document` takes them, limits the search to
        these. `by` is who asks, by default EXPLORER_USER; where neither names anybody, nobody is on record. Raises
        QuestionError, ModelError or WorkspaceError at once, before anything is recorded.
        """
        from explorer.engines.registry import checked, run
        from explorer.engines.steps import truncate_question
        from explorer.language.words import tokens

        asked = checked(question, engine, limits, tools, task_types)
        chat = self._model(model)
        self._check_writable()
        self.stores.refresh()
        stores = self.stores.bundled(tokens(truncate_question(asked.text)))
        self._check_filled(stores)
        session = self._new_session()
        left = named(self.stores, without) | LeftOut.of((), (), named_documents(self.stores.database, documents))
        setting = self._setting(session, stores).without(left)
        return self.traces.record(run(asked, setting, chat, self._ids), session, setting.pauses, person(by))

    def run(
        self,
        question: str,
        engine: str = DEFAULT_ENGINE,
        *,
        model: str | None = None,
        tools: Sequence[Callable[..., object]] = (),
        task_types: Sequence[TaskType] = (),
        without: Iterable[Without] = (),
        documents: Iterable[str | HasIri] = (),
        by: str | None = None,
        **limits: Limit,
    ) -> ShownTrace:
        """Answer a question and return the whole trace; arguments and errors are those of `ask`."""
        return ShownTrace(self.ask(
            question, engine, model=model, tools=tools, task_types=task_types, without=without, documents=documents,
            by=by, **limits,
        ))  # fmt: skip

    def rerun(
        self,
        trace: Trace | str,
        *,
        without: Iterable[Without] = (),
        tools: Sequence[Callable[..., object]] = (),
        task_types: Sequence[TaskType] = (),
        by: str | None = None,
    ) -> ShownTrace:
        """Ask a run's question again and return the whole trace; arguments and errors are those of `ask_again`."""
        return ShownTrace(self.ask_again(trace, without=without, tools=tools, task_types=task_types, by=by))

    def ask_again(
        self,
        trace: Trace | str,
        *,
        without: Iterable[Without] = (),
        tools: Sequence[Callable[..., object]] = (),
        task_types: Sequence[TaskType] = (),
        by: str | None = None,
    ) -> Iterator[Event]:
        """Ask a run's question again by the same engine, limits and model, leaving out what it left out and `without`.

        Yields each step once it is on record. The new run says there which one it varies. `trace` is a run or the IRI
        of its Question; an agent's own tools and types of task are given again. `by` is who asks. Raises
        QuestionError at once where something it needs is not on record, and what `ask` raises.
        """
        from explorer.engines.registry import run
        from explorer.record.rerun import repeat

        told = trace if isinstance(trace, Trace) else self.traces.load(trace)
        again = repeat(told, self.embedder.name, tools, task_types)
        chat = self._model(again.model)
        self._check_writable()
        self.stores.refresh()
        stores = self.stores.bundled()
        self._check_filled(stores)
        session = self._new_session()
        setting = self._setting(session, stores).without(again.left_out | named(self.stores, without), told.iri)
        return self.traces.record(run(again.request, setting, chat, self._ids), session, setting.pauses, person(by))

    def influence(
        self,
        trace: Trace | str,
        over: str = "facts",
        *,
        budget: int = 60,
        tools: Sequence[Callable[..., object]] = (),
        task_types: Sequence[TaskType] = (),
        progress: bool = True,
    ) -> Influence:
        """Find out what the answer of a run hangs on: each of its "facts", "passages" or "documents" is rated.

        At most `budget` runs are made without some of them; they are not recorded. The result is, once, as an
        annotation: asked again, the stored one is returned. What is no longer here is not rated. Raises QuestionError
        for a run without an answer, or of which nothing is here, and what `rerun` raises.
        """
        from explorer.ingest.progress import shown
        from explorer.record.influence import Attempt

        attempts = self.influences(trace, over, budget=budget, tools=tools, task_types=task_types)
        found = next(attempts)
        if isinstance(found, Attempt):
            with shown("Leaving out", found.of, progress=progress) as tell:
                while isinstance(found, Attempt):
                    tell(found.made, found.name)
                    found = next(attempts)
        return found

    def influences(
        self,
        trace: Trace | str,
        over: str = "facts",
        *,
        budget: int = 60,
        tools: Sequence[Callable[..., object]] = (),
        task_types: Sequence[TaskType] = (),
    ) -> Iterator[Attempt | Influence]:
        """Yield an `Attempt` before each run that `influence` makes, then the Influence, once it is on record.

        Whoever does not ask for the next value stops it; nothing of it is on record then. Arguments and errors are
        those of `influence`.
        """
        from explorer.engines.registry import run
        from explorer.models.embedding import Remembered
        from explorer.record.influence import FEWEST, at_hand, items_of, rated_on_record, stored
        from explorer.record.rerun import repeat

        told = trace if isinstance(trace, Trace) else self.traces.load(trace)
        items = items_of(told, over)
        if budget < FEWEST:
            raise QuestionError(f"budget must be a whole number of at least {FEWEST}, not {budget!r}.")
        if (found := stored(self.stores, told, over)) is not None:
            return iter((found,))
        items = at_hand(self.stores, items, over)
        again = repeat(told, self.embedder.name, tools, task_types)
        chat = self._model(again.model)
        self._check_writable()
        self._check_filled(self.stores)
        setting = replace(self._setting(session_of(told.iri)), embedder=Remembered(self.embedder))

        def rerun(left: LeftOut) -> Trace:
            return Trace(run(again.request, setting.without(again.left_out | left), chat, self._ids))

        return rated_on_record(self.stores, told, items, rerun, over=over, budget=budget, clock=self._clock)

    def evaluate(
        self,
        path: str | Path,
        engines: str | Sequence[str] | None = None,
        models: str | Sequence[str] | None = None,
        limits: Limitations | Sequence[Limitations] | None = None,
        *,
        again: bool = False,
        progress: bool = True,
    ) -> Evaluation:
        """Ask the questions of a JSON-lines file with each engine, model and set of limits, and measure the answers.

        A line is `{question, answerable?, evidence: [{document, quote}]}` or `{question, gold: [document ids],
        answers: [texts], answerable?}`; what is not there is not measured, and what can't be used is in `refused`. By
        default the default engine, the workspace's model and the default limits; of `limits` each engine takes those it
        has. Every run is on record. The same file again, in a workspace that has not changed, asks only what was not
        answered before, unless `again`. Raises DocumentError when nothing can be asked, QuestionError and ModelError.
        """
        from explorer.evaluation.questions import checked_path, read_questions
        from explorer.evaluation.running import evaluate
        from explorer.evaluation.ways import ways_of

        ways = ways_of(engines, models, limits, self.chat.name if self.chat else None)
        for way in ways:
            self._model(way.model)
        self._check_writable()
        self._check_filled(self.stores)
        file = read_questions(checked_path(path))
        tallies = [self.stores.database.tally(kind) for kind in ("text", "edge")]
        state = f"{__version__} {self.embedder.name} {tallies}"

        def ask(question: str, way: Way) -> Iterator[Event]:
            limits: dict[str, Any] = dict(way.limits)
            return self.ask(question, way.engine, model=way.model, **limits)

        return evaluate(self.traces, ask, state, file, ways, again=again, progress=progress)

    def estimate(self, engine: str = DEFAULT_ENGINE, model: str | None = None) -> Estimate | None:
        """Return what a question will take in tokens and money, by the last 20 runs of an engine and a model among 200.

        `model` is by default the workspace's own. None without such a run. Prices are those of `prices.toml`.
        """
        from explorer.record.run_estimates import estimate

        return estimate(
            self.stores, self.traces.list(engine=engine, limit=200), self.traces.prices, model or self.model_name
        )

    def gaps(self) -> Gaps:
        """Return what is missing over all runs on record: answers, facts about names, citations of documents."""
        from explorer.evaluation.gaps import gaps

        self.stores.refresh()
        return gaps(self.stores)

    def connect(self, model: str, *, base_url: str | None = None, api_key: str | None = None) -> str:
        """Make a model known by its name, which is returned: from now on `ask` and the app find it at its own address.

        Without an address it is at that of the workspace; to an address of its own no key is sent but `api_key`. Both
        are kept in memory only, and stand in no message. Nothing is asked yet. Raises QuestionError for what is no
        name, and ModelError for an address or key that can't be right.
        """
        chat = model_at(model, self.chat, self.base_url, self._bounds, address=base_url, key=api_key)
        if self.chat is not None and chat.name == self.chat.name:
            self.chat = chat
        else:
            self._connected[chat.name] = chat
        return chat.name

    def models(self) -> list[str]:
        """Return the names of the models to choose from; why the address lists none is in `known_models`."""
        return list(self.known_models().names)

    def known_models(self, *, here: bool = True) -> Models:
        """Return the models to choose from: the configured one, those connected, those its address lists.

        The address is asked, for at most three seconds, where a model is configured or the address is on this machine.
        With `here` servers on this machine (Ollama, llama.cpp, LM Studio, vLLM) are looked for at their usual ports.
        """
        return known_models(self.chat, self.base_url, self._connected, here=here)

    def _check_filled(self, stores: Collection) -> None:
        if stores.library.is_empty() and not stores.vectors.count("edge"):
            if being_read := stores.database.being_read():
                raise WorkspaceError(f"No documents yet. {being_read[0]}")
            if next(facts(self.graph.match(graph=FACTS)), None) is not None:
                raise WorkspaceError(
                    "The facts here are not indexed yet; build their vectors with ws.reindex() or `explorer reindex`."
                )
            raise WorkspaceError(
                'No documents yet. Add some with ws.ingest("folder/") or `explorer ingest folder/`, '
                "or open the sample with explorer.demo()."
            )
        stores.vectors.check_embedder(self.embedder.name)
