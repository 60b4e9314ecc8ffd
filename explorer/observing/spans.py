"""Spans in the files that other tools write, each form read into the same: OTLP/JSON, Phoenix, Langfuse, MLflow.

A form is recognised by its content. A file is one JSON value or one a line; what a span says stands in its attributes,
nested whether they came flat or nested. What they mean is known to `conventions`.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from explorer.errors import RecordError
from explorer.observing.otlp_protobuf import of_wire
from explorer.observing.texts import REDACTED, decoded_json, is_empty
from explorer.text import json_fault

FORM = "spans"
"""The format of a file of spans."""
_LARGEST = 200_000_000  # bytes, which are held: the spans of a trace may come in any order
_BEGINNING = 1_000_000  # bytes in which a form shows
_DEEPEST = 20  # names in the name of an attribute
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MARKS = re.compile(
    rb'(?<!\\)"(?:resourceSpans|resource_spans|traceId|trace_id|context\.trace_id|parentObservationId|observations|'
    rb'request_id|mlflow\.\w+)"\s*:'
)
_OTHER = re.compile(rb'(?<!\\)"@(?:id|graph|context)"\s*:')  # JSON-LD
_WIRE = re.compile(rb"service\.name|telemetry\.sdk|openinference|gen_ai\.")
_PARTS = ("resourceSpans", "resource_spans", "scopeSpans", "scope_spans", "instrumentationLibrarySpans", "spans")
_VALUES = ("stringValue", "intValue", "doubleValue", "boolValue", "bytesValue")
_OBSERVATIONS = {"GENERATION": "LLM", "EVENT": "", "SPAN": ""}  # Langfuse's types; others are called as everywhere
_BULK = ("attributes", "events", "input", "output", "metadata")  # of a span, read with its trace
_TRACE = ("traceId", "trace_id", "context.trace_id", "context.traceId")
_SPAN = ("spanId", "span_id", "context.span_id", "context.spanId", "id")
_PARENT = ("parentSpanId", "parent_span_id", "parent_id", "parentId", "parentObservationId")
_BEGUN = ("startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime", "start_time_ns", "timestamp")
_ENDED = ("endTimeUnixNano", "end_time_unix_nano", "end_time", "endTime", "end_time_ns")
_DROPPED = ("droppedAttributesCount", "dropped_attributes_count", "droppedEventsCount", "dropped_events_count")


@dataclass(frozen=True, slots=True)
class Span:
    """One step that was traced: `kind` is what its tool calls it, `attributes` are nested, `dropped` were cut off.

    `service` is what ran it. `parent` is empty for the first of a trace.
    """

    id: str
    trace: str
    parent: str = ""
    name: str = ""
    kind: str = ""
    service: str = ""
    begun: datetime | None = None
    ended: datetime | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    events: Sequence[tuple[str, Mapping[str, Any]]] = ()
    error: str | None = None
    dropped: int = 0


@dataclass(slots=True)
class SpanFile:
    """The spans of a file by their traces; `forms` are the forms it had, `refused` says what could not be read.

    Each span stays as it is in the file until its trace is read.
    """

    forms: dict[str, None] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    given: int = 0
    _held: dict[str, list[tuple[msgspec.Raw | bytes, str]]] = field(default_factory=dict)
    _begun: dict[str, datetime] = field(default_factory=dict)

    def take(self, node: object) -> bool:
        """Take the spans in a value of JSON; return whether there were any."""
        before = self.given
        for one, given, service in _spans(node, self.forms):
            trace, begun = _id(first(given, _TRACE)), _moment(first(given, _BEGUN))
            held = one if isinstance(one, msgspec.Raw) else json.dumps(one).encode()
            self._held.setdefault(trace, []).append((held, service))
            if begun is not None:
                self._begun[trace] = min(begun, self._begun.get(trace, begun))
            self.given += 1
        return self.given > before

    @property
    def traces(self) -> list[str]:
        """The ids of its traces, in order of time; those without a time come first."""
        return sorted(self._held, key=lambda one: self._begun.get(one, _EPOCH))

    def spans(self, trace: str) -> list[Span]:
        """Return the spans of a trace, as they come in the file."""
        return [_span(nested(_plain(held)), service) for held, service in self._held[trace]]


def read(path: Path, form: str | None = None) -> SpanFile | None:
    """Return the spans of a file; None where it is of another format, and `form` does not say that it has spans.

    Raises RecordError for one that is too large or can't be read, and OSError.
    """
    if form not in (None, FORM):
        return None
    with path.open("rb") as file:
        head = file.read(_BEGINNING)
    is_wire = b"\x12" in head and b"\n" in (head[:1], head[4:5]) and bool(_WIRE.search(head))  # the tag of spans
    is_other = (
        head.removeprefix(_MARK_OF_ORDER).lstrip()[:1] not in (b"{", b"[")
        or _OTHER.search(head)
        or not _MARKS.search(head)
    )
    if form is None and is_other and not is_wire:
        return None
    if (size := path.stat().st_size) > _LARGEST:
        raise RecordError(f"{path.name} has {size:,} bytes, of {_LARGEST:,} at most; export its spans in parts.")
    found = SpanFile()
    data = path.read_bytes().removeprefix(_MARK_OF_ORDER)
    for number, value in of_wire(data, path.name) if is_wire else _values(data, found.refused):
        try:
            if not found.take(value) and _opened(value) not in ([], {}):
                found.refused.append(f"Value {number}: there are no spans in it.")
        except RecursionError:
            found.refused.append(f"Value {number}: it is nested too deeply.")
    if found.given:
        return found
    if form is None and not is_wire:
        return None
    raise RecordError(f"{path.name} has no spans; give OTLP, or an export of Phoenix, Langfuse or MLflow.")


def _values(data: bytes, refused: list[str]) -> Iterator[tuple[int, object]]:
    """Yield the JSON values of a file with their numbers: one a line, or one after the other over many lines."""
    lines = (memoryview(data)[slice(*found.span())] for found in _LINE.finditer(data))
    if _loaded(first := next(lines, b"")) is not None:
        for number, line in enumerate(chain([first], lines), 1):
            try:
                yield number, _loaded(line) or json.loads(bytes(line))
            except (ValueError, RecursionError) as error:
                refused.append(f"Value {number}: {json_fault(error)}.")
        return
    if (one := _loaded(data)) is not None:
        yield 1, one
        return
    text, at, number = data.decode("utf-8", "replace"), 0, 1
    while found := _NEXT.search(text, at):
        try:
            value, at = _DECODER.raw_decode(text, found.start())
        except (ValueError, RecursionError) as error:
            refused.append(f"Value {number}: {json_fault(error)}; nothing after it was read.")
            return
        yield number, value
        number += 1


def _loaded(data: bytes | memoryview) -> object:
    """Return the one value in some JSON, not read yet where it is strict JSON; None where there is none."""
    with suppress(msgspec.DecodeError, RecursionError):
        return msgspec.json.decode(data, type=msgspec.Raw)
    with suppress(ValueError, RecursionError):
        return json.loads(bytes(data))
    return None


def _opened(node: object) -> Any:  # noqa: ANN401 - any value of JSON
    """Return a value of which only the outermost list or mapping is read."""
    if not isinstance(node, msgspec.Raw):
        return node
    with suppress(msgspec.DecodeError):
        return _LEVEL.decode(node)
    return _plain(node)


def _plain(held: object) -> Any:  # noqa: ANN401 - any value of JSON
    if not isinstance(held, msgspec.Raw | bytes):
        return held
    return json.loads(bytes(held).decode("utf-8", "replace"), strict=False)


_LEVEL = msgspec.json.Decoder(dict[str, msgspec.Raw] | list[msgspec.Raw] | str | int | float | bool | None)
_DECODER, _NEXT, _MARK_OF_ORDER = json.JSONDecoder(), re.compile(r"\S"), b"\xef\xbb\xbf"
_LINE = re.compile(rb"[^\n]*\S[^\n]*")


def _spans(node: object, forms: dict[str, None], service: str = "") -> Iterator[tuple[object, Mapping[str, Any], str]]:
    """Yield the spans in a value, whatever holds them: as they stand there, with their own fields, and by whom."""
    value = _opened(node)
    if isinstance(value, list):
        for one in value:
            yield from _spans(one, forms, service)
    elif isinstance(value, Mapping):
        data = _opened(value.get("data"))
        if isinstance(_opened(value.get("observations")), list):
            forms["Langfuse"] = None
            yield from ((one, one, "Langfuse") for one in _of_langfuse(nested(_plain(node))))
        elif "trace_info" in value or (isinstance(data, Mapping) and isinstance(_opened(data.get("spans")), list)):
            forms["MLflow"] = None
            trace = nested(_plain(node))
            name = get(trace, "info.trace_id") or get(trace, "info.request_id")
            for one in (one for one in _list(get(trace, "data.spans")) if isinstance(one, Mapping)):
                found = {**one, "traceId": name or first(one, _TRACE)}
                yield found, found, "MLflow"
        elif parts := [value[key] for key in _PARTS if isinstance(_opened(value.get(key)), list)]:
            forms["OTLP"] = None
            own = _service({"resource": _plain(value.get("resource"))})
            for one in parts:
                yield from _spans(one, forms, own or service)
        elif isinstance(data, list):
            yield from _spans(data, forms, service)
        else:
            given = nested({key: _plain(one) for key, one in value.items() if key not in _BULK})
            if first(given, _TRACE) and first(given, _SPAN):
                if not forms:
                    is_own = "parentObservationId" in given
                    forms["Langfuse" if is_own else "Phoenix" if "span_kind" in given else "OpenTelemetry"] = None
                yield node, given, service or next(iter(forms))


def _of_langfuse(trace: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a trace of Langfuse as the first span, and its observations below it."""
    name = str(trace.get("id") or "")
    observations = [one for one in trace["observations"] if isinstance(one, Mapping)]
    begun = [moment for one in observations if (moment := _moment(one.get("startTime")))]
    ended = [moment for one in observations if (moment := _moment(one.get("endTime")))]
    yield {
        "traceId": name, "spanId": f"trace-{name}", "name": str(trace.get("name") or ""),
        "startTime": trace["timestamp"] if _moment(trace.get("timestamp")) else min(map(str, begun), default=None),
        "endTime": max(map(str, ended), default=None),
        "attributes": {"input": {"value": trace.get("input")}, "output": {"value": trace.get("output")}},
    }  # fmt: skip
    for one in observations:
        yield {"traceId": name, **one, "parentObservationId": one.get("parentObservationId") or f"trace-{name}"}


def _span(given: Mapping[str, Any], service: str) -> Span:
    """Return a span of any form, by whichever name each of its fields has there."""
    told = {**attributes_of(get(given, "metadata.attributes")), **attributes_of(given.get("attributes"))}
    kind = str(given.get("span_kind") or given.get("type") or "")
    if "observations" in given or {"input", "output"} & given.keys():  # Langfuse's, which have no attributes
        usage = given.get("usageDetails") or given.get("usage") or {}
        told = {
            "input": {"value": given.get("input")}, "output": {"value": given.get("output")},
            "llm": {"model_name": given.get("model"), "token_count": {
                "prompt": get(usage, "input"), "completion": get(usage, "output")}},
            **{key: value for key, value in told.items() if key not in ("input", "output")},
        }  # fmt: skip
        kind = _OBSERVATIONS.get(kind, kind)
    events = [
        (str(one.get("name") or ""), attributes_of(one.get("attributes")))
        for one in _list(given.get("events")) if isinstance(one, Mapping)
    ]  # fmt: skip
    return Span(
        id=_id(first(given, _SPAN)), trace=_id(first(given, _TRACE)), parent=_id(first(given, _PARENT)),
        name=str(given.get("name") or ""), kind=kind, service=_service(given) or service,
        begun=_moment(first(given, _BEGUN)), ended=_moment(first(given, _ENDED)), attributes=told, events=events,
        error=_error(given, events),
        dropped=sum(number for key in _DROPPED if isinstance(number := given.get(key), int) and number > 0),
    )  # fmt: skip


def _service(given: Mapping[str, Any]) -> str:
    """Return the service that a resource names; empty where nobody gave it a name."""
    name = str(get(attributes_of(get(given, "resource.attributes")), "service.name") or "")
    return "" if name.startswith("unknown_service") else name


def _error(given: Mapping[str, Any], events: Sequence[tuple[str, Mapping[str, Any]]]) -> str | None:
    status = given.get("status")
    told = status if isinstance(status, Mapping) else {"code": status}
    code = str(told.get("code") or told.get("status_code") or given.get("status_code") or given.get("level") or "")
    if code.rpartition("_")[2].rpartition(".")[2].upper() not in ("2", "ERROR"):
        return None
    said = told.get("message") or told.get("description") or given.get("status_message") or given.get("statusMessage")
    raised = (get(one, "exception.message") for name, one in events if name == "exception")
    return str(said or next(filter(None, raised), None) or "It failed, and no reason is told.")


def attributes_of(given: object) -> dict[str, Any]:
    """Return attributes nested: of OTLP a list of keys with values, elsewhere a mapping, flat or nested.

    Where MLflow stored them, each value is JSON.
    """
    given = decoded_json(given)
    if isinstance(given, list):
        pairs = [one for one in given if isinstance(one, Mapping)]
        return nested({str(one.get("key")): _value(one.get("value")) for one in pairs})
    if not isinstance(given, Mapping):
        return {}
    read = decoded_json if "mlflow.traceRequestId" in given else lambda value: value
    return nested({str(key): read(value) for key, value in given.items()})


def _value(given: object) -> Any:  # noqa: ANN401 - any value of JSON
    if not isinstance(given, Mapping):
        return given
    if isinstance(inner := given.get("arrayValue"), Mapping):
        return [_value(one) for one in _list(inner.get("values"))]
    if isinstance(inner := given.get("kvlistValue"), Mapping):
        return attributes_of(inner.get("values") or [])
    return next((given[key] for key in _VALUES if key in given), None)


def nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mapping in which "a.b" stands as b in a; what is in the way of that stays beside it."""
    made: dict[str, Any] = {}
    for key, value in flat.items():
        *above, last = key.split(".", _DEEPEST)
        at = made
        for part in above:
            inner = at.get(part)
            if not isinstance(inner, dict):
                inner = at[part] = {} if inner is None else {"": inner}
            at = inner
        known = at.get(last)
        if isinstance(known, dict) and isinstance(value, Mapping):
            at[last] = {**known, **value}
        elif isinstance(known, dict):
            known[""] = value
        else:
            at[last] = dict(value) if isinstance(value, Mapping) else value
    return made


def get(given: object, path: str) -> Any:  # noqa: ANN401 - any value of JSON
    """Return what stands at a path in nested mappings, also where one is JSON in a text; None where nothing does."""
    if isinstance(given, Mapping) and path in given:
        return given[path]
    parts = path.split(".")
    if isinstance(given, Mapping) and parts[0] not in given:
        return None
    for part in parts:
        given = decoded_json(given)
        given = given.get(part) if isinstance(given, Mapping) else None
    return given


def first(given: object, paths: Sequence[str]) -> Any:  # noqa: ANN401 - any value of JSON
    """Return the first that is told at some paths; None where nothing is."""
    found = (get(given, path) for path in paths)
    return next((one for one in found if not is_empty(one) and one not in REDACTED), None)


def _id(value: object) -> str:
    """Return an id as it is compared: hexadecimal, also of one that OTLP's JSON has in base 64."""
    text = str(value or "").removeprefix("0x")
    if len(text) in (12, 24) and text.endswith("="):
        with suppress(binascii.Error, ValueError):
            return base64.b64decode(text, validate=True).hex()
    return "" if not text.strip("0") else text


def _moment(value: object) -> datetime | None:
    """Return a time: ISO 8601, or a number of seconds or of parts of them, as its size tells."""
    text = str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
    with suppress(ValueError, OverflowError):
        number = float(text)
        seconds = next((number / per for per, least in _UNITS if number >= least), number)
        return _EPOCH + timedelta(seconds=seconds) if number > 0 else None
    with suppress(ValueError, OverflowError):
        read = datetime.fromisoformat(text)
        return (read if read.tzinfo else read.replace(tzinfo=UTC)).astimezone(UTC)
    return None


_UNITS = ((1e9, 1e17), (1e6, 1e14), (1e3, 1e11))


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
