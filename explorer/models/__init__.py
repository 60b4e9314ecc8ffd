"""Chat models and embedders: what turns prompts into text, and text into vectors."""
