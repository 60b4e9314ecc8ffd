"""Which sentence goes first by its grammar, whatever the scores say."""

import pytest

import explorer

LEASE = """# Lease

The landlord repairs the boiler, the roof and the windows. The tenant replaces light bulbs and keeps the drains clear.
If the rent is more than seven days late, the landlord may charge a fee of £25.
The tenant has paid £64 for a dehumidifier.
Either side may end the lease by giving two months' written notice.
The boat was the first of its kind and carried the name Aquarius. The crew called the shed the refrigerator.
"""


@pytest.fixture(scope="module")
def ws(tmp_path_factory):
    file = tmp_path_factory.mktemp("first") / "lease.md"
    file.write_text(LEASE)
    with explorer.open() as opened:
        opened.ingest(file, progress=False)
        yield opened


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who repairs the boiler?", "The landlord repairs the boiler, the roof and the windows."),
        ("Who replaces light bulbs?", "The tenant replaces light bulbs and keeps the drains clear."),
        ("How much did the dehumidifier cost?", "The tenant has paid £64 for a dehumidifier."),
        ("How much notice must be given?", "Either side may end the lease by giving two months' written notice."),
        ("What was the boat called?", "The boat was the first of its kind and carried the name Aquarius."),
    ],
)
def test_what_says_it_goes_first(ws, question, answer):
    trace = ws.run(question)
    assert trace.answer.startswith(answer)
    assert trace.support.level == "strong"
