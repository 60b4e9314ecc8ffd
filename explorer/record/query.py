"""The record asked in SPARQL, with limits, and the answer as a table."""

from __future__ import annotations

import csv
import importlib
import io
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, SupportsIndex, overload

from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, Triple, parse

from explorer.display import Table
from explorer.errors import RecordError, WorkspaceError
from explorer.stores.graph import GraphStore
from explorer.text import no_formula
from explorer.vocab import OA, PREFIXES, SKOS

Value = str | int | float | bool | None
Row = Mapping[str, Value]

ROWS = 10_000
SECONDS = 30.0
_MOST = 50_000_000  # characters of all values together
_XSD = "http://www.w3.org/2001/XMLSchema#"
_WHOLE = (
    "integer int long short byte nonNegativeInteger positiveInteger nonPositiveInteger negativeInteger unsignedInt "
    "unsignedLong unsignedShort unsignedByte"
)
_TYPES: dict[str, Any] = {
    **{_XSD + name: int for name in _WHOLE.split()},
    **dict.fromkeys((_XSD + "decimal", _XSD + "double", _XSD + "float"), float),
    _XSD + "boolean": lambda text: text in ("true", "1"),
}
_ALL_PREFIXES = {**PREFIXES, "oa": OA.base, "skos": SKOS.base, "xsd": _XSD}


class QueryTable(Table[Row]):
    """The rows of a query, each a mapping from the query's variables to values; shown as a table.

    An IRI or a triple is a text; a literal with a type of number, or a truth, is that. What is not bound is None.
    """

    names: Sequence[str]

    @classmethod
    def of(cls, names: Sequence[str], rows: Iterable[Row], more: str = "") -> QueryTable:
        """Return the table of some rows below their names."""
        shown = lambda row: ["" if row[name] is None else str(row[name]) for name in names]  # noqa: E731
        made = cls(rows, names, shown, "No rows.", more)
        made.names = tuple(names)
        return made

    @overload
    def __getitem__(self, at: SupportsIndex) -> Row: ...
    @overload
    def __getitem__(self, at: slice) -> QueryTable: ...
    def __getitem__(self, at: SupportsIndex | slice) -> Row | QueryTable:
        return QueryTable.of(self.names, tuple(self)[at]) if isinstance(at, slice) else tuple(self)[at]

    def to_csv(self) -> str:
        """Return heads and rows as CSV; no text is taken for a formula by a spreadsheet."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(map(no_formula, self.names))
        writer.writerows([no_formula(one) if isinstance(one, str) else one for one in row.values()] for row in self)
        return out.getvalue()

    def to_pandas(self) -> Any:  # noqa: ANN401 - a pandas DataFrame, where pandas is
        """Return a pandas DataFrame; raises ImportError where pandas is not installed."""
        try:
            frame = importlib.import_module("pandas").DataFrame
        except ModuleNotFoundError as error:
            message = "pandas is not installed here; `pip install pandas`, or go through the rows as they are."
            raise ImportError(message) from error
        return frame([dict(row) for row in self], columns=list(self.names))


def query(graph: GraphStore, sparql: str, rows: int = ROWS, seconds: float = SECONDS) -> QueryTable | bool:
    """Run a SPARQL query that reads, over all graphs together, or those of its FROM; of an ASK the truth, of
    triples three columns.

    The prefixes of the vocabulary are known to it. Raises RecordError when it can't be read, takes longer than so many
    seconds, or holds a SERVICE, as nothing may leave this machine. Beyond so many rows the table says that there are
    more.
    """
    if rows < 1 or seconds <= 0:
        raise RecordError(f"A query needs at least one row and some time, not rows={rows} and seconds={seconds:g}.")
    text = sparql.encode(errors="replace").decode()
    asked = {"query": text, "prefixes": _ALL_PREFIXES, "rows": rows, "most": _MOST}
    try:
        found = graph.answered(asked, seconds)
    except subprocess.TimeoutExpired as error:
        message = f"The SPARQL query took longer than {seconds:g} s and was stopped; narrow it, or give it more time."
        raise RecordError(message) from error
    except OSError as error:
        message = f"The SPARQL query can't be asked, as no process can be started for it ({error})."
        raise WorkspaceError(message) from error
    if found.error is not None:
        raise RecordError(f"{found.error[:1].upper()}{found.error[1:]}.")
    if found.form == "truth":
        return found.lines == ("yes",)
    more = f"There are more: these are the first {len(found.lines):,}; narrow the query or ask for more rows."
    return QueryTable.of(found.names, _read(found.names, found.lines), more if found.cut else "")


def _read(names: Sequence[str], lines: Iterable[str]) -> list[Row]:
    """Read rows of terms, in one go, each term once however often it stands there."""
    rows = [line.split("\t") if names else [] for line in lines]
    terms = dict.fromkeys(term for row in rows for term in row if term)
    written = "".join(f"<urn:row> <urn:has> {term} .\n" for term in terms)
    read = (_value(one.object) for one in parse(written, format=RdfFormat.N_TRIPLES, lenient=True))
    values: dict[str, Value] = {"": None, **dict(zip(terms, read, strict=True))}
    return [dict(zip(names, (values[term] for term in row), strict=True)) for row in rows]


def _value(term: NamedNode | BlankNode | Literal | Triple) -> Value:
    if isinstance(term, NamedNode):
        return term.value
    if not isinstance(term, Literal):
        return f"<<( {term} )>>" if isinstance(term, Triple) else str(term)
    try:
        value: Value = _TYPES.get(term.datatype.value, str)(term.value)
    except ValueError:  # "unknown" where a number should be
        return term.value
    return value
