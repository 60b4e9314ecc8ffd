"""Rules by which an agent works without a model."""
