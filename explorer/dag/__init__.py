"""The derivation of an answer as a growing graph."""

from __future__ import annotations

from explorer.dag.growth import ProvenanceDag

__all__ = ["ProvenanceDag"]
