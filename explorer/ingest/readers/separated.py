"""CSV, TSV and JSON lines as rows.

What divides the cells of a CSV file is what gives the most rows the same number of cells; csv.Sniffer takes letters for
it. A cell that begins with "=" is text, as all are.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from pathlib import PurePath

from explorer.errors import DocumentError
from explorer.ingest.limits import Limits, Meter
from explorer.ingest.readers.document_text import Reading
from explorer.ingest.readers.encoding import decoded
from explorer.ingest.readers.tables import Sheet, reading_of
from explorer.text import json_fault, one_line, truncate

_JSON_LINES = "application/jsonl"
_DIVIDERS = (",", ";", "\t", "|")
_LOOKED_AT = 100  # rows
_SAMPLE = 100_000  # code points
_TOO_LONG = "field larger than field limit"  # of csv.Error
_SHOWN = 60  # code points of a key in a message


def read_separated(data: bytes, name: str, meter: Meter | None = None) -> Reading:
    """Read a CSV or TSV file; raises DocumentError when it is no text, has no row or a cell over the limit."""
    limits = meter.limits if meter else Limits()
    text, encoding = decoded(data, name)
    is_tsv = PurePath(name).suffix.lower() in {".tsv", ".tab"}
    divider, start = ("\t", 0) if is_tsv else _divider(text)
    csv.field_size_limit(limits.most_of_a_cell)  # one for the process, and 131,072 unless it is raised
    rows = _rows(text[start:], divider, name, limits)
    mime = "text/tab-separated-values" if is_tsv else "text/csv"
    return replace(reading_of([Sheet("", rows)], mime, name), encoding=encoding)


def _divider(text: str) -> tuple[str, int]:
    """Return what divides the cells, and where the rows begin: below a line in which Excel was told it."""
    first, _, _ = text.partition("\n")
    if first.lower().startswith("sep=") and len(first) == len("sep=,"):
        return first[-1], len(first) + 1
    sample = text[:_SAMPLE]
    return max(_DIVIDERS, key=lambda divider: _evenness(sample, divider)), 0


def _evenness(sample: str, divider: str) -> tuple[float, int]:
    """Return which share of the rows has the usual number of cells, where that is more than one, and that number."""
    rows = islice(filter(None, csv.reader(io.StringIO(sample, newline=""), delimiter=divider)), _LOOKED_AT)
    widths = Counter(map(len, rows))
    width, often = max(widths.items(), key=lambda one: (one[0] > 1, one[1], one[0]), default=(1, 0))
    return (often / widths.total(), width) if width > 1 else (0.0, 0)


def _rows(text: str, divider: str, name: str, limits: Limits) -> list[list[str]]:
    """Return the rows; where a quotation mark is never closed, all of them are characters like others."""
    read = partial(csv.reader, delimiter=divider)
    try:
        return list(read(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        is_open = _TOO_LONG in str(error) or "unexpected end" in str(error)
    try:
        return list(read(io.StringIO(text, newline=""), quoting=csv.QUOTE_NONE if is_open else csv.QUOTE_MINIMAL))
    except csv.Error as error:
        if _TOO_LONG not in str(error):
            raise
        raise limits.cell_too_long(name) from None


def read_json_lines(data: bytes, name: str) -> Reading:
    """Read JSON objects, one a line, as rows with their keys as heads; raises DocumentError where a line is none."""
    text, encoding = decoded(data, name)
    heads: dict[str, None] = {}
    records: list[dict[str, str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            records.append(dict(_cells(_object(line, number, name))))
            heads.update(dict.fromkeys(records[-1]))
    rows = ([record.get(head, "") for head in heads] for record in records)
    sheet = Sheet("", chain([list(heads)], rows), first=0)
    return replace(reading_of([sheet], _JSON_LINES, name), encoding=encoding)


def _object(line: str, number: int, name: str) -> dict[str, object]:
    try:
        item = json.loads(line, object_pairs_hook=partial(_once, number=number, name=name))
    except (ValueError, RecursionError) as error:
        message = f"{name!r}, line {number:,}: it is not JSON ({json_fault(error)}); write one JSON object a line."
        raise DocumentError(message) from error
    if not isinstance(item, dict):
        raise DocumentError(f"{name!r}, line {number:,}: it is not a JSON object; write one a line.")
    return item


def _once(pairs: Sequence[tuple[str, object]], *, number: int, name: str) -> dict[str, object]:
    """Return an object of which each key stands there once: of two values neither is to be lost."""
    counted = Counter(key for key, _ in pairs)
    if twice := next((key for key, times in counted.items() if times > 1), None):
        what = truncate(one_line(twice), _SHOWN)
        raise DocumentError(f"{name!r}, line {number:,}: the key {what!r} stands there more than once; name each once.")
    return dict(pairs)


def _cells(record: Mapping[str, object], above: str = "") -> Iterator[tuple[str, str]]:
    """Yield the heads and values of an object; those of an object in it are named after both."""
    for key, value in record.items():
        if isinstance(value, dict) and value and not above:
            yield from _cells(value, f"{key}.")
        elif isinstance(value, list) and not any(isinstance(one, dict | list) for one in value):
            yield above + key, ", ".join(map(_shown, value))
        else:
            yield above + key, _shown(value)


def _shown(value: object) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.encode(errors="replace").decode()  # half of a surrogate pair, which JSON can hold, is no text
