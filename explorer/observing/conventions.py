"""What a span says of the run it is a part of, by the conventions of OpenInference and of OpenTelemetry for GenAI.

Older and newer names of one thing stand beside each other. Content that was switched off is missing, and never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import inf
from typing import Any

from explorer.errors import QuestionError
from explorer.observing.retrieved import Retrieved, retrieved
from explorer.observing.run_parts import AGENT, CHAIN, MODEL, RERANKER, RETRIEVER, TOOL, Call, Part
from explorer.observing.spans import Span, first, get
from explorer.observing.texts import REDACTED, answer_of, decoded_json, listed, question_of, reply_of, words
from explorer.text import one_line, sound

_DEEPEST = 12
_LONGEST_NAME = 200  # letters of the name of a model
_MOST = 10_000  # passages of one search
_OBJECT = re.compile(r"<\w+\(.*\)>", re.DOTALL)  # as Python writes one, which tells no text
_KINDS = {
    **dict.fromkeys(("retriever", "retrieval"), RETRIEVER), "reranker": RERANKER, "rerank": RERANKER,
    **dict.fromkeys(("llm", "chat_model", "generation", "chat", "completion", "text_completion"), MODEL),
    "generate_content": MODEL,
    **dict.fromkeys(("tool", "execute_tool"), TOOL), **dict.fromkeys(("agent", "invoke_agent", "create_agent"), AGENT),
}  # fmt: skip
_KIND = (
    "openinference.span.kind", "langfuse.observation.type", "traceloop.span.kind", "gen_ai.operation.name",
    "mlflow.spanType",
)  # fmt: skip
_DOCUMENTS = ("retrieval.documents", "gen_ai.retrieval.documents")
_SHOWS = (
    (RETRIEVER, _DOCUMENTS), (RERANKER, ("reranker.output_documents", "reranker.input_documents")),
    (TOOL, ("gen_ai.tool.name", "tool.name")),
    (MODEL, ("llm.input_messages", "llm.prompts", "gen_ai.prompt", "gen_ai.input.messages", "gen_ai.request.model")),
)  # fmt: skip
_INPUT = (
    "input.value", "traceloop.entity.input", "gen_ai.retrieval.query.text", "gen_ai.retrieval.query",
    "gen_ai.input.messages", "langfuse.observation.input", "langfuse.trace.input", "mlflow.spanInputs",
)  # fmt: skip
_OUTPUT = (
    "output.value", "traceloop.entity.output", "gen_ai.output.messages", "langfuse.observation.output",
    "langfuse.trace.output", "mlflow.spanOutputs",
)  # fmt: skip
_PROMPT = (
    "llm.input_messages", "llm.prompts", "gen_ai.input.messages", "gen_ai.prompt", "input.value",
    "traceloop.entity.input", "langfuse.observation.input", "mlflow.spanInputs",
)  # fmt: skip
_REPLY = (
    "llm.output_messages", "llm.completions", "gen_ai.output.messages", "gen_ai.completion", "output.value",
    "traceloop.entity.output", "langfuse.observation.output", "mlflow.spanOutputs",
)  # fmt: skip
_MODEL = (
    "llm.model_name", "gen_ai.response.model", "gen_ai.request.model", "langfuse.observation.model.name",
    "mlflow.llm.model",
)  # fmt: skip
_IN = (
    "llm.token_count.prompt", "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens",
    "langfuse.observation.usage_details.input", "mlflow.chat.tokenUsage.input_tokens",
)  # fmt: skip
_OUT = (
    "llm.token_count.completion", "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens",
    "langfuse.observation.usage_details.output", "mlflow.chat.tokenUsage.output_tokens",
)  # fmt: skip
_COSTS = [  # the whole, then its parts
    (f"llm.cost.{one}", f"langfuse.observation.cost_details.{other}", f"mlflow.llm.cost.{other}_cost")
    for one, other in (("total", "total"), ("prompt", "input"), ("completion", "output"))
]
_HOLDS = (
    "documents", "results", "nodes", "source_nodes", "matches", "chunks", "passages", "hits", "context", "contexts",
)  # fmt: skip


def part_of(span: Span) -> Part:
    """Return what a span is of a run."""
    told = {**span.attributes, **_of_events(span)}
    role = _role(span, told)
    if role == MODEL:
        return _call(span, told)
    if role == TOOL:
        arguments = first(told, ("gen_ai.tool.call.arguments", *_INPUT, "tool.parameters"))
        result = first(told, ("gen_ai.tool.call.result", *_OUTPUT, "gen_ai.tool.message"))
        name = first(told, ("tool.name", "gen_ai.tool.name", "traceloop.entity.name")) or span.name
        said, passages = _unwrapped(result)
        return Part(role, str(name), arguments=arguments, result=said, passages=passages)
    question = question_of(first(told, _INPUT))
    if role == RETRIEVER:
        passages, textless = passages_of(first(told, (*_DOCUMENTS, *_OUTPUT)))
        return Part(role, span.name, question, passages=passages, textless=textless)
    if role == RERANKER:
        before, lost = passages_of(get(told, "reranker.input_documents"))
        passages, textless = passages_of(first(told, ("reranker.output_documents", *_OUTPUT)))
        question = question_of(get(told, "reranker.query")) or question
        return Part(role, span.name, question, passages=passages, before=before, textless=lost + textless)
    return Part(role, span.name, question, answer_of(first(told, _OUTPUT)))


def _call(span: Span, told: Mapping[str, Any]) -> Part:
    prompt, reply, model = (first(told, paths) for paths in (_PROMPT, _REPLY, _MODEL))
    asked = [text for one in (get(told, "gen_ai.system_instructions"), prompt) if (text := words(one))]
    named = one_line(sound(str(decoded_json(model))))[:_LONGEST_NAME] if model else None
    tokens = _count(told, _IN), _count(told, _OUT)
    call = Call("\n\n".join(asked), reply_of(reply), named, *tokens, cost=_cost(told))
    return Part(MODEL, span.name, question_of(prompt), answer_of(reply), call=call)


def _cost(told: Mapping[str, Any]) -> float | None:
    """Return what a call cost: as a whole, else its parts together."""
    whole, *found = (_amount(first(told, paths)) for paths in _COSTS)
    parts = [one for one in found if one is not None]
    return whole if whole is not None else sum(parts) if parts else None


def _amount(value: object) -> float | None:
    try:
        amount = float(value) if isinstance(value, str | int | float) else -1.0
    except ValueError:
        return None
    return amount if 0 <= amount < inf else None


def _role(span: Span, told: Mapping[str, Any]) -> str:
    named = [str(decoded_json(one) or "") for one in (*(get(told, key) for key in _KIND), span.kind)]
    known = [_KINDS[kind] for one in named if (kind := one.lower()) in _KINDS]
    shown = (role for role, keys in _SHOWS if first(told, keys) is not None)
    return known[0] if known else CHAIN if named[0] or {*named} & _PLAIN else next(shown, CHAIN)


_PLAIN = {"CHAIN", "EMBEDDING", "GUARDRAIL", "EVALUATOR", "PARSER", "TASK", "WORKFLOW"}


def _of_events(span: Span) -> dict[str, Any]:
    """Return what events say that attributes say elsewhere: messages, and what a model was given and replied."""
    asked, replied, found = list[object](), list[object](), dict[str, Any]()
    for name, told in span.events:
        body = decoded_json(get(told, "gen_ai.event.content")) or told
        if name in ("gen_ai.choice", "gen_ai.content.completion"):
            replied.append(get(told, "gen_ai.completion") or get(body, "message") or body)
        elif name == "gen_ai.content.prompt":
            asked.append(get(told, "gen_ai.prompt"))
        elif name.startswith("gen_ai.") and name.endswith(".message"):
            role = name.split(".")[1]
            asked.append({"role": role, **body} if isinstance(body, Mapping) else {"role": role, "content": body})
        elif name == "gen_ai.client.inference.operation.details":
            found |= told
    if asked and first(span.attributes, _PROMPT[:4]) is None:
        found["llm"] = {**(get(span.attributes, "llm") or {}), "input_messages": asked}
    if replied and first(span.attributes, _REPLY[:4]) is None:
        found["llm"] = {**(found.get("llm") or get(span.attributes, "llm") or {}), "output_messages": replied}
    return found


def passages_of(given: object) -> tuple[list[Retrieved], int]:
    """Return the passages in what a search gave, best first as it has them, and how many of them have no text."""
    read = [_passage(one) for one in _documents(given)]
    found = [one for one in read if one is not None]
    return found, len(read) - len(found)


def _documents(given: object, depth: int = 0) -> Sequence[object]:
    value = decoded_json(given)
    if (parts := listed(value)) is not None:
        inner = [decoded_json(one) for one in parts[:_MOST]]
        return inner[0] if len(inner) == 1 and isinstance(inner[0], list) else inner
    if not isinstance(value, Mapping) or depth > _DEEPEST:
        return []
    held = next((value[key] for key in (*_HOLDS, "output", "result") if value.get(key)), None)
    if held is not None:
        return _documents(held, depth + 1)
    return [value] if _passage(value) else []


def _passage(given: object) -> Retrieved | None:
    if isinstance(given, str) and _OBJECT.fullmatch(given):
        return None
    with suppress(QuestionError):
        passage = retrieved(tuple(given) if isinstance(given, list) else given)
        return None if passage.text in REDACTED or not passage.text.strip() else passage
    return None


def _unwrapped(result: object) -> tuple[object, list[Retrieved]]:
    """Return the result of a tool: of a message of a library its words, and the passages beside them."""
    value = decoded_json(result)
    told = next((one for key in ("data", "kwargs") if isinstance(one := get(value, key), Mapping)), value)
    if not isinstance(told, Mapping) or not ({"kwargs"} & value.keys() or {"tool_call_id"} & told.keys()):
        return result, []
    return words(told), passages_of(told.get("artifact"))[0]


def _count(told: Mapping[str, Any], paths: Sequence[str]) -> int | None:
    value = first(told, paths)
    text = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
    return int(text) if text.isdecimal() and len(text) < 12 else None
