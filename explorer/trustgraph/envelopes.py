"""One message of TrustGraph's services, of any age, as one value: without its envelope, under today's names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from explorer.errors import RecordError
from explorer.events import Passage, Usage
from explorer.rdf import older
from explorer.trustgraph.first_draft import Draft, is_draft
from explorer.trustgraph.terms import briefly
from explorer.vocab import RETRIEVAL

Fields = Mapping[str, object]

SERVICES = {"graph-rag": "graph-rag-error", "document-rag": "document-rag-error", "agent": "agent-error"}

_KINDS = {"chunk": "answer", "": None}
_TEXTS = ("thought", "observation", "answer")
_STREAMED = ("end_of_session", "end_of_dialog", "end_of_stream", "end_of_message", "message_type")
_LAST = ("end_of_session", "end_of_dialog", "complete")


@dataclass(frozen=True, slots=True)
class ServiceMessage:
    """What one message holds.

    `nodes` are the IRIs it explains, `triples` what it says about the first of them in whatever form they came;
    `texts` are pairs of kind and text for the node `about`, which many messages do not name; `final` marks the last.
    """

    nodes: tuple[str, ...]
    graph: str
    triples: Sequence[object]
    drafts: tuple[Draft, ...]
    texts: tuple[tuple[str, str], ...]
    about: str | None
    usage: Usage
    sources: tuple[Passage, ...]
    error: str | None
    final: bool


def read(envelope: object) -> ServiceMessage:
    """Return a message, given with or without its envelope. Raises RecordError when it is no JSON object."""
    if not isinstance(envelope, Mapping):
        raise RecordError(f"{briefly(envelope)} is not a message; each should be one JSON object, decoded.")
    inner = envelope.get("response")
    whole = inner if isinstance(inner, Mapping) else envelope
    fields = older.message_fields(whole)
    given = fields.get("message_type") or ""
    kind = _KINDS.get(given, given) if isinstance(given, str) else "unknown"
    error = next((text for known in (fields, envelope) if (text := _error(known.get("error"))) is not None), None)
    if kind == "error":
        error = error or _text(fields, "content")
    references, sources = fields.get("provenance_refs"), fields.get("sources")
    several: Sequence[object] = (references,) if isinstance(references, str) else _sequence(references)
    names = (fields.get("explain_id"), *several)
    texts = () if is_draft(whole) else tuple(_texts(fields, kind))
    model = named if isinstance(named := fields.get("model"), str) else None
    whole_reply = bool(texts) and not any(name in fields for name in _STREAMED) and "complete" not in envelope
    return ServiceMessage(
        nodes=tuple(dict.fromkeys(name for name in names if isinstance(name, str) and name)),
        graph=_text(fields, "explain_graph") or RETRIEVAL.value,
        triples=_triples(fields.get("explain_triples")),
        drafts=tuple(node for node in (whole, *several) if is_draft(node)),
        texts=texts,
        about=_text(fields, "message_id") or None,
        usage=Usage(_count(fields.get("in_token")), _count(fields.get("out_token")), model),
        sources=tuple(source(item) for item in _sequence(sources)),
        error=error,
        final=error is not None
        or whole_reply
        or any(known.get(name) is True for known in (fields, envelope) for name in _LAST),
    )


def _text(fields: Fields, name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def _texts(fields: Fields, kind: str | None) -> Iterator[tuple[str, str]]:
    if kind is None:  # a whole reply at once, or one of the oldest, which name the kinds as fields
        parts = [*((name, _text(fields, name)) for name in _TEXTS), ("answer", _text(fields, "response"))]
        parts.append(("answer", _text(fields, "content")))
    elif kind in _TEXTS:
        parts = [(kind, _text(fields, "response") or _text(fields, "content"))]
    else:
        return
    yield from ((kind, text) for kind, text in parts if text)


def _sequence(value: object) -> Sequence[object]:
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()


def _triples(value: object) -> Sequence[object]:
    """Return the triples one by one; N-Quads may come as one text."""
    if isinstance(value, str):
        return [line for line in value.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if value is None:
        return ()
    return value if isinstance(value, Sequence) else (value,)


def _count(value: object) -> int | None:
    if isinstance(value, str) and value.isdecimal():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _error(value: object) -> str | None:
    if not value or (isinstance(value, Mapping) and not any(value.values())):
        return None
    if not isinstance(value, Mapping):
        return str(value)
    text, kind = value.get("message"), value.get("type")
    if text is None:
        return str(kind or briefly(dict(value)))
    return f"{kind}: {text}" if kind and kind not in SERVICES.values() else str(text)


def source(item: object) -> Passage:
    """Return a source of an answer; one that names only its document is a Passage without words and without a chunk."""
    known: Fields = item if isinstance(item, Mapping) else {"uri": item if isinstance(item, str) else briefly(item)}
    uri = _text(known, "uri")
    return Passage(
        document=uri,
        title=_text(known, "title") or uri,
        source=_text(known, "source") or None,
        page=_count(known.get("page")),
        section=_text(known, "section") or None,
        part=_text(known, "part") or None,
        chunk=_text(known, "chunk"),
        chunk_index=_count(known.get("chunk_index")),
        start=_count(known.get("start")) or 0,
        end=_count(known.get("end")) or 0,
        page_start=_count(known.get("page_start")),
        text=_text(known, "text"),
        subgraph=_text(known, "subgraph"),
        extracted_by=_text(known, "extracted_by"),
    )
