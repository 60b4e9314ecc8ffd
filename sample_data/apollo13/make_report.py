"""Makes documents/investigation-report.pdf from report-source.md; the same source gives the same bytes.

Needs reportlab, which the package itself does not: `pip install reportlab`, then `python make_report.py`.
"""

import re
from pathlib import Path
from xml.sax.saxutils import escape

from reportlab.lib import colors
from reportlab.lib.enums import TA_JUSTIFY
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, PageTemplate, Paragraph, Table, TableStyle

HERE = Path(__file__).parent
SOURCE = HERE / "report-source.md"
REPORT = HERE / "documents" / "investigation-report.pdf"
RUNNING_HEADER = "The Loss of Oxygen Tank No. 2 on Apollo 13"
MARGIN = 27 * mm
TEXT_WIDTH = A4[0] - 2 * MARGIN
COLUMNS = {2: (0.5, 0.5), 3: (0.09, 0.4, 0.51)}

BODY = ParagraphStyle(
    "body", fontName="Times-Roman", fontSize=11.5, leading=16.5, spaceAfter=9, alignment=TA_JUSTIFY,
    allowWidows=0, allowOrphans=0,
)  # fmt: skip
BOLD = "Helvetica-Bold"
TITLE = ParagraphStyle("title", fontName=BOLD, fontSize=21, leading=27, spaceAfter=20)
HEADING = ParagraphStyle(
    "heading", fontName=BOLD, fontSize=15, leading=20, spaceBefore=16, spaceAfter=9, keepWithNext=1
)
SUBHEADING = ParagraphStyle(
    "subheading", fontName=BOLD, fontSize=12, leading=16, spaceBefore=9, spaceAfter=6, keepWithNext=1
)
CELL = ParagraphStyle("cell", fontName="Helvetica", fontSize=9.5, leading=13)
CELL_HEAD = ParagraphStyle("cell-head", parent=CELL, fontName=BOLD)
CAPTION = ParagraphStyle("caption", fontName="Helvetica-Oblique", fontSize=9.5, leading=13, spaceAfter=16)


def blocks(source: str) -> list[str]:
    """The pieces of the source between blank lines."""
    return [block.strip() for block in source.split("\n\n") if block.strip()]


def table(block: str) -> Table:
    """A table from lines of the form `| a | b |`; the first line is its head."""
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in block.splitlines()]
    head, *rest = rows
    cells = [[Paragraph(escape(cell), CELL_HEAD) for cell in head]]
    cells += [[Paragraph(escape(cell), CELL) for cell in row] for row in rest]
    shares = COLUMNS[len(head)]
    made = Table(cells, colWidths=[TEXT_WIDTH * share for share in shares], spaceBefore=6, spaceAfter=7)
    made.setStyle(TableStyle([
        ("LINEBELOW", (0, 0), (-1, -1), 0.4, colors.grey),
        ("LINEBELOW", (0, 0), (-1, 0), 1, colors.black),
        ("TOPPADDING", (0, 0), (-1, -1), 5),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 5),
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("NOSPLIT", (0, 0), (-1, -1)),
    ]))  # fmt: skip
    return made


def flowable(block: str) -> Flowable:
    """The piece of the page that a block of the source becomes."""
    if block.startswith("|"):
        return table(block)
    for mark, style in (("### ", SUBHEADING), ("## ", HEADING), ("# ", TITLE)):
        if block.startswith(mark):
            return Paragraph(escape(block.removeprefix(mark)), style)
    return Paragraph(escape(" ".join(block.split())), CAPTION if re.match(r"Table \d\.", block) else BODY)


def furniture(canvas: Canvas, _: BaseDocTemplate) -> None:
    """The running header and the page number."""
    canvas.setFont("Helvetica", 9)
    canvas.drawString(MARGIN, A4[1] - 16 * mm, RUNNING_HEADER)
    canvas.drawRightString(A4[0] - MARGIN, A4[1] - 16 * mm, f"Page {canvas.getPageNumber()}")
    canvas.setLineWidth(0.4)
    canvas.line(MARGIN, A4[1] - 18 * mm, A4[0] - MARGIN, A4[1] - 18 * mm)


def main() -> None:
    """Writes the report."""
    source = blocks(SOURCE.read_text(encoding="utf-8"))
    document = BaseDocTemplate(
        str(REPORT), pagesize=A4, title=source[0].removeprefix("# "), subject="Apollo 13",
        author="Provenance Explorer sample data", creator="make_report.py", invariant=1,
    )  # fmt: skip
    frame = Frame(MARGIN, 20 * mm, TEXT_WIDTH, A4[1] - 44 * mm, leftPadding=0, rightPadding=0)
    document.addPageTemplates(PageTemplate("page", [frame], onPage=furniture))
    document.build([flowable(block) for block in source])


if __name__ == "__main__":
    main()
