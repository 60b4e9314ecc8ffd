"""Passages and facts made elsewhere or written down by a person."""
