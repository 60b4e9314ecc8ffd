"""The source panel."""
