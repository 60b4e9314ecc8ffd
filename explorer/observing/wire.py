"""OTLP in protobuf, as exporters send it and OpenTelemetry's Collector writes it to files."""

from __future__ import annotations

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
