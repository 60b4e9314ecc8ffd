"""Reading English with spaCy: the pipeline, sentences, noun phrases, names. spaCy is imported nowhere else."""
