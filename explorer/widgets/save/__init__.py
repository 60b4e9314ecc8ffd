"""Saving what is on show: as a file, and as a copy in the notebook."""
