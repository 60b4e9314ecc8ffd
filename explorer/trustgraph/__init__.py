"""TrustGraph's wire format: what it records as our events, and our events as it records them."""
