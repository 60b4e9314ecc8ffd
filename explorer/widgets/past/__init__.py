"""Past runs and comparison."""
