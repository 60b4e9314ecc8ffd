"""`python -m benchmarks.picture`: draw the README's picture again, docs/derivation.svg."""

from __future__ import annotations

import tempfile
from pathlib import Path

import explorer
from explorer import picture

QUESTION = "Why did oxygen tank no. 2 fail?"
FACTS = 6  # as many as a reader takes in at a glance; a run keeps up to 25
FILE = Path(__file__).parents[1] / "docs" / "derivation.svg"


def main() -> None:
    """Ask in a fresh demo workspace and draw how the answer came about."""
    with tempfile.TemporaryDirectory() as place, explorer.demo(Path(place) / "demo", progress=False) as ws:
        trace = ws.run(QUESTION, edge_limit=FACTS)
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(picture.svg(trace.dag) + "\n", "utf-8")
    print(f"Written: docs/{FILE.name}")


if __name__ == "__main__":
    main()
