"""Passages that a pipeline retrieved, in whatever form it has them: texts, mappings, or objects of its library."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from explorer.errors import QuestionError
from explorer.observing.texts import decoded_json, words
from explorer.text import count, one_line, sound

_TEXT = ("text", "page_content", "content", "body", "snippet", "passage", "chunk")
_ID = ("id", "id_", "doc_id", "document_id", "node_id", "chunk_id")
_TITLE = ("title", "document_title", "file_name", "filename", "name")
_SOURCE = ("source", "url", "uri", "link", "path", "file_path")
_PAGE = ("page_label", "page_number", "page")
_START = ("start", "start_index", "start_char_idx")
_SCORE = ("score", "relevance_score", "similarity")
_INNER = ("node", "document", "metadata", "kwargs")  # what may hold the rest: LlamaIndex's node, LangChain's metadata
_LONGEST_NAME = 300


@dataclass(frozen=True, slots=True)
class Retrieved:
    """A passage as a pipeline retrieved it: its text, and what else is known of it.

    `source` is an address or a path, `page` counts from 1, `start` is the offset of its text in the document, in code
    points, `score` is on the scale of the pipeline.
    """

    text: str
    id: str = ""
    title: str = ""
    source: str = ""
    page: int | None = None
    start: int | None = None
    score: float | None = None
    metadata: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}), compare=False)

    @property
    def names(self) -> tuple[str, ...]:
        """What others may call it by."""
        return tuple(filter(None, (self.id, self.source, self.title)))


def retrieved(given: object, score: float | None = None) -> Retrieved:
    """Return a passage from a text, a mapping, a pair of either with its score, or an object with such attributes.

    Objects are LangChain's Document, LlamaIndex's NodeWithScore, and others with a text and metadata. Raises
    QuestionError for what has no text.
    """
    if isinstance(given, Retrieved):
        return given if score is None else replace(given, score=score)
    if isinstance(given, tuple) and len(given) == 2 and _number(given[1]) is not None:
        return retrieved(given[0], _number(given[1]))
    if isinstance(given, str):
        return Retrieved(sound(given), score=score)
    fields = _fields(given)
    text = _text(given, fields)
    if text is None:
        raise QuestionError(
            f"A passage is a text, or has one as {', '.join(_TEXT[:3])}; this {type(given).__name__} has none."
        )
    page = _number(_first(fields, _PAGE))
    start = _number(_first(fields, _START))
    return Retrieved(
        sound(text), id=_name(_first(fields, _ID)), title=_name(_first(fields, _TITLE)),
        source=_name(_first(fields, _SOURCE)),
        page=int(page) if page is not None and page >= 0 else None,
        start=int(start) if start is not None and start >= 0 else None,
        score=score if score is not None else _number(_first(fields, _SCORE)),
        metadata=MappingProxyType(fields),
    )  # fmt: skip


def scored(passages: Iterable[object], scores: Iterable[float] | None) -> list[Retrieved]:
    """Return passages, each with the score at its place; raises QuestionError where these are not as many."""
    if isinstance(passages, str | bytes | Mapping):
        raise QuestionError("Passages are told as a list, also a single one: looked_at([passage]).")
    given = list(passages)
    if scores is None:
        return [retrieved(one) for one in given]
    numbers = list(scores)
    if len(numbers) != len(given):
        raise QuestionError(
            f"{count(len(given), 'passage')} and {count(len(numbers), 'score')}: give one score for each."
        )
    return [retrieved(one, _number(score)) for one, score in zip(given, numbers, strict=True)]


def _fields(given: object, depth: int = 0) -> dict[str, object]:
    """Return what is told of a passage, its own fields before those of what it holds."""
    own = _attributes(given)
    found: dict[str, object] = {}
    for key in _INNER if depth < len(_INNER) else ():
        if (inner := decoded_json(own.get(key))) is not None and not isinstance(inner, str):
            found |= _fields(inner, depth + 1)
    is_told = {key: value for key, value in own.items() if value is not None and key not in _INNER}
    return found | {key: value for key, value in is_told.items() if key not in _ID or isinstance(value, str | int)}


def _attributes(given: object) -> dict[str, object]:
    if isinstance(given, Mapping):
        return {str(key): value for key, value in given.items()}
    known = (*_TEXT, *_ID, *_TITLE, *_SOURCE, *_PAGE, *_START, *_SCORE, *_INNER)
    return {key: value for key in known if not callable(value := getattr(given, key, None))}


def _text(given: object, fields: Mapping[str, object]) -> str | None:
    found = next((value for key in _TEXT if isinstance(value := fields.get(key), str)), None)
    read: Callable[[], object] | None = getattr(given, "get_content", None)
    told = read() if found is None and callable(read) else found
    return told if isinstance(told, str) else words(fields.get("content")) or None


def _first(fields: Mapping[str, object], keys: Iterable[str]) -> object:
    return next((value for key in keys if (value := fields.get(key)) not in (None, "")), None)


def _name(value: object) -> str:
    return one_line(sound(str(value)))[:_LONGEST_NAME] if isinstance(value, str | int) else ""


def _number(value: object) -> float | None:
    try:
        number = float(value) if isinstance(value, str | int | float) or hasattr(value, "__float__") else math.nan
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None
