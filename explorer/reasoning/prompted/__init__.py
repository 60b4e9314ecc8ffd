"""The reasoner that asks a chat model: prompts and what becomes of their replies."""
