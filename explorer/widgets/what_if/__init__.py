"""What if something were not there."""
