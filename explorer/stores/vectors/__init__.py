"""Vectors by kind, stored in SQLite and searched by similarity or by words."""
