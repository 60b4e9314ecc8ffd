"""TrustGraph's wire format: its recorded messages as our events, and our events as its messages."""
