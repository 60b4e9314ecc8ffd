"""Engines: generators of events that read the stores and write nothing."""
