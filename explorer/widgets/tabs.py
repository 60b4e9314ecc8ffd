"""The tabs of the app."""

from __future__ import annotations

import traitlets


class Tabs(traitlets.HasTraits):
    """What is written on each tab, and which of them is open."""

    titles = traitlets.Tuple(("Ask", "Documents", "Past runs"))
    selected_index = traitlets.Int(min=0, max=2)
