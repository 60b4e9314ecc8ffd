"""A box with a tooltip."""

from __future__ import annotations

import ipywidgets as ipw
from traitlets import Unicode, dlink


class Hint(ipw.Box):
    """A box whose tooltip shows all over it; the page fails at the tooltip of a box without a description."""

    description = Unicode("").tag(sync=True)


def hinted(widget: ipw.Dropdown) -> Hint:
    """Put a list into a box with its tooltip, which the list itself shows at its label only."""
    box = Hint([widget])
    dlink((widget, "tooltip"), (box, "tooltip"))
    return box
