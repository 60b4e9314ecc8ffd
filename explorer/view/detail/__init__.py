"""The detail panel."""
