"""`explorer keys` and `ledger`: what signs, and what is kept outside."""

import stat

import explorer
from explorer.vocab import iri
from tests.corpus import QUESTIONS, filled, ids

FIRST = iri("question", "s1")


def test_a_tail_that_was_cut_off_is_found_by_what_was_kept_outside(program, place):
    code, head, _ = program("ledger", "head", "-w", place / "ws")
    assert code == 0
    assert program("verify", "--all", "--anchor", head.strip(), "-w", place / "ws")[0] == 0
    with explorer.open(place / "ws") as ws, ws.stores.database.writing() as connection:
        connection.execute("DROP TRIGGER ledger_whole")
        connection.execute("DELETE FROM ledger WHERE number = 2")
    code, out, _ = program("verify", FIRST, "--anchor", head.strip(), "-w", place / "ws")
    assert code == 1
    assert "entry 2 of the ledger  it is not there any more: the ledger was cut off" in out


def test_a_key_is_made_for_its_owner_alone_and_signs_where_the_environment_names_it(program, place, monkeypatch):
    code, out, _ = program("keys", "new", place / "ws" / "key.pem")
    assert (code, out) == (2, "")
    assert not (place / "ws" / "key.pem").exists()
    code, out, _ = program("keys", "new", place / "key.pem")
    assert code == 0
    assert stat.S_IMODE((place / "key.pem").stat().st_mode) == 0o600
    assert "PRIVATE" not in out
    monkeypatch.setenv("EXPLORER_KEY", str(place / "key.pem"))
    with filled(place / "signed") as ws:
        ws._ids = ws.traces.ids = ids("signed")
        ws.run(QUESTIONS[0])
    code, out, _ = program("verify", "--all", "--signed-by", place / "key.pem.pub", "-w", place / "signed")
    assert code == 0
    assert "1 of 1 run sealed, signed by the key " in out
    (place / "key.pem").chmod(0o644)
    code, out, err = program("ask", QUESTIONS[0], "-w", place / "signed")
    assert (code, out) == (2, "")
    assert "Others can read the key" in err
