"""Files of other systems: checked, then read."""
