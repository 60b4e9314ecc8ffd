"""The reasoner that asks a chat model: its prompts, and how their replies are used."""
