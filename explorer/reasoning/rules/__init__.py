"""The grammar of questions, by one parse: their parts, what pronouns stand for, and the sides of a comparison."""
