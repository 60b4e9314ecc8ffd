"""Replies of models, read tolerantly."""
