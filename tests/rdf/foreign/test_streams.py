"""Files of triples are read some statements at a time, as they are when they are held whole."""

import io
import tracemalloc

import pytest
from pyoxigraph import Quad

from explorer import rdf
from explorer.errors import RecordError
from explorer.rdf.foreign import streams
from explorer.rdf.foreign.checked_syntax import check_xml
from tests.agents import SESSIONS
from tests.each import each
from tests.record.test_importing import quads

PREFIX = "@prefix ex: <http://example.org/> .\n"
TG = "https://trustgraph.ai/ns/"


def streamed(text, form, many=3, size=60):
    data = text if isinstance(text, bytes) else text.encode()
    return [*rdf.blocks(io.BytesIO(data), form, with_lines=True, many=many, size=size)]


def found_in(blocks):
    return [one for block in blocks for one in block.found]


@each("form", rdf.STREAMED)
@each("session", SESSIONS)
def test_what_is_streamed_is_what_is_loaded(form, session):
    given = rdf.dump(quads(SESSIONS[session]), form)
    blocks = streamed(given, form)
    assert len(blocks) > 1
    assert set(found_in(blocks)) == set(rdf.load(given, form).quads)


@each("form", ["nt", "nq", "turtle", "trig"])
def test_each_triple_has_the_line_it_stands_in(form):
    given = "".join(f"<urn:s:{n}> <urn:p> <urn:o> .\n" for n in range(40))
    lines = {triple.subject.value: line for block in streamed(given, form) for triple, line in block.lines.items()}
    assert lines == {f"urn:s:{n}": n + 1 for n in range(40)}


WHOLE = "".join(f"ex:s{n} ex:p ex:o{n} .\n" for n in range(30))


@each(("wrong", "told"), [
    ("ex:a ex:p .", r"line 32, column 11"),
    (b'ex:a ex:p "\xe4\xff" .', r"line 32, column 12: byte \d+ is 0xe4, which is not UTF-8"),
    ('ex:a ex:p "never closed .', "line 3[23]"),
    ("ex:a ex:p " + "<<( ex:a ex:p " * 101 + "ex:o" + " )>>" * 101 + " .", "line 32, .* nested deeper than 100"),
    ("\n".join(["ex:a ex:p", *["<<( ex:a ex:p"] * 3000]), "nested deeper than 100"),
])  # fmt: skip
def test_a_syntax_error_names_its_line_and_column(wrong, told):
    wrong = wrong if isinstance(wrong, bytes) else wrong.encode()
    with pytest.raises(RecordError, match=told):
        streamed((PREFIX + WHOLE).encode() + wrong + b"\n" + WHOLE.encode(), "turtle")


def test_what_looks_nested_within_texts_is_not():
    many = "<< <<( " * 200
    text = f'{PREFIX}ex:a ex:p """{many}\n{many}" \\""" {many}\n""" .\nex:b ex:p "{many}" .\n# {many}\n'
    text += f"ex:c ex:p '''{many}''' , '{many}' .\nex:d ex:p <http://example.org/o>.\n"
    assert len(found_in(streamed(text, "turtle"))) == 5


def test_an_invalid_iri_refuses_its_statement_and_names_the_line():
    text = f"{PREFIX}{WHOLE}ex:a ex:p <http://example.org/a b> .\n{WHOLE}"
    found = found_in(streamed(text, "turtle"))
    [refused] = [one for one in found if not isinstance(one, Quad)]
    assert (refused.line, refused.reason.startswith("'http://example.org/a b' is not valid")) == (32, True)
    assert len(found) == 61


def test_a_quoted_triple_without_a_label_is_folded_and_one_with_a_label_stays():
    contains = f"<{TG}contains>"
    quoted = f"ex:g {contains} << ex:a ex:p ex:b >> .\nex:h {contains} << ex:a ex:p ex:c ~ _:named >> .\n"
    found = found_in(streamed(f"{PREFIX}{quoted}{WHOLE}_:named ex:said ex:mary .\n", "turtle", many=2))
    objects = {str(one.subject): str(one.object) for one in found if str(one.predicate) == contains}
    assert objects["<http://example.org/g>"] == " ".join(f"<http://example.org/{name}>" for name in "apb")
    assert objects["<http://example.org/h>"] == "_:named"


def test_entities_are_counted_over_all_pieces():
    head = '<!DOCTYPE rdf:RDF [<!ENTITY o "' + "x" * 900_000 + '">]>\n'
    with pytest.raises(RecordError, match="entities that multiply"):
        check_xml([head.encode(), b"<a>", *[b"<b>&o;</b>"] * 200, b"</a>"])


@pytest.mark.parametrize("form", ["nt", "turtle"])
def test_memory_does_not_grow_with_the_file(form, monkeypatch):
    monkeypatch.setattr(streams, "_SOUND", 1_000)

    def peak(many):
        file = io.BytesIO("".join(f"<urn:s:{n}> <urn:p> <urn:o> .\n" for n in range(many)).encode())
        tracemalloc.start()
        count = sum(len(block.found) for block in rdf.blocks(file, form, with_lines=True, many=500, size=20_000))
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert count == many
        return most

    peak(1_000)
    assert peak(30_000) < 1.5 * peak(4_000)
