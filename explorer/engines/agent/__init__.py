"""Agents: a question is routed to a pattern, worked at with tools, and every step of that is on record."""
