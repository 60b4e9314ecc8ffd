"""Runs on record: recording, listing, replay, loading, importing, comparing."""
