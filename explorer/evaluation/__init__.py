"""Evaluation: questions of a file asked in several ways, measured against gold; and what many runs did not find."""
