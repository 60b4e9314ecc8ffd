"""Checking the record: what is on it of a run is read from the bytes, and compared by rules across its nodes."""
