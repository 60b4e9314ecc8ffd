"""What people find of an answer, in a terminal: which sentence is which, and who found what."""

from tests.corpus import QUESTIONS, filled


def test_sentences_have_their_numbers_and_the_list_names_who_judged(program, tmp_path):
    with filled(tmp_path / "ws") as ws:
        run = ws.run(QUESTIONS[1])
    place = ("-w", tmp_path / "ws")
    code, out, _ = program("show", run.iri, *place)
    assert code == 0
    told = out.split("Sentences, as `explorer judge … --sentence N` counts them:\n")[1].splitlines()
    first = told[0].removeprefix("  1. ")
    assert first
    assert told[0] == f"  1. {first}"
    for by, verdict in (("Bo", "supported"), ("Ana", "unclear")):
        code, out, err = program("judge", run.iri, verdict, "--sentence", 1, "--by", by, *place)
        assert (code, out) == (0, f"{verdict}: {first}\n"), err
    code, out, _ = program("traces", *place)
    assert "1 supported, 1 unclear, by Bo and Ana" in out
    with filled(tmp_path / "other") as ws:
        assert "Reviewed" not in str(ws.traces.list())
        ws.traces.judge(ws.run(QUESTIONS[0]), "supported", sentence=1)
        assert "1 supported" in str(ws.traces.list())


def test_a_run_that_declines_has_no_sentences_to_judge(program, tmp_path):
    with filled(tmp_path / "ws") as ws:
        run = ws.run(QUESTIONS[3])
    assert "Sentences, as" not in program("show", run.iri, "-w", tmp_path / "ws")[1]
