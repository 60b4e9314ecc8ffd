"""OTLP in protobuf, as exporters send it and OpenTelemetry's Collector writes it to files."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator

from explorer.errors import RecordError


def of_wire(data: bytes, name: str) -> Iterator[tuple[int, object]]:
    """Yield the spans of OTLP in protobuf, each as OTLP's JSON; raises RecordError."""
    try:
        from google.protobuf.json_format import MessageToDict
        from google.protobuf.message import DecodeError
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
    except ImportError as error:
        raise RecordError(f"{name} has OTLP in protobuf; install explorer[otel] to read it.") from error
    at = number = 0
    while at < len(data):  # one request, or several, each after its length, as OpenTelemetry's Collector writes them
        start, end = (
            (at, len(data)) if data[at : at + 1] == b"\n" else (at + 4, at + 4 + int.from_bytes(data[at : at + 4]))
        )
        try:
            groups = ExportTraceServiceRequest.FromString(data[start:end]).resource_spans
        except DecodeError as error:
            raise RecordError(f"{name} has OTLP in protobuf that is cut off or damaged; export it again.") from error
        at, number = end, number + 1
        for group in groups:
            resource = MessageToDict(group.resource)
            for span in (span for scope in group.scope_spans for span in scope.spans):
                yield number, {"resource": resource, "spans": [MessageToDict(span)]}


def to_wire(spans: bytes) -> bytes:
    """Return OTLP's JSON in protobuf, the only form that Phoenix and MLflow take; raises ImportError."""
    try:
        from google.protobuf.json_format import ParseDict
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
    except ImportError as error:
        raise ImportError("OTLP in protobuf needs explorer[otel]: pip install 'provenance-explorer[otel]'.") from error
    told = json.loads(spans)
    for span in told["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        for key in ("traceId", "spanId", "parentSpanId"):  # which protobuf's own JSON has as base64
            span[key] = base64.b64encode(bytes.fromhex(span[key])).decode()
    written: bytes = ParseDict(told, ExportTraceServiceRequest()).SerializeToString()
    return written
