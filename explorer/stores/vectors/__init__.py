"""Vectors by kind, kept in SQLite and searched by similarity or by words."""
