"""Reasoners: they score, select and answer for an engine, with a model or without."""
