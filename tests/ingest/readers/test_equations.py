import docx
from docx.oxml import parse_xml

from explorer.ingest.readers.files import read
from tests.each import each
from tests.ingest.readers.made import saved

SPACE = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'


def run(text):
    return f"<m:r><m:t>{text}</m:t></m:r>"


def power(base, raised):
    return f"<m:sSup><m:e>{base}</m:e><m:sup>{raised}</m:sup></m:sSup>"


def fraction(over, under):
    return f"<m:f><m:num>{over}</m:num><m:den>{under}</m:den></m:f>"


X = run("x")
SUM = (
    '<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr>'
    f"<m:sub>{run('n=1')}</m:sub><m:sup>{run('∞')}</m:sup><m:e>{run('n')}</m:e></m:nary>"
)


@each(("equation", "words"), [
    (run("A=π") + power(run("r"), run("2")), "A=πr^2"),
    (power(run("e"), run("-x+1")), "e^(-x+1)"),
    (power(fraction(run("a+b"), run("c")), run("2")), "((a+b)/c)^2"),
    (f"<m:sSubSup><m:e>{run('N')}</m:e><m:sub>{run('s')}</m:sub><m:sup>{run('H')}</m:sup></m:sSubSup>", "N_s^H"),
    (f"<m:rad><m:deg/><m:e>{run('x')}</m:e></m:rad>", "√(x)"),
    (SUM, "∑_(n=1)^∞ n"),
    (f"<m:d><m:e>{run('a')}</m:e><m:e>{run('b')}</m:e></m:d>", "(a, b)"),
    (f"<m:func><m:fName>{run('log')}</m:fName><m:e>{run('x')}</m:e></m:func>", "log x"),
    (f"<m:m><m:mr><m:e>{run('1')}</m:e><m:e>{run('0')}</m:e></m:mr><m:mr><m:e>{X}</m:e></m:mr></m:m>", "1, 0; x"),
    (f"<m:box><m:e>{run('a &lt; b')}</m:e></m:box>", "a < b"),
])  # fmt: skip
def test_an_equation_stands_in_its_sentence_as_words(equation, words):
    document = docx.Document()
    paragraph = document.add_paragraph("It is ")
    paragraph._p.append(parse_xml(f"<m:oMath {SPACE}>{equation}</m:oMath>"))
    paragraph.add_run(" as before.")
    assert read(saved(document), "a.docx").text == f"It is {words} as before."


def test_equations_in_a_block_of_their_own_are_lines():
    document = docx.Document()
    document.add_paragraph("They are:")
    one, other = (f"<m:oMath>{run(text)}</m:oMath>" for text in ("a=b", "c=d"))
    document.add_paragraph()._p.append(parse_xml(f"<m:oMathPara {SPACE}>{one}{other}</m:oMathPara>"))
    document.add_paragraph("That is all.")
    assert read(saved(document), "a.docx").text.replace("  ", " ") == "They are:\n\na=b\nc=d\n\nThat is all."
