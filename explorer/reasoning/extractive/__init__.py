"""The reasoner without a model: it scores by words and vectors, quotes, and declines."""
