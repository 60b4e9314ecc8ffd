"""The state of the ask bar: question, way to work at it, model, limits, and whether a run goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from explorer.engines.registry import LIMITS
from explorer.errors import RecordError, message_of
from explorer.models.chat import NO_MODEL
from explorer.models.choice import Models
from explorer.models.local import found_models
from explorer.record.person import person
from explorer.view.limits import TypedLimits, fields_of
from explorer.view.messages.bar import BarState
from explorer.view.messages.requests import ChangeBar
from explorer.view.messages.what_if import LeftOutItem
from explorer.wording.ways import CHOICE_ABOUT, CHOICES

MOST_EARLIER = 20
IN_PROGRESS = "A run is in progress; press Stop first, or wait until it has ended."
_ABOUT_MODEL = "Which language model writes; without one rules measure and quote, and nothing is written"


class AskBar:
    """What is asked next and how, and whether a run goes on; `on_change` gets the whole state after every change.

    It may be changed by the kernel's thread, by that of a run, and by that which looks models up.
    """

    def __init__(
        self,
        on_change: Callable[[BarState], None],
        *,
        examples: Sequence[str] = (),
        beyond: Sequence[str] = (),
        earlier: Sequence[str] = (),
        model: str | None = None,
        models: Callable[[], Models] | None = None,
        takes: Callable[[], object] = lambda: None,
    ) -> None:
        """Offer `examples` and `earlier` questions, the newest first; `model` is the workspace's own.

        `beyond` are examples that the documents do not answer. `models` returns those there are, and is called by
        `look_up` only; `takes` says what a question will take, None where nothing tells.
        """
        self.question = ""
        self.how = next(iter(CHOICES))
        self.model = self._own = model or NO_MODEL
        self.teaches = self.running = False
        self.quizzes = True
        self.further = False
        self._on_change = on_change
        self._examples = list(dict.fromkeys(examples))
        self._beyond = list(dict.fromkeys(beyond))
        self._earlier = list(dict.fromkeys(earlier))[:MOST_EARLIER]
        self._models = list(dict.fromkeys((self._own, NO_MODEL)))
        self._known_models = models
        self._takes = takes
        self._about_model = _ABOUT_MODEL
        self._connected = 0
        self._limits = {engine: TypedLimits(engine) for engine in LIMITS}
        self._left: list[LeftOutItem] = []
        self.within: dict[str, str] = {}
        self.by = self._known_as = person(None) or ""
        self._waiting = False
        self._trouble: tuple[str, str | None] | None = None
        self._lock = threading.RLock()
        self._looking = threading.Lock()

    @property
    def questions(self) -> list[str]:
        """Questions to try: examples that the documents answer, then earlier ones."""
        return [*self._examples, *self._others]

    @property
    def asked(self) -> str:
        """The question that was asked last; empty before the first."""
        return next(iter(self._earlier), "")

    def offer(self, examples: Sequence[str]) -> None:
        """Offer other examples."""
        with self._changing():
            self._examples = list(dict.fromkeys(examples))

    def keep_within(self, here: Callable[[str], bool]) -> None:
        """Limit the search no longer to documents that are not here."""
        if not all(map(here, self.within)):
            with self._changing():
                self.within = {iri: title for iri, title in self.within.items() if here(iri)}

    @property
    def _others(self) -> list[str]:
        """Earlier questions that are no examples."""
        return [one for one in self._earlier if one not in self._examples and one not in self._beyond]

    @property
    def limits(self) -> TypedLimits:
        """The limits of the engine that is picked; each engine keeps its own."""
        return self._limits[CHOICES[self.how]["engine"]]

    @property
    def chosen(self) -> dict[str, Any]:
        """What to ask with: engine, pattern of an agent, and model, limits and documents where they were changed."""
        model = {} if self.model == self._own else {"model": self.model}
        documents = {"documents": list(self.within)} if self.within else {}
        asker = {} if self.asker is None else {"by": self.asker}
        return {**CHOICES[self.how], **model, **self.limits.changed, **documents, **asker}

    @property
    def asker(self) -> str | None:
        """Who asks, empty for nobody named; None where it is whom EXPLORER_USER names."""
        return None if self.by == self._known_as else self.by

    @property
    def state(self) -> BarState:
        """The whole bar, for the page."""
        refusal = self.limits.refusal
        trouble, details = (refusal, None) if refusal else self._trouble or (None, None)
        return {
            "question": self.question,
            "examples": self._examples,
            "beyond": self._beyond,
            "earlier": self._others,
            "ways": list(CHOICES),
            "how": self.how,
            "does": CHOICE_ABOUT[self.how] if CHOICES[self.how]["engine"] == "agent" else "",
            "models": self._models,
            "model": self.model,
            "about": self._about_model,
            "connected": self._connected,
            "limits": self.limits.states,
            "changed": len(self.limits.changed),
            "left": self._left,
            "further": self.further,
            "within": self.within,
            "by": self.by,
            "teaches": self.teaches,
            "quizzes": self.quizzes,
            "running": self.running,
            "waiting": self._waiting,
            "trouble": trouble,
            "details": details,
        }

    def apply(self, change: ChangeBar) -> None:
        """Take what was changed in the page; raises RecordError for what the bar does not offer."""
        with self._changing():
            if change.how is not None:
                _check(change.how, CHOICES)
                self.how = change.how
            if change.limits is not None:
                for name in change.limits:
                    _check(name, fields_of(self.limits.engine))
                self.limits.set_typed(change.limits)
            if change.model is not None:
                self._pick(change.model)
            if change.look:
                self.look_here()
            self.question = self.question if change.question is None else change.question
            self.within = self.within if change.within is None else change.within
            self.by = self.by if change.by is None else change.by.strip()
            self.teaches = self.teaches if change.teaches is None else change.teaches
            self.quizzes = self.quizzes if change.quizzes is None else change.quizzes
            self.further = self.further if change.further is None else change.further

    def begin(self, question: str, engine: str, **asked: object) -> None:
        """Show that this is asked, and how, by the arguments of `ask`: pattern, model and limits; these close.

        The question becomes the newest of the earlier ones.
        """
        with self._changing():
            way = {"engine": engine, **({"pattern": asked["pattern"]} if asked.get("pattern") else {})}
            self.how = next((name for name, known in CHOICES.items() if known == way), self.how)
            model = asked.get("model")
            self._pick(self._own if model is None else str(model).strip() or NO_MODEL)
            self.limits.set_values(asked)
            self.question, self._trouble, self.running = question, None, True
            self._earlier = list(dict.fromkeys((question, *self._earlier)))[:MOST_EARLIER]

    def leave(self, left: list[LeftOutItem]) -> None:
        """Show what is left out. Once all is put back, `further` is over."""
        with self._changing():
            emptied = bool(self._left) and not left
            self._left, self.further = left, self.further and not emptied

    def busy(self) -> None:
        """Show that something goes on that can be stopped as a run can."""
        with self._changing():
            self._trouble, self.running = None, True

    def end(self) -> None:
        """Show that the run is over."""
        with self._changing():
            self.running = self._waiting = False
            if self._trouble and self._trouble[0] == IN_PROGRESS:
                self._trouble = None

    def wait(self, *, waiting: bool) -> None:
        """Show that the run waits for Next, or that it goes on."""
        with self._changing():
            self._waiting = waiting

    def refuse(self, sentence: str, details: str | None = None) -> None:
        """Show a sentence below the bar, with details to unfold; what is wrong with the limits shows by itself."""
        with self._changing():
            self._trouble = None if sentence == self.limits.refusal else (sentence, details)

    def settle(self) -> None:
        """Say no longer what was refused, since its cause may be gone; a run that goes on says its own."""
        with self._changing():
            self._trouble = self._trouble if self.running else None

    def connected(self, model: str) -> None:
        """Offer a model that can be asked from now on, and pick it."""
        with self._changing():
            self._pick(model)
            self._connected += 1
            self._trouble = None

    def look_up(self) -> None:
        """Ask once, in a thread, which models there are; call it when the bar is shown."""
        known, self._known_models = self._known_models, None
        if known is not None:
            threading.Thread(target=self._look, args=(known,), daemon=True, name="explorer-models").start()

    def look_here(self) -> None:
        """Look, in a thread, for servers of models on this machine; call it when the list of models is opened."""
        if not self._looking.locked():
            threading.Thread(target=self._look_here, daemon=True, name="explorer-models-here").start()

    def _look_here(self) -> None:
        with self._looking:
            found = found_models()
        with self._changing():
            self._models = list(dict.fromkeys((*self._models, *found)))

    def _look(self, known: Callable[[], Models]) -> None:
        takes = None
        try:
            found, takes = known(), self._takes()
        except Exception as error:  # noqa: BLE001 - the end of a worker thread: shown in the tooltip
            found = Models((), message_of(error))
        with self._changing():
            self._models = list(dict.fromkeys((*self._models, *found.names)))
            told = f"A question takes {takes}" if takes else ""
            self._about_model = ". ".join(filter(None, (_ABOUT_MODEL, told, found.trouble)))

    def _pick(self, model: str) -> None:
        self.model = model.strip() or self.model
        self._models = list(dict.fromkeys((*self._models, self.model)))

    @contextmanager
    def _changing(self) -> Iterator[None]:
        with self._lock:
            before = self.state
            yield
            if (state := self.state) != before:
                self._on_change(state)

    def __repr__(self) -> str:
        """Name the bar by its question, the same on every machine."""
        return f"<AskBar {self.question!r}>"


def _check(name: str, names: Mapping[str, object]) -> None:
    if name not in names:
        raise RecordError(f"The page picked {name!r}, which the ask bar does not have; load the page again.")
