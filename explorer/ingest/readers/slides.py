"""Presentations, by python-pptx: a slide is a page, with its tables, charts and notes."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial

from pptx.chart.chart import Chart
from pptx.chart.plot import _BasePlot
from pptx.shapes.base import BaseShape
from pptx.shapes.graphfrm import GraphicFrame
from pptx.slide import Slide
from pptx.table import Table
from pptx.text.text import TextFrame

from explorer.errors import DocumentError
from explorer.ingest.limits import Meter
from explorer.ingest.readers.archive import check_office, opened, properties, xml
from explorer.ingest.readers.cells import shown
from explorer.ingest.readers.document_text import DocumentPart, Reading, named, title_from
from explorer.ingest.readers.html_as_markdown import plain
from explorer.ingest.readers.office import Package
from explorer.text import count

_MIME = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
_MIME_MACROS = "application/vnd.ms-powerpoint.presentation.macroEnabled.12"
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_OFF = {"0", "false", "off"}
_DEEPEST = 50  # groups inside each other
_LONGEST_TITLE = 200  # code points: a longer one is text in the place of a title
_MOST_POINTS = 500  # of a chart
# places for text of other kinds than these, of which the kind is left out
_KNOWN = rb"title|body|ctrTitle|subTitle|dt|sldNum|ftr|hdr|obj|chart|tbl|clipArt|dgm|media|sldImg|pic"
_HOLDER = re.compile(rb'(<(?:\w+:)?ph\b[^<>]*?)\stype="(?!(?:' + _KNOWN + rb')")[^"<>]*"')
_Leaving = Callable[[str], AbstractContextManager[None]]


def read_slides(data: bytes, name: str, meter: Meter) -> Reading:
    """Read a presentation. Raises DocumentError when it is damaged, encrypted, too large, or has no text in it."""
    from pptx import Presentation

    with opened(data, name, meter.limits) as archive:
        check_office(archive, name)
        title, author, date = properties(archive)
        package = Package(archive)
        notes = package.notes
        known = package.canonical(lambda kind, part: _HOLDER.sub(rb"\1", part) if kind == "slide" else part)
        show = Presentation(io.BytesIO(known))
        unread = _Unread()
        slides = []
        listed = show.part._element.sldIdLst  # noqa: SLF001 - to go on behind a slide that is missing
        for number, one in enumerate([] if listed is None else listed, 1):
            meter.check_pages(number)
            with unread.of("slide", number):
                slides.append(("", ""))
                slides[-1] = _slide(show.part.related_slide(one.rId), number, unread)
    if not any(text for _, text in slides):
        raise DocumentError(
            f"{name!r} has no text in it; if it has pictures of words, run text recognition (OCR) on it first."
        )
    parts: list[DocumentPart] = []
    start = 0
    for number, (label, text) in enumerate(slides, 1):
        parts.append(DocumentPart("page", number, label or f"Slide {number}", start, start + len(text)))
        start += len(text) + len("\n\n")
    first = next((label for label, _ in slides if label), None)
    return Reading(
        title or named(first) or title_from(name),
        _MIME_MACROS if package.has_macros else _MIME,
        "\n\n".join(text for _, text in slides),
        tuple(parts),
        author,
        date,
        notes=(*unread.notes, *notes),
    )


class _Unread:
    """What of the slides can't be read: the numbers of the slides by what it is; and the heads and feet met so far."""

    def __init__(self) -> None:
        self.slides: dict[str, list[int]] = {}
        self.feet: set[str] = set()

    @contextmanager
    def of(self, what: str, number: int) -> Iterator[None]:
        """Count a thing that can't be read, whatever python-pptx raises, instead of ending there."""
        try:
            yield
        except DocumentError:
            raise
        except Exception:  # noqa: BLE001 - it is told
            self.slides.setdefault(what, []).append(number)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be said of it."""
        return tuple(
            f"{count(len(slides), what)} of a kind that can't be read left out "
            f"({'slide' if len({*slides}) == 1 else 'slides'} {', '.join(map(str, dict.fromkeys(slides)))})"
            for what, slides in self.slides.items()
        )


def _slide(slide: Slide, number: int, unread: _Unread) -> tuple[str, str]:
    heading = slide.shapes.title
    heading = heading if heading is not None and heading.has_text_frame else None  # it may be a picture, or a table
    label = " ".join(plain(heading.text_frame.text).split()) if heading is not None else ""
    if len(label) > _LONGEST_TITLE:
        heading, label = None, ""
    if slide._element.get("show") in _OFF:  # noqa: SLF001 - python-pptx tells no hidden slides
        label = f"{label or f'Slide {number}'} (hidden)"
    blocks = [f"# {label}"] if label else []
    for shape in slide.shapes:
        with unread.of("shape", number):
            if heading is None or shape.shape_id != heading.shape_id:
                blocks += _blocks(shape, partial(unread.of, number=number))
    with unread.of("note", number):
        frame = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
        if frame is not None and (said := "\n".join(_lines(frame))):
            blocks.append(f"Notes: {said}")
        blocks += _feet([*slide.shapes, *(slide.notes_slide.shapes if slide.has_notes_slide else ())], unread.feet)
    return label, "\n\n".join(blocks)


def _blocks(shape: BaseShape, unread: _Leaving, depth: int = 0) -> Iterator[str]:
    """What a shape says, block by block; of a group what its shapes say."""
    from pptx.shapes.autoshape import Shape
    from pptx.shapes.graphfrm import GraphicFrame
    from pptx.shapes.group import GroupShape

    if isinstance(shape, GroupShape) and depth < _DEEPEST:
        for inner in shape.shapes:
            yield from _blocks(inner, unread, depth + 1)
    elif isinstance(shape, GraphicFrame):
        yield from filter(None, ["\n".join(_rows(shape, unread))])
    elif isinstance(shape, Shape) and not _is_furniture(shape):
        lines = list(_lines(shape.text_frame, is_list=shape.is_placeholder))
        yield from filter(None, ["\n".join(lines)])


def _is_furniture(shape: BaseShape, *, is_read: bool = False) -> bool:
    """Whether a shape only holds the number, date, head or foot of its slide; or one of those that are read once."""
    from pptx.enum.shapes import PP_PLACEHOLDER as KIND

    furniture = {KIND.DATE, KIND.FOOTER, KIND.HEADER, *([] if is_read else [KIND.SLIDE_NUMBER])}
    return shape.is_placeholder and shape.placeholder_format.type in furniture


def _feet(shapes: Iterable[BaseShape], seen: set[str]) -> Iterator[str]:
    """The date, head and foot of a slide, as far as none before it has the same."""
    from pptx.shapes.autoshape import Shape

    for shape in shapes:
        if isinstance(shape, Shape) and _is_furniture(shape, is_read=True):
            words = "\n".join(_lines(shape.text_frame))
            if words and words not in seen:
                seen.add(words)
                yield words


def _lines(frame: TextFrame, *, is_list: bool = False) -> Iterator[str]:
    """The paragraphs of a text, as items of a list where there are several."""
    found = [(paragraph.level, " ".join(plain(paragraph.text).split())) for paragraph in frame.paragraphs]
    found = [(level, words) for level, words in found if words]
    for level, words in found:
        yield f"{'  ' * level}- {words}" if is_list and len(found) > 1 else words


def _rows(frame: GraphicFrame, unread: _Leaving) -> Iterator[str]:
    """The rows of a table, what a chart shows as rows, or the lines of a diagram."""
    if frame.has_table:
        rows = list(_table(frame.table))
    elif frame.has_chart:
        rows = []
        with unread("chart"):  # python-pptx does not know every kind
            rows = list(_chart(frame.chart))
        if frame.chart.has_title and frame.chart.chart_title.has_text_frame:
            yield from _lines(frame.chart.chart_title.text_frame)
    else:
        yield from _diagram(frame)
        return
    for number, cells in enumerate(row for row in rows if any(row)):
        yield f"| {' | '.join(cells)} |"
        if number == 0:
            yield f"|{' --- |' * len(cells)}"


def _diagram(frame: GraphicFrame) -> Iterator[str]:
    """What the boxes of a SmartArt diagram say, as a list with each box below the one that it belongs to."""
    data = next(iter(frame._element.xpath(".//*[local-name()='relIds']/@r:dm")), None)  # noqa: SLF001 - nor diagrams
    if data is None or data not in frame.part.rels:
        return
    root = xml(frame.part.related_part(data).blob)
    points = {point.get("modelId"): point for point in root.iter(f"{_DIAGRAM}pt")}
    below: dict[str | None, list[tuple[int, str | None]]] = {}
    for link in root.iter(f"{_DIAGRAM}cxn"):
        if link.get("type", "parOf") == "parOf":
            below.setdefault(link.get("srcId"), []).append((int(link.get("srcOrd", 0)), link.get("destId")))
    todo = [(one, 0) for one, point in reversed(points.items()) if point.get("type") == "doc"]
    while todo:
        one, level = todo.pop()
        point = points.pop(one, None)  # a box that is below itself is said once
        if point is None:
            continue
        lines = ("".join(run.text or "" for run in line.iter(f"{_DRAWING}t")) for line in point.iter(f"{_DRAWING}p"))
        words = " ".join(plain(" ".join(lines)).split())
        if words:
            yield f"{'  ' * min(level, _DEEPEST)}- {words}"
        todo += ((inner, level + bool(words)) for _, inner in sorted(below.get(one, []), reverse=True))


def _table(table: Table) -> Iterator[list[str]]:
    """The cells of each row; one over several rows is said in each."""
    held: dict[int, tuple[int, str]] = {}
    for row in table.rows:
        cells = []
        for column, cell in enumerate(row.cells):
            left, words = held.pop(column, (0, ""))
            if cell.is_merge_origin:
                left, words = cell.span_height, _cell(cell.text)
            elif not cell.is_spanned:
                left, words = 0, _cell(cell.text)
            if left > 1:
                held[column] = left - 1, words
            cells.append(words)
        yield cells


def _chart(chart: Chart) -> Iterator[list[str]]:
    """The first plot: a row for each category, a column for each series."""
    plot = next(iter(chart.plots), None)
    if plot is None:
        return
    series = [(each.name, list(each.values)) for each in plot.series]
    first = next(iter(plot.series), None)
    over = [] if first is None else first._element.xpath("./c:xVal//c:pt/c:v")  # noqa: SLF001 - nor these
    categories = _labels(plot) or [str(value.text) for value in over]
    yield ["", *(_cell(name) for name, _ in series)]
    for place, category in enumerate(categories[:_MOST_POINTS]):
        values = (values[place] if place < len(values) else None for _, values in series)
        yield [_cell(category), *("" if value is None else f"{value:.15g}" for value in values)]


def _labels(plot: _BasePlot) -> list[str]:
    """What stands below the points; days, which are kept as numbers, as days."""
    from openpyxl.styles.numbers import is_date_format
    from openpyxl.utils.datetime import from_excel

    code = next(iter(plot._element.xpath(".//c:cat//c:formatCode")), None)  # noqa: SLF001 - python-pptx tells no formats
    labels = list(map(str, plot.categories))
    if (
        code is None
        or not is_date_format(code.text)
        or not all(label.replace(".", "", 1).isdecimal() for label in labels)
    ):
        return labels
    return [shown(from_excel(float(label))) for label in labels]


def _cell(text: str) -> str:
    return " ".join(plain(text).split()).replace("|", "\\|")
