"""Runs of LangChain and LangGraph while they go on, by their callbacks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler

from explorer.observing.observer import Observer
from explorer.observing.run_parts import Call
from explorer.observing.texts import said_in


class Handler(BaseCallbackHandler):  # type: ignore[misc]
    """Give it to a run: `chain.invoke(question, config={"callbacks": [handler]})`."""

    run_inline = True  # in the order in which things happen

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self._models: dict[UUID, tuple[str, str | None]] = {}

    def on_chain_start(
        self, serialized: object, inputs: Any, *, run_id: UUID, parent_run_id: UUID | None = None, **more: Any
    ) -> None:
        """Begin a chain, a graph or an agent."""
        self._observer.begin(run_id, parent_run_id, "chain", inputs, str(more.get("name") or ""))

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **_: Any) -> None:
        """End it."""
        self._observer.end(run_id, outputs)

    def on_retriever_start(
        self, serialized: object, query: str, *, run_id: UUID, parent_run_id: UUID | None = None, **_: Any
    ) -> None:
        """Begin to look passages up."""
        self._observer.begin(run_id, parent_run_id, "retriever", query)

    def on_retriever_end(self, documents: Sequence[Any], *, run_id: UUID, **_: Any) -> None:
        """End it with the passages."""
        self._observer.end(run_id, list(documents))

    def on_tool_start(
        self, serialized: dict[str, Any] | None, input_str: str, *, run_id: UUID, parent_run_id: UUID | None = None,
        inputs: dict[str, Any] | None = None, **more: Any,
    ) -> None:  # fmt: skip
        """Begin to call a tool."""
        name = str((serialized or {}).get("name") or more.get("name") or "tool")
        self._observer.begin(run_id, parent_run_id, "tool", inputs or input_str, name)

    def on_tool_end(self, output: Any, *, run_id: UUID, **_: Any) -> None:
        """End it with its result."""
        self._observer.end(run_id, output)

    def on_chat_model_start(
        self, serialized: dict[str, Any] | None, messages: Sequence[Sequence[Any]], *, run_id: UUID,
        parent_run_id: UUID | None = None, **more: Any,
    ) -> None:  # fmt: skip
        """Begin to ask a model by messages."""
        told = (f"{getattr(one, 'type', 'message')}: {said_in(one)}" for some in messages for one in some)
        self._asked(run_id, parent_run_id, "\n\n".join(told), more)

    def on_llm_start(
        self, serialized: dict[str, Any] | None, prompts: Sequence[str], *, run_id: UUID,
        parent_run_id: UUID | None = None, **more: Any,
    ) -> None:  # fmt: skip
        """Begin to ask a model by a text."""
        self._asked(run_id, parent_run_id, "\n\n".join(prompts), more)

    def on_llm_end(self, response: Any, *, run_id: UUID, **_: Any) -> None:
        """End it with its reply."""
        prompt, model = self._models.pop(run_id, ("", None))
        last = response.generations[-1][-1] if response.generations and response.generations[-1] else None
        message = getattr(last, "message", None)
        usage = getattr(message, "usage_metadata", None) or {}
        named = (getattr(message, "response_metadata", None) or {}).get("model_name") or model
        reply = str(getattr(last, "text", "") or "")
        self._observer.end(
            run_id, Call(prompt, reply, named, usage.get("input_tokens"), usage.get("output_tokens"), message or reply)
        )

    def _failed(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        asked = self._models.pop(run_id, None)
        self._observer.end(run_id, None if asked is None else Call(asked[0], model=asked[1]), error)

    on_chain_error = on_retriever_error = on_tool_error = on_llm_error = _failed

    def _asked(self, key: UUID, parent: UUID | None, prompt: str, more: dict[str, Any]) -> None:
        told = more.get("invocation_params") or {}
        self._models[key] = prompt, told.get("model") or told.get("model_name")
        self._observer.begin(key, parent, "model", prompt)
