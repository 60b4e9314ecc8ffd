"""The reasoner without a model: it scores by words and vectors, quotes, declines, and works as an agent by rules."""
