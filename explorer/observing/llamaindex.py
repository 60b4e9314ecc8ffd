"""Runs of LlamaIndex while they go on, by its span handlers."""

from __future__ import annotations

from typing import Any

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.llms.base import BaseLLM
from llama_index.core.chat_engine.types import BaseChatEngine
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.span import SimpleSpan
from llama_index.core.instrumentation.span_handlers import BaseSpanHandler
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.tools import BaseTool
from llama_index.core.workflow import Workflow

from explorer.observing.observer import Observer
from explorer.observing.run_parts import CHAIN, MODEL, RERANKER, RETRIEVER, TOOL, Call
from explorer.observing.texts import said_in

_KINDS = ((BaseRetriever, RETRIEVER), (BaseNodePostprocessor, RERANKER), (BaseLLM, MODEL), (BaseTool, TOOL))
_WHOLE = (BaseQueryEngine, BaseChatEngine, BaseRetriever, BaseLLM, Workflow)  # that a question is asked of


class Handler(BaseSpanHandler[SimpleSpan]):  # type: ignore[misc]
    """Its spans, each of which is a call of a method of a part."""

    _observer: Observer
    _prompts: dict[str, str]

    def __init__(self, observer: Observer) -> None:
        super().__init__()
        self._observer, self._prompts = observer, {}

    def new_span(
        self, id_: str, bound_args: Any, instance: Any = None, parent_span_id: str | None = None,
        tags: dict[str, Any] | None = None, **_: Any,
    ) -> SimpleSpan:  # fmt: skip
        """Begin a part."""
        kind = next((kind for cls, kind in _KINDS if isinstance(instance, cls)), CHAIN)
        given = dict(getattr(bound_args, "arguments", None) or {})
        first = next(iter(given.values()), None)
        asked = getattr(first, "query_str", first)
        if kind == MODEL:
            self._prompts[id_] = _prompt(asked)
        name = instance.metadata.name if kind == TOOL else ""
        told = (given.get("kwargs") or given) if kind == TOOL else asked
        is_whole = isinstance(instance, _WHOLE)  # what it indexes asks nothing
        self._observer.begin(id_, parent_span_id, kind, told, str(name or ""), is_whole=is_whole)
        return SimpleSpan(id_=id_, parent_id=parent_span_id)

    def prepare_to_exit_span(
        self, id_: str, bound_args: Any, instance: Any = None, result: Any = None, **_: Any
    ) -> None:
        """End it with what came of it."""
        if (prompt := self._prompts.pop(id_, None)) is not None:
            name = getattr(getattr(instance, "metadata", None), "model_name", None)
            self._observer.end(id_, Call(prompt, said_in(getattr(result, "message", result)), name))
        else:
            self._observer.end(id_, result)

    def prepare_to_drop_span(
        self, id_: str, bound_args: Any, instance: Any = None, err: BaseException | None = None, **_: Any
    ) -> None:
        """End it with an error."""
        prompt = self._prompts.pop(id_, None)
        told = None if prompt is None else Call(prompt)
        self._observer.end(id_, told, err or RuntimeError("it failed and gave no reason"))


def add(observer: Observer) -> Handler:
    """Add a handler to all of LlamaIndex, beside those there are."""
    handler = Handler(observer)
    get_dispatcher().add_span_handler(handler)
    return handler


def _prompt(given: object) -> str:
    if isinstance(given, list | tuple):
        return "\n\n".join(f"{getattr(one, 'role', 'message')}: {said_in(one)}" for one in given)
    return said_in(given)
