"""What an engine asks of a model, and who answers."""
