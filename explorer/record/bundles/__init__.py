"""Bundles: runs in one archive with all that they rest on, for others to check without this package."""
