"""The runs on record as a workspace gives them: each shows itself."""

from __future__ import annotations

from explorer.record.traces import Traces
from explorer.view.trace import ShownTrace


class ShownTraces(Traces):
    """The traces of one collection, which show themselves once they are loaded."""

    def load(self, iri: str) -> ShownTrace:
        """Read a trace by the IRI of its Question; raises RecordError when there is none."""
        return ShownTrace(self.replay(iri))
