"""Workbooks of Excel, .xlsx and .xls, as rows of what their cells show.

openpyxl (MIT) reads .xlsx a row at a time, in 50 MB whatever its size, and tells number formats: without them 0.15 is
not 15 % and a price has no currency. python-calamine (MIT) reads 15 times as fast, and .xls too, but knows none, and
two cells far apart end the whole process, as it makes room for all between them. xlrd (BSD) reads .xls with formats;
where it fails, python-calamine reads what a cell holds.

A formula is the value that was stored with it; one without is an empty cell, and told. Nothing is computed, run or
fetched.
"""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from itertools import repeat
from typing import Any

from openpyxl.worksheet.worksheet import Worksheet
from python_calamine import CalamineSheet

from explorer.errors import DocumentError
from explorer.ingest.limits import Meter
from explorer.ingest.readers.archive import check_office, check_sizes, properties, xml
from explorer.ingest.readers.cells import shown
from explorer.ingest.readers.document_text import Reading, named
from explorer.ingest.readers.formats import XLS, XLSX
from explorer.ingest.readers.office import Package
from explorer.ingest.readers.tables import Sheet, reading_of, unvalued
from explorer.ingest.readers.unlocking import HOW
from explorer.text import count

UNPACKED = 300_000_000
"""Bytes that a workbook may take when it is unpacked, unless more are allowed."""
_UNFORMATTED = (
    "it is damaged or unusual: its numbers stand as they are stored, without percent signs, currencies or places, its "
    "comments are left out, and cells may be missing"
)
_ROWS = 1_000  # between two looks at the time

_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell [^>]*?ref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"')
_FORMULA = re.compile(rb"<(?:\w+:)?f[ >/]")
_LEAN = re.compile(rb"<(?:\w+:)?(?:workbook|styleSheet)[\s>]")
_HEAD = 4_096  # bytes that tell what a part is
_NEEDED = {  # of a workbook and its styles, with the attributes
    "workbookPr": {"date1904"}, "sheets": {"name", "sheetId", "state", f"{{{_RELATION}}}id"},
    "numFmts": {"numFmtId", "formatCode"}, "cellXfs": {"numFmtId"},
}  # fmt: skip
_PLACE, _ANY = re.compile(r"[A-Z]{1,3}[1-9]\d{0,6}"), re.compile(r".*", re.DOTALL)
_KINDS = {  # of values, by what a cell is called
    "n": re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?"),
    "s": re.compile(r"\d+"),
    "b": re.compile("[01]"),
}
_AT_ONCE = 1_000_000  # bytes
_HEAD_ROWS = 12  # from the top: there a cell over several columns is said in each of them
_MOST_FILLED = 100_000  # cells
_USUAL = re.compile(r"(?i)(?:sheet|worksheet|tabelle|feuil|hoja|foglio|planilha|blad|ark)\s?\d*")


def read_xlsx(data: bytes, name: str, meter: Meter) -> Reading:
    """Read an .xlsx file; raises DocumentError when it is damaged, empty or too large."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        meter.limits.check_unpacked(name, sum(one.file_size for one in archive.infolist()), usual=UNPACKED)
        check_sizes(archive)
        title, author, date = properties(archive, changed=True)  # openpyxl takes today where there is none
        package = Package(archive)
        notes = package.notes
        try:
            reading = _read(data if package.is_usual else package.canonical(), name, title, meter)
        except DocumentError:
            raise
        except Exception:  # noqa: BLE001 - whatever openpyxl raises: if it does again, that is told
            check_office(archive, name)
            reading = _read(package.canonical(_with_sound_cells), name, title, meter)
    return replace(reading, author=author, date=date, notes=(*reading.notes, *notes))


def _read(data: bytes, name: str, title: str | None, meter: Meter) -> Reading:
    uncomputed: Counter[str] = Counter()
    with (
        warnings.catch_warnings(action="ignore", category=UserWarning),  # of what openpyxl would not save again
        closing(_loaded(data, values=True)) as book,
        closing(_loaded(data, values=False)) as formulas,
    ):
        pairs = zip(book.worksheets, formulas.worksheets, strict=True)
        alone = len(book.worksheets) == 1
        sheets = (Sheet(_named(one.title, alone=alone, is_hidden=one.sheet_state != "visible"),
                        _metered(_rows(one, other, uncomputed), meter)) for one, other in pairs)  # fmt: skip
        reading = reading_of(sheets, XLSX, name, title)
    return replace(reading, notes=(unvalued(uncomputed),)) if uncomputed else reading


class _Lean(zipfile.ZipFile):
    """A workbook of which only that is read which cells need: the names of sheets, and how numbers are shown."""

    def read(self, name: str | zipfile.ZipInfo, pwd: bytes | None = None) -> bytes:
        """Return a part; of the workbook and its styles what is needed of them."""
        from lxml import etree

        data = super().read(name, pwd)
        if b"<" not in data or not _LEAN.search(data[:_HEAD]):
            return data
        root = xml(data)
        for node in list(root):
            tag = str(node.tag).rpartition("}")[2]
            if tag not in _NEEDED:
                root.remove(node)
            for one in (node, *node):
                for key in {*one.keys()} - _NEEDED.get(tag, {*one.keys()}):
                    del one.attrib[key]
                if tag == "cellXfs":
                    one[:] = one[:] if one is node else []
        made: bytes = etree.tostring(root)
        return made


def _with_sound_cells(kind: str, data: bytes) -> bytes:
    """Return a sheet of which nothing ends the reading of its cells: what a cell can't be as it is called is text, and
    what stands beside the cells is left out.
    """
    from lxml import etree

    if kind != "worksheet":
        return data
    root = xml(data)
    for node in list(root):
        if str(node.tag).rpartition("}")[2] not in {"sheetData", "mergeCells"}:
            root.remove(node)
    for cell in root.iter("{*}c"):
        if not _PLACE.fullmatch(cell.get("r") or "A1"):
            del cell.attrib["r"]
        if not (cell.get("s") or "0").isdecimal():
            del cell.attrib["s"]
        value = next(cell.iter("{*}v"), None)
        if value is not None and not _KINDS.get(cell.get("t") or "n", _ANY).fullmatch((value.text or "0").strip()):
            cell.set("t", "str")
    made: bytes = etree.tostring(root)
    return made


def _loaded(data: bytes, *, values: bool) -> Any:  # noqa: ANN401 - openpyxl is not typed
    """Return a workbook with the values of formulas, or with their texts; without the sheets that are charts alone."""
    from openpyxl.reader.excel import ExcelReader
    from openpyxl.styles.stylesheet import apply_stylesheet

    reader = ExcelReader(io.BytesIO(data), read_only=True, keep_links=False, data_only=values)
    reader.archive = _Lean(io.BytesIO(data))
    reader.read_chartsheet = lambda *_: None  # it has no cells, and of an empty one openpyxl says that it is damaged
    reader.read_manifest()
    reader.read_strings()
    reader.read_workbook()
    apply_stylesheet(reader.archive, reader.wb)
    reader.parser.sheets = [one for one in reader.parser.sheets if one.id in reader.parser.rels]  # others are missing
    reader.read_worksheets()
    return reader.wb


def _rows(sheet: Worksheet, formulas: Worksheet, uncomputed: Counter[str]) -> Iterator[list[str]]:
    has_formulas, merged = _scanned(sheet)
    for one in (sheet, formulas):
        one.reset_dimensions()  # what a file says of its size may be wrong
    others: Iterable[Any] = formulas.rows if has_formulas else repeat(())
    cells = ([_text(cell, other[at].value if has_formulas and at < len(other) else None, uncomputed)
              for at, cell in enumerate(row)] for row, other in zip(sheet.rows, others, strict=False))  # fmt: skip
    return _filled(cells, merged)


def _metered(rows: Iterable[list[str]], meter: Meter) -> Iterator[list[str]]:
    for number, row in enumerate(rows):
        if number % _ROWS == 0:
            meter.check()
        yield row


def _scanned(sheet: Worksheet) -> tuple[bool, list[tuple[int, int, int, int]]]:
    """Return whether a sheet has formulas, and which cells are one, which openpyxl does not tell of streamed sheets."""
    from openpyxl.utils import column_index_from_string as column

    is_found, merged, rest = False, [], b""
    with sheet._get_source() as file:  # noqa: SLF001 - as it opens it itself
        while piece := file.read(_AT_ONCE):
            piece, rest = rest + piece, piece[-200:]
            is_found = is_found or _FORMULA.search(piece) is not None
            merged += [(column(a.decode()) - 1, int(b) - 1, column(c.decode()) - 1, int(d) - 1)
                       for a, b, c, d in _MERGED.findall(piece)]  # fmt: skip
    return is_found, list(dict.fromkeys(merged))


def _filled(rows: Iterable[list[str]], merged: list[tuple[int, int, int, int]]) -> Iterator[list[str]]:
    """Yield rows with a cell over several of them said in each; over several columns only near the top, for heads.

    One over several columns that stands alone in its row is no head but a title, and said once.
    """
    starts: dict[int, list[tuple[int, int, int]]] = {}
    for left, top, right, bottom in merged:
        starts.setdefault(top, []).append((left, right, bottom))
    running: list[tuple[int, int, int, str]] = []
    left_over = _MOST_FILLED
    for number, row in enumerate(rows):
        running = [one for one in running if one[2] >= number]
        alone = not running and sum(map(bool, row)) == 1
        running += [(left, right if number < _HEAD_ROWS else left, bottom, row[left])
                    for left, right, bottom in starts.get(number, ())
                    if left < len(row) and row[left] and not (alone and right > left)]  # fmt: skip
        for left, right, _, text in running:
            left_over -= right + 1 - left
            if left_over < 0:
                break
            row.extend([""] * (right + 1 - len(row)))
            row[left : right + 1] = [text] * (right + 1 - left)
        yield row


def _text(cell: Any, formula: object, uncomputed: Counter[str]) -> str:  # noqa: ANN401 - openpyxl is not typed
    value, formula = cell.value, getattr(formula, "text", formula)  # of several cells at once
    if value is None and isinstance(formula, str) and formula:
        uncomputed[formula] += 1
        return ""
    try:
        number_format = cell.number_format
    except (IndexError, KeyError):  # a style that the workbook does not have
        number_format = None
    return shown(value, number_format)


def read_xls(data: bytes, name: str) -> Reading:
    """Read an .xls file; raises DocumentError when it is damaged, encrypted or empty."""
    import xlrd

    try:
        return _by_xlrd(data, name)
    except DocumentError:
        raise
    except Exception as error:  # whatever xlrd raises: raised again where the other can't read it either
        if isinstance(error, xlrd.XLRDError) and "encrypted" in str(error):
            raise DocumentError(f"{name!r} is encrypted; {HOW}.") from error
        return _by_calamine(data, name, error)


def _by_xlrd(data: bytes, name: str) -> Reading:
    import xlrd

    with xlrd.open_workbook(
        file_contents=data, logfile=io.StringIO(), formatting_info=True, ragged_rows=True, on_demand=True
    ) as book:
        alone = book.nsheets == 1
        sheets = (Sheet(_named(one.name, alone=alone, is_hidden=one.visibility != 0), _xls_rows(book, one))
                  for one in book.sheets())  # fmt: skip
        reading = replace(reading_of(sheets, XLS, name), author=named(book.user_name))
        comments = sum(len(one.cell_note_map) for one in book.sheets())
        return replace(reading, notes=(f"{count(comments, 'comment')} left out",) if comments else ())


def _by_calamine(data: bytes, name: str, first: Exception) -> Reading:
    """Read what xlrd fails on; raises `first`, what that raised, where this can't either."""
    from python_calamine import CalamineWorkbook, SheetVisibleEnum

    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(data))
        alone = len(book.sheet_names) == 1
        sheets = [Sheet(_named(one.name, alone=alone, is_hidden=one.visible != SheetVisibleEnum.Visible),
                        [*_calamine_rows(book.get_sheet_by_name(one.name))])
                  for one in book.sheets_metadata]  # fmt: skip
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | MemoryError):
            raise
        raise first from None  # a panic of Rust is no Exception
    if any("\0" in cell for sheet in sheets for row in sheet.rows for cell in row):
        raise first  # it took texts for such of another encoding
    return replace(reading_of(sheets, XLS, name), notes=(_UNFORMATTED,))


def _calamine_rows(sheet: CalamineSheet) -> Iterator[list[str]]:
    merged = [(left, top, right, bottom) for (top, left), (bottom, right) in sheet.merged_cell_ranges or ()]
    return _filled(([shown(cell) for cell in row] for row in sheet.to_python(skip_empty_area=False)), merged)


def _xls_rows(book: Any, sheet: Any) -> Iterator[list[str]]:  # noqa: ANN401 - xlrd is not typed
    import xlrd

    def text(cell: Any) -> str:  # noqa: ANN401
        match cell.ctype:
            case xlrd.XL_CELL_EMPTY | xlrd.XL_CELL_BLANK:
                return ""
            case xlrd.XL_CELL_ERROR:
                return str(xlrd.error_text_from_code.get(cell.value, "#N/A"))
            case xlrd.XL_CELL_BOOLEAN:
                return shown(bool(cell.value))
            case xlrd.XL_CELL_DATE:
                return shown(xlrd.xldate_as_datetime(cell.value, book.datemode))
            case xlrd.XL_CELL_NUMBER:
                return shown(cell.value, book.format_map[book.xf_list[cell.xf_index].format_key].format_str)
        return str(cell.value)

    merged = [(left, top, right - 1, bottom - 1) for top, bottom, left, right in sheet.merged_cells]
    return _filled(([text(cell) for cell in sheet.row(number)] for number in range(sheet.nrows)), merged)


def _named(sheet: str, *, alone: bool, is_hidden: bool) -> str:
    """Return the name of a sheet where it says something; of one that a reader does not see, with a word on that."""
    name = " ".join(sheet.split())
    if is_hidden:
        return f"{name} (hidden)"
    return "" if alone and _USUAL.fullmatch(name) else name
