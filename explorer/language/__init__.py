"""Reading English: words and sentences; grammar, noun phrases and names by spaCy, which is imported nowhere else."""
