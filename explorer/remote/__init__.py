"""Other systems: what they record, as our events, and our events as they record them."""
