"""A recorded run as a workspace gives it: at the end of a cell it is shown, and pyvis and rdflib can take it."""

from __future__ import annotations

from typing import Any

from explorer.record.trace import Trace


class ShownTrace(Trace):
    """One recorded run, read whole, that shows itself: at the end of a cell as a picture, in a terminal as text."""

    def to_pyvis(self) -> Any:  # noqa: ANN401 - pyvis has no type hints
        """Return the run as a `pyvis.network.Network` with the nodes, places and colours of its picture.

        It can be styled by pyvis's own options, shown and saved: `trace.to_pyvis().save_graph("run.html")`.
        """
        from explorer.view.pyvis_nodes import network

        return network(self.dag)

    def to_rdflib(self) -> Any:  # noqa: ANN401 - rdflib is loaded where it is asked for
        """Return the triples of the run as an `rdflib.Dataset`, in their named graphs, to query or to merge.

        rdflib holds no triple terms: a node of the type `rdf:Statement` stands for each, as in an export for RDF 1.1.
        """
        from rdflib import Dataset

        from explorer.rdf import dump

        made = Dataset()
        made.parse(data=dump(self.quads(), "nq", "1.1"), format="nquads")
        return made

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        from explorer.drawing import picture

        return {"text/plain": picture.text(self.dag), "text/html": picture.html(self.dag)}
