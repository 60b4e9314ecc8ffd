"""Files as text with pages and sections."""
