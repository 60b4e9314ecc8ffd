"""The ask bar."""
