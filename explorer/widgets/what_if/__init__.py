"""What if something were not there, and what mattered for an answer."""
