"""The grammar of questions: their parts, what their pronouns stand for, and the sides of a comparison."""
