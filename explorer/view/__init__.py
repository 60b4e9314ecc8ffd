"""What a page shows of a run: its messages, its words, the script that draws them, and a page that stands alone."""
