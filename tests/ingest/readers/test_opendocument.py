"""OpenDocument texts and sheets: what is read of them, where it stands, and what is left out."""

import pytest

from explorer.errors import DocumentError
from explorer.ingest.readers.files import read
from tests.each import each
from tests.ingest.readers.made import archived

SPACES = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{long}:1.0"'
    for short, long in (("office", "office"), ("text", "text"), ("table", "table"), ("draw", "drawing"),
                        ("style", "style"), ("meta", "meta"), ("svg", "svg-compatible"))
)  # fmt: skip
META = (
    f'<office:document-meta {SPACES} xmlns:dc="http://purl.org/dc/elements/1.1/"><office:meta><dc:title>Log &amp; bell'
    "</dc:title><meta:initial-creator>Ann Lee</meta:initial-creator><meta:creation-date>1970-06-15T10:00:00"
    "</meta:creation-date></office:meta></office:document-meta>"
)


def made(kind, body, styles="", **parts):
    content = (
        f"<office:document-content {SPACES}><office:automatic-styles>{styles}</office:automatic-styles><office:body>"
        f"<office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    )
    mime = f"application/vnd.oasis.opendocument.{kind}"
    return archived({"mimetype": mime, "content.xml": content, "META-INF/manifest.xml": "<m/>", **parts})


def table(*rows, name="Fees"):
    return f'<table:table table:name="{name}">{"".join(rows)}</table:table>'


def row(*cells, times=1):
    made = "".join(one if one.startswith("<") else cell(one) for one in cells)
    return f'<table:table-row table:number-rows-repeated="{times}">{made}</table:table-row>'


def cell(words="", **said):
    told = "".join(f' table:{name.replace("_", "-")}="{value}"' for name, value in said.items())
    return f"<table:table-cell{told}>{f'<text:p>{words}</text:p>' if words else ''}</table:table-cell>"


COVERED = "<table:covered-table-cell/>"
HIDDEN = '<style:style style:name="T9"><style:text-properties text:display="none"/></style:style>'
NOTE = (
    "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>It was cast twice.</text:p>"
    "</text:note-body></text:note>"
)


BOX = "<draw:frame><draw:text-box><text:p>In a box.</text:p></draw:text-box><svg:desc>A picture</svg:desc></draw:frame>"


def item(words):
    return f"<text:list-item><text:p>{words}</text:p></text:list-item>"


@each(("body", "text"), [
    ("<text:h text:outline-level='2'>The bell</text:h><text:p>It <text:span>was</text:span> hung.</text:p>",
     "## The bell\n\nIt was hung."),
    ("<text:p>a &lt;b&gt; &amp;<text:s text:c='2'/>c<text:tab/>d<text:line-break/>e</text:p>", "a <b> & c d\ne"),
    (f"<text:list>{item('One.')}{item('Two.')}</text:list>", "- One.\n- Two."),
    (f"<text:p>The bell{NOTE} was hung.</text:p><text:p>It rang.</text:p>",
     "The bell was hung.\n\nIt was cast twice.\n\nIt rang."),
    (f"<text:p>Before{BOX} and after.</text:p>", "Before and after.\n\nIn a box."),
    ("<text:p>Seen.<text:span text:style-name='T9'>HIDDEN</text:span></text:p>", "Seen."),
    ("<text:tracked-changes><text:p>DELETED</text:p></text:tracked-changes><text:p>The <text:change/>rest.</text:p>",
     "The rest."),
    (table(f"<table:table-header-rows>{row('Bell', cell('Founder', number_columns_spanned=2), COVERED)}"
           f"{row('', 'First', 'Second')}</table:table-header-rows>", row("Agnes", "Moll", "Isaac")),
     "| Bell | Founder First | Founder Second |\n| --- | --- | --- |\n| Agnes | Moll | Isaac |"),
])  # fmt: skip
def test_a_text_is_read_with_what_it_says_where_it_says_it(body, text):
    reading = read(made("text", body, HIDDEN), "a.odt")
    assert (reading.text, reading.mime) == (text, "application/vnd.oasis.opendocument.text")


def test_sections_of_a_text_are_slices_of_it_and_the_file_says_who_wrote_it():
    body = "".join(f"<text:h text:outline-level='1'>Part {n}</text:h><text:p>Words of {n}.</text:p>" for n in (1, 2))
    commented = "<text:p>Seen.<office:annotation><text:p>SAID ASIDE</text:p></office:annotation></text:p>"
    reading = read(made("text", body + commented, **{"meta.xml": META}), "report.docx")  # what it is tells its format
    assert [reading.text[part.start : part.end] for part in reading.parts] == [
        "# Part 1\n\nWords of 1.\n\n", "# Part 2\n\nWords of 2.\n\nSeen."]  # fmt: skip
    assert (reading.title, reading.author, reading.date) == ("Log & bell", "Ann Lee", "1970-06-15")
    assert reading.notes == ("1 comment left out",)


@each(("rows", "lines"), [
    ([row("Boat", "Cod", "Ling"), row("Havsul", cell("5.4", number_columns_repeated=2)),
      row("Storm", cell(number_columns_repeated=2), times=2)],
     ["| Boat | Cod | Ling |", "| --- | --- | --- |", "| Havsul | 5.4 | 5.4 |", "| Storm |  |  |", "| Storm |  |  |"]),
    ([row("Farm", cell("Sheep", number_columns_spanned=2), COVERED), row("", "2018", "2022"), row("Nes", "31", "35")],
     ["| Farm | Sheep 2018 | Sheep 2022 |", "| --- | --- | --- |", "| Nes | 31 | 35 |"]),
    ([row("Hall", "Rent"), row("Lower", cell("340")), row(cell(number_columns_repeated=16384), times=1048570)],
     ["| Hall | Rent |", "| --- | --- |", "| Lower | 340 |"]),
])  # fmt: skip
def test_the_rows_of_a_sheet_are_what_its_cells_show(rows, lines):
    assert read(made("spreadsheet", table(*rows)), "a.ods").text.splitlines() == lines


def test_sheets_have_their_names_and_formulas_without_a_value_are_told():
    one = table(row("Hall", "Rent"), row(times=3), row("Lower", cell(formula="of:=B9*2")))
    two = table(row("Hall", "Guests"), row("Upper", "70"), name="Guests")
    reading = read(made("spreadsheet", one + two), "a.ods")
    assert [part.label for part in reading.parts] == ["Fees, row 5", "Guests, row 2"]
    [note] = reading.notes
    assert note.startswith("1 formula without a stored value, as B5, left empty; open it")


@each(("data", "says"), [
    (made("text", "<text:p>Words.</text:p>", **{"META-INF/manifest.xml": "<encryption-data/>"}), "is encrypted"),
    (made("text", "<text:p><text:span/></text:p>"), "has no text in it"),
    (made("spreadsheet", table(row("", ""))), "has no row with anything in it"),
    (made("spreadsheet", table(row(cell("x", number_columns_repeated=16384), times=1048576))), "more than 2,000,000"),
    (made("text", "", **{"content.xml": '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'}), "declares entities"),
    (made("presentation", "<text:p>Words.</text:p>"), "of a kind that can't be read"),
])  # fmt: skip
def test_what_can_not_be_read_is_refused_with_its_reason(data, says):
    with pytest.raises(DocumentError, match=says):
        read(data, "a.odt")
