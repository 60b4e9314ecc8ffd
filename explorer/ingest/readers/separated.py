"""CSV, TSV and JSON lines as rows.

What divides the cells of a CSV file, and what stands around them, is what gives the most rows the same number of cells;
csv.Sniffer takes letters for it, and knows no backslashes. A cell that begins with "=" is text, as all are.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from pathlib import PurePath
from typing import Any, NamedTuple

from explorer.errors import DocumentError
from explorer.ingest.limits import Limits, Meter
from explorer.ingest.readers.document_text import Reading
from explorer.ingest.readers.encoding import decoded
from explorer.ingest.readers.tables import Sheet, reading_of
from explorer.text import json_fault, one_line, truncate

_JSON_LINES = "application/jsonl"
_DIVIDERS = (",", ";", "\t", "|")
_SINGLE = re.compile(r"(?:^|(?<=[,;\t|]))'(?:[^'\\\n]|\\.|'')*'(?=$|[,;\t|\r])", re.MULTILINE)
_LOOKED_AT = 100  # rows
_SAMPLE = 100_000  # code points
_TOO_LONG = "field larger than field limit"  # of csv.Error
_SHOWN = 60  # code points of a key in a message


def read_separated(data: bytes, name: str, meter: Meter | None = None) -> Reading:
    """Read a CSV or TSV file; raises DocumentError when it is no text, has no row or a cell over the limit."""
    limits = meter.limits if meter else Limits()
    text, encoding = decoded(data, name)
    is_tsv = PurePath(name).suffix.lower() in {".tsv", ".tab", ".txt"}
    csv.field_size_limit(limits.most_of_a_cell)  # one for the process, and 131,072 unless it is raised
    dialect, start = _dialect(text, "\t" if is_tsv else _DIVIDERS)
    rows = _rows(text[start:], dialect, name, limits)
    mime = "text/tab-separated-values" if is_tsv else "text/csv"
    return replace(reading_of([Sheet("", rows)], mime, name), encoding=encoding)


class _Dialect(NamedTuple):
    """What divides the cells, what stands around those with such signs in them, and whether a backslash before it."""

    divider: str
    quote: str = '"'
    has_escapes: bool = False

    @property
    def _null(self) -> re.Pattern[str]:
        around = re.escape(self.divider)
        return re.compile(rf"(?m)(^|{around})\\N(?=\r?$|{around})")

    def has_nulls(self, text: str) -> bool:
        """Return whether there are cells that a database writes for those without a value."""
        return self._null.search(text) is not None

    def rows(self, text: str, **given: Any) -> Iterator[list[str]]:  # noqa: ANN401 - what csv.reader takes
        """Yield the rows of a text; a backslash before any other sign stays, and alone with N it is an empty cell."""
        if self.has_escapes:
            around = re.escape(self.divider)
            text = self._null.sub(r"\1", text)
            text = re.sub(rf"\\(?![\\{re.escape(self.quote)}{around}\r\n])", r"\\\\", text)
        lines = io.StringIO(text, newline="")
        escape = "\\" if self.has_escapes else None
        return csv.reader(lines, delimiter=self.divider, quotechar=self.quote, escapechar=escape, **given)


def _dialect(text: str, dividers: Iterable[str]) -> tuple[_Dialect, int]:
    """Return how the rows are written, and where they begin: below a line in which Excel was told what divides them."""
    first, _, _ = text.partition("\n")
    start = 0
    if first.lower().startswith("sep=") and len(first) == len("sep=,"):
        dividers, start = first[-1], len(first) + 1
    sample = text[start : start + _SAMPLE]
    ways: list[_Dialect] = []
    for quote in ["'", '"'] if 4 * len(_SINGLE.findall(sample)) > sample.count("'") else ['"']:
        plain = [_Dialect(divider, quote) for divider in dividers]
        signs = (rf"\\[{quote}{re.escape(one.divider)}\r\n]" for one in plain)
        escaped = [one._replace(has_escapes=True) for one, sign in zip(plain, signs, strict=True)
                   if re.search(sign, sample) or one.has_nulls(sample)]  # fmt: skip
        is_doubled = quote * 2 in re.sub(rf"(?m)(?:^|(?<=[,;\t|])){quote * 2}(?=$|[,;\t|])", "", sample)
        are_escaped = f"\\{quote}" in sample and not is_doubled  # marks in cells are told by backslashes alone
        are_escaped = are_escaped or any(one.has_nulls(sample) for one in escaped)
        ways += [*escaped, *plain] if are_escaped else [*plain, *escaped]
    return max(ways, key=lambda dialect: _evenness(sample, dialect)), start


def _evenness(sample: str, dialect: _Dialect) -> tuple[float, int, int]:
    """Return which share of the rows has the usual number of cells, where that is more than one; that number, and how
    many rows there are.
    """
    rows = islice(filter(None, dialect.rows(sample)), _LOOKED_AT)
    widths = Counter(map(len, rows))
    width, often = max(widths.items(), key=lambda one: (one[0] > 1, one[1], one[0]), default=(1, 0))
    return (often / widths.total(), width, widths.total()) if width > 1 else (0.0, 0, 0)


def _rows(text: str, dialect: _Dialect, name: str, limits: Limits) -> list[list[str]]:
    """Return the rows; where a quotation mark is never closed, all of them are characters like others."""
    try:
        return list(dialect.rows(text, strict=True))
    except csv.Error as error:
        is_open = _TOO_LONG in str(error) or "unexpected end" in str(error)
    try:
        return list(dialect.rows(text, quoting=csv.QUOTE_NONE if is_open else csv.QUOTE_MINIMAL))
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
