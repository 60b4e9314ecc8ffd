"""A recorded run as a workspace gives it: at the end of a cell it is shown, and it can be drawn by pyvis."""

from __future__ import annotations

from typing import Any

from explorer.record.trace import Trace


class ShownTrace(Trace):
    """One recorded run, read whole, that shows itself: at the end of a cell as a picture, in a terminal as text."""

    def to_pyvis(self) -> Any:  # noqa: ANN401 - pyvis has no type hints
        """Return the run as a `pyvis.network.Network` with the nodes, places and colours of its picture.

        It can be styled by pyvis's own options, shown and saved: `trace.to_pyvis().save_graph("run.html")`.
        """
        from explorer.view.nodes import network

        return network(self.dag)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        from explorer.drawing import picture

        return {"text/plain": picture.text(self.dag), "text/html": picture.html(self.dag)}
