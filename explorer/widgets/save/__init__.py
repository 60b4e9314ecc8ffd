"""What is on show, as a file."""
