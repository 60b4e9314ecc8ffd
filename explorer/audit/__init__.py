"""Runs looked at afterwards: compared with each other."""
