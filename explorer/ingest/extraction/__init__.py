"""Extraction of facts from sentences."""
