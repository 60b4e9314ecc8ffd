"""Facts out of sentences."""
