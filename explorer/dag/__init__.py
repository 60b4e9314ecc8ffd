"""The derivation of an answer as a growing graph."""

from __future__ import annotations

from explorer.dag.provenance_dag import ProvenanceDag

__all__ = ["ProvenanceDag"]
