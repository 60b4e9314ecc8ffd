"""The stage strip, the answer and what happens, live."""
